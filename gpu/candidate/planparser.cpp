#include "gpu/base/identifier.h"
#include "gpu/base/locatedjson.h"
#include "gpu/candidate/lexer.h"
#include "gpu/candidate/plan.h"
#include "gpu/compile/options.h"
#include "gpu/problem/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace gpu {

namespace {
using Kind = LocatedJson::Kind;

constexpr const char *Example
    = "/* plan\n{ \"launches\": [ { \"kernel\": \"my_kernel\", \"grid\": [\"ceil_div(n, 256)\"], "
      "\"block\": [256], \"args\": [\"x\", \"y\", \"n\"] } ] }\n*/";
constexpr std::size_t MaxSteps = 256, MaxArgs = 128, MaxTunableValues = 64;

/// The text of the plan's JSON and the line it starts on.
struct PlanText {
    std::string_view json;
    int line = 1;
};

std::variant<PlanText, PlanError> findPlan(std::string_view source)
{
    std::optional<PlanText> found;
    for (const SourceChunk &chunk : splitSource(source)) {
        std::string_view text = source.substr(chunk.begin, chunk.end - chunk.begin);
        if (chunk.kind != SourceChunk::Kind::Comment || !text.starts_with("/*"))
            continue;
        const std::size_t word = text.find_first_not_of("* \t\r\n!", 2);
        if (word == text.npos || text.substr(word, 4) != "plan")
            continue;
        const std::size_t open = text.find_first_not_of(" \t\r\n:", word + 4);
        if (open == text.npos || text[open] != '{')
            continue;
        if (found)
            return PlanError{"plan", chunk.line,
                "Plan, line " + std::to_string(chunk.line)
                    + ", key \"plan\": a second plan; the "
                      "first is on line "
                    + std::to_string(found->line) + ". Keep one of them."};
        text.remove_suffix(text.ends_with("*/") ? 2 : 0);
        const auto newlines = std::count(text.begin(), text.begin() + open, '\n');
        found = PlanText{text.substr(open), chunk.line + static_cast<int>(newlines)};
    }
    if (!found)
        return PlanError{"plan", 1,
            std::string("Plan, line 1, key \"plan\": the source has no launch plan. Begin the file "
                        "with a comment that holds one, for instance\n")
                + Example};
    return *found;
}

/// Reads the JSON strictly. The first error is kept, later ones are its consequences.
class Parser {
public:
    std::optional<PlanError> error;

    Plan parse(const LocatedJson &root)
    {
        Plan plan;
        onlyKnown(root, "",
            {"launches", "scratch", "tunables", "where", "options", "let", "tensor_maps"});
        readTunables(root, plan);
        for (const LocatedJson::Member &entry : members(root, "let")) {
            claim(entry.line, "let." + entry.key, entry.key);
            plan.let.emplace_back(entry.key, expression(entry.value, "let." + entry.key));
        }
        readScratch(root, plan);
        readTensorMaps(root, plan);
        if (const LocatedJson *where = list(root, "where", false))
            for (std::size_t i = 0; i < where->items.size(); ++i)
                plan.where.push_back(expression(where->items[i], indexed("where", i)));
        readOptions(root, plan);
        readLaunches(root, plan);
        return plan;
    }

    void fail(int line, const std::string &key, const std::string &message)
    {
        if (!error)
            error = PlanError{key, line,
                "Plan, line " + std::to_string(line) + ", key \"" + key + "\": " + message};
    }

private:
    using Members = std::vector<LocatedJson::Member>;

    static std::string indexed(const std::string &key, std::size_t index)
    {
        return key + "[" + std::to_string(index) + "]";
    }
    static std::string joined(const std::string &path, const std::string &key)
    {
        return path.empty() ? key : path + "." + key;
    }

    void wrongKind(const LocatedJson &value, const std::string &key, const std::string &wanted)
    {
        fail(value.line, key,
            "is " + std::string(value.kindText()) + " and must be " + wanted + ".");
    }

    void onlyKnown(
        const LocatedJson &object, const std::string &path, const std::vector<std::string> &known)
    {
        if (!object.is(Kind::Object))
            return wrongKind(object, path.empty() ? "plan" : path, "an object");
        for (const LocatedJson::Member &member : object.members) {
            if (std::find(known.begin(), known.end(), member.key) != known.end())
                continue;
            const std::string near = nearestName(member.key, known);
            fail(member.line, joined(path, member.key),
                near.empty() ? "unknown key. Known are " + listed(known) + "."
                             : "unknown key. Did you mean \"" + near + "\"?");
        }
    }

    const Members &members(const LocatedJson &root, const std::string &key)
    {
        static const Members none;
        const LocatedJson *object = root.find(key);
        if (object && !object->is(Kind::Object))
            wrongKind(*object, key, "an object");
        return object ? object->members : none;
    }

    const LocatedJson *list(const LocatedJson &object, const std::string &key, bool required,
        const std::string &path = {})
    {
        const LocatedJson *value = object.find(key);
        if (!value && required)
            fail(object.line, joined(path, key), "missing; it is a list.");
        if (value && !value->is(Kind::Array)) {
            wrongKind(*value, joined(path, key), "a list");
            return nullptr;
        }
        return value;
    }

    /// Names share one space: an argument or expression must mean one thing.
    void claim(int line, const std::string &key, const std::string &name)
    {
        if (!isCppIdentifier(name))
            fail(line, key, "\"" + name + "\" must be a C++ identifier and no keyword.");
        else if (isReservedInExpressions(name))
            fail(line, key, "\"" + name + "\" is a function or device fact of expressions.");
        else if (!m_names.insert(name).second)
            fail(line, key, "the name \"" + name + "\" is used twice in the plan.");
    }

    PlanExpression expression(const LocatedJson &value, const std::string &key)
    {
        if (!value.is(Kind::String) && !value.is(Kind::Number))
            wrongKind(value, key, "a number or an expression");
        else if (value.text.find_first_not_of(" \t") == std::string::npos)
            fail(value.line, key, "is empty.");
        return {value.text, value.line};
    }

    std::vector<PlanExpression> extents(const LocatedJson &object, const std::string &path,
        const std::string &key, bool required, std::size_t most)
    {
        std::vector<PlanExpression> result;
        const LocatedJson *values = list(object, key, required, path);
        if (!values)
            return result;
        if (values->items.empty() || values->items.size() > most)
            fail(values->line, joined(path, key),
                "has " + std::to_string(values->items.size()) + " entries and must have 1 to "
                    + std::to_string(most) + ".");
        for (std::size_t i = 0; i < values->items.size(); ++i)
            result.push_back(expression(values->items[i], indexed(joined(path, key), i)));
        return result;
    }

    bool flag(const LocatedJson &object, const std::string &path, const std::string &key)
    {
        const LocatedJson *value = object.find(key);
        if (value && !value->is(Kind::Boolean))
            wrongKind(*value, joined(path, key), "true or false");
        return value && value->boolean;
    }

    std::string text(const LocatedJson &object, const std::string &path, const std::string &key)
    {
        const LocatedJson *value = object.find(key);
        if (!value)
            fail(object.line, joined(path, key), "missing; it is a text.");
        else if (!value->is(Kind::String))
            wrongKind(*value, joined(path, key), "a text");
        else if (value->text.empty())
            fail(value->line, joined(path, key), "is empty.");
        return value ? value->text : std::string();
    }

    std::string choice(const LocatedJson &object, const std::string &path, const std::string &key,
        const std::vector<std::string> &choices)
    {
        if (!object.find(key))
            return choices.front();
        const std::string value = text(object, path, key);
        if (std::find(choices.begin(), choices.end(), value) == choices.end())
            fail(object.find(key)->line, joined(path, key),
                "\"" + value + "\" must be one of " + listed(choices) + ".");
        return value;
    }

    void readTunables(const LocatedJson &root, Plan &plan)
    {
        for (const LocatedJson::Member &entry : members(root, "tunables")) {
            const std::string key = "tunables." + entry.key;
            claim(entry.line, key, entry.key);
            std::vector<double> &values = plan.tunables[entry.key];
            if (!entry.value.is(Kind::Array) || entry.value.items.empty()
                || entry.value.items.size() > MaxTunableValues)
                fail(entry.line, key,
                    "must be a list of 1 to " + std::to_string(MaxTunableValues)
                        + " numbers, the first is the default.");
            for (const LocatedJson &value : entry.value.items) {
                if (!value.is(Kind::Number) || !std::isfinite(value.number))
                    wrongKind(value, key, "a list of numbers");
                else if (std::find(values.begin(), values.end(), value.number) != values.end())
                    fail(value.line, key, "the value " + value.text + " stands there twice.");
                values.push_back(value.number);
            }
        }
    }

    void readScratch(const LocatedJson &root, Plan &plan)
    {
        for (const LocatedJson::Member &entry : members(root, "scratch")) {
            const std::string key = "scratch." + entry.key;
            claim(entry.line, key, entry.key);
            onlyKnown(entry.value, key, {"dtype", "count", "init"});
            ScratchSpec scratch;
            scratch.name = entry.key;
            const std::string dtype = text(entry.value, key, "dtype");
            if (const std::optional<DType> type = dtypeFromName(dtype))
                scratch.dtype = *type;
            else
                fail(entry.line, key + ".dtype",
                    "\"" + dtype
                        + "\" is no element type. Known are f64, f32, f16, bf16, i64, i32, "
                          "i16, i8, u64, u32, u16, u8 and bool.");
            if (const LocatedJson *count = entry.value.find("count"))
                scratch.count = expression(*count, key + ".count");
            else
                fail(entry.line, key + ".count", "missing; it is the number of elements.");
            if (const LocatedJson *init = entry.value.find("init"))
                scratch.init = expression(*init, key + ".init");
            plan.scratch.push_back(std::move(scratch));
        }
    }

    void readTensorMaps(const LocatedJson &root, Plan &plan)
    {
        for (const LocatedJson::Member &entry : members(root, "tensor_maps")) {
            const std::string key = "tensor_maps." + entry.key;
            claim(entry.line, key, entry.key);
            onlyKnown(entry.value, key,
                {"tensor", "dims", "box", "strides", "element_strides", "swizzle", "interleave",
                    "l2", "oob"});
            TensorMapSpec map;
            map.name = entry.key;
            map.line = entry.line;
            map.tensor = text(entry.value, key, "tensor");
            map.dims = extents(entry.value, key, "dims", true, 5);
            map.box = extents(entry.value, key, "box", true, 5);
            map.strides = extents(entry.value, key, "strides", false, 4);
            map.elementStrides = extents(entry.value, key, "element_strides", false, 5);
            map.swizzle = choice(entry.value, key, "swizzle", {"none", "32B", "64B", "128B"});
            map.interleave = choice(entry.value, key, "interleave", {"none", "16B", "32B"});
            map.l2 = choice(entry.value, key, "l2", {"none", "64B", "128B", "256B"});
            map.oob = choice(entry.value, key, "oob", {"zero", "nan"});
            if (map.box.size() != map.dims.size())
                fail(entry.line, key + ".box", "must have as many entries as dims.");
            if (!map.strides.empty() && map.strides.size() + 1 != map.dims.size())
                fail(entry.line, key + ".strides",
                    "must have one entry fewer than dims: the innermost is dense.");
            if (!map.elementStrides.empty() && map.elementStrides.size() != map.dims.size())
                fail(entry.line, key + ".element_strides", "must have as many entries as dims.");
            plan.tensorMaps.push_back(std::move(map));
        }
        plan.hasTensorMaps = !plan.tensorMaps.empty();
    }

    void readOptions(const LocatedJson &root, Plan &plan)
    {
        const LocatedJson *options = list(root, "options", false);
        for (std::size_t i = 0; options && i < options->items.size(); ++i) {
            const LocatedJson &option = options->items[i];
            if (!option.is(Kind::String))
                wrongKind(option, indexed("options", i), "a text");
            else if (const std::string problem = optionProblem(option.text); !problem.empty())
                fail(option.line, indexed("options", i), problem);
            plan.options.push_back(option.text);
        }
    }

    void readLaunches(const LocatedJson &root, Plan &plan)
    {
        const LocatedJson *launches = list(root, "launches", true);
        if (!launches)
            return;
        bool anyKernel = false;
        for (std::size_t i = 0; i < launches->items.size(); ++i) {
            const LocatedJson &step = launches->items[i];
            const std::string path = indexed("launches", i);
            if (step.find("memset")) {
                plan.steps.push_back(memsetStep(step, path));
            } else {
                plan.steps.push_back(kernelStep(step, path));
                anyKernel = true;
            }
        }
        if (!anyKernel || launches->items.size() > MaxSteps)
            fail(launches->line, "launches",
                "must have at least one kernel and at most " + std::to_string(MaxSteps)
                    + " steps.");
    }

    MemsetStep memsetStep(const LocatedJson &step, const std::string &path)
    {
        onlyKnown(step, path, {"memset", "value"});
        MemsetStep memset;
        memset.target = text(step, path, "memset");
        memset.line = step.line;
        const LocatedJson *value = step.find("value");
        memset.value = value ? expression(*value, path + ".value") : PlanExpression{"0", step.line};
        return memset;
    }

    KernelStep kernelStep(const LocatedJson &step, const std::string &path)
    {
        onlyKnown(step, path,
            {"kernel", "grid", "block", "shared", "args", "cluster", "cooperative", "pdl",
                "carveout"});
        KernelStep kernel;
        kernel.line = step.line;
        kernel.kernel = text(step, path, "kernel");
        const bool control = std::any_of(kernel.kernel.begin(), kernel.kernel.end(),
            [](unsigned char c) { return std::iscntrl(c) || c == ';' || c == '{' || c == '#'; });
        if (control || kernel.kernel.size() > 500)
            fail(step.find("kernel")->line, path + ".kernel",
                "must be a kernel's name or a template instantiation such as \"softmax<256>\".");
        kernel.grid = extents(step, path, "grid", true, 3);
        kernel.block = extents(step, path, "block", true, 3);
        kernel.cluster = extents(step, path, "cluster", false, 3);
        if (const LocatedJson *shared = step.find("shared"))
            kernel.shared = expression(*shared, path + ".shared");
        kernel.cooperative = flag(step, path, "cooperative");
        kernel.pdl = flag(step, path, "pdl");
        if (const LocatedJson *carveout = step.find("carveout")) {
            const double value = carveout->number;
            if (!carveout->is(Kind::Number) || std::trunc(value) != value || value < -1
                || value > 100)
                fail(carveout->line, path + ".carveout",
                    "must be a whole number from 0 to 100 (percent), or -1 for the default.");
            else
                kernel.carveout = static_cast<int>(value);
        }
        const LocatedJson *args = list(step, "args", true, path);
        if (args && args->items.size() > MaxArgs)
            fail(args->line, path + ".args", "has more than 128 entries.");
        for (std::size_t i = 0; args && i < args->items.size(); ++i)
            kernel.args.push_back(argument(args->items[i], indexed(path + ".args", i)));
        return kernel;
    }

    PlanArgument argument(const LocatedJson &value, const std::string &key)
    {
        if (!value.is(Kind::Object))
            return {expression(value, key), {}};
        if (value.members.size() != 1) {
            fail(value.line, key, "must have exactly one type, as in {\"f32\": \"1.0/cols\"}.");
            return {};
        }
        const LocatedJson::Member &typed = value.members.front();
        if (!dtypeFromName(typed.key) && typed.key != "tensor_map")
            fail(typed.line, key,
                "\"" + typed.key
                    + "\" is no argument type. Known are i32, u32, i64, u64, f32, f64, "
                      "f16, bf16, i16, u16, i8, u8, bool and tensor_map.");
        return {expression(typed.value, key + "." + typed.key), typed.key};
    }

    std::set<std::string> m_names;
};
} // namespace

std::variant<Plan, PlanError> parsePlan(const std::string &source)
{
    const auto found = findPlan(source);
    if (const auto *error = std::get_if<PlanError>(&found))
        return *error;
    const PlanText &text = std::get<PlanText>(found);
    const auto json = parseLocatedJson(text.json, text.line);
    Parser parser;
    Plan plan;
    if (const auto *error = std::get_if<JsonSyntaxError>(&json))
        parser.fail(error->line, "plan",
            "the plan is no JSON: column " + std::to_string(error->column) + ": " + error->message
                + ".");
    else
        plan = parser.parse(std::get<LocatedJson>(json));
    if (parser.error)
        return *parser.error;
    return plan;
}

} // namespace gpu
