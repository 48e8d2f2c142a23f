#include "gpu/problem/problem.h"

#include "gpu/base/files.h"
#include "gpu/base/identifier.h"
#include "gpu/base/locatedjson.h"
#include "gpu/problem/expression.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace gpu {

namespace {
using Kind = LocatedJson::Kind;

constexpr std::array PrecisionClasses = {"fp32", "tf32", "bf16", "fp16"};
constexpr std::array RequiredSizes = {"full", "small", "odd"};
constexpr std::size_t MaxRank = 8;

/// Reads problem.json strictly. The first error ends the reading: `m_error` is then not empty.
class Reader {
public:
    Reader(std::string file, bool withSources)
        : m_file(std::move(file))
        , m_withSources(withSources)
    {
    }

    Result<Problem> read(const LocatedJson &root)
    {
        Problem problem;
        if (!root.is(Kind::Object))
            return callerError(
                m_file + ": a problem is an object, not " + std::string(root.kindText()) + ".");
        std::vector<std::string> known = {"id", "title", "description", "dims", "sizes", "inputs",
            "outputs", "distributions", "work", "precision"};
        if (m_withSources)
            known.insert(known.end(), {"oracle", "seed"});
        onlyKnown(root, "", known);
        problem.id = text(root, "", "id");
        problem.title = text(root, "", "title");
        problem.description = text(root, "", "description");
        readDims(root, problem);
        readSizes(root, problem);
        problem.inputs = readTensors(root, "inputs", true);
        problem.outputs = readTensors(root, "outputs", false);
        readDistributions(root, problem);
        readWork(root, problem);
        problem.precision = text(root, "", "precision");
        if (m_withSources) {
            problem.oracleSource = text(root, "", "oracle");
            problem.seedSource = text(root, "", "seed");
        }
        if (m_error.empty())
            check(root, problem);
        if (!m_error.empty())
            return callerError(m_error);
        return problem;
    }

private:
    void fail(int line, const std::string &key, const std::string &message)
    {
        if (!m_error.empty())
            return;
        m_error = m_file + (m_withSources ? "" : ", line " + std::to_string(line));
        m_error += (key.empty() ? "" : ", key \"" + key + "\"") + ": " + message;
    }

    void onlyKnown(
        const LocatedJson &object, const std::string &path, const std::vector<std::string> &known)
    {
        for (const LocatedJson::Member &member : object.members) {
            if (std::find(known.begin(), known.end(), member.key) != known.end())
                continue;
            const std::string near = nearestName(member.key, known);
            fail(member.line, path + member.key,
                near.empty() ? "unknown key. Known are " + listed(known) + "."
                             : "unknown key. Did you mean \"" + near + "\"?");
        }
    }

    /// A required member of a kind; an empty value of that kind where it is missing or wrong.
    const LocatedJson &member(
        const LocatedJson &object, const std::string &path, const std::string &key, Kind kind)
    {
        static const LocatedJson nothing;
        const LocatedJson *found = object.find(key);
        LocatedJson wanted;
        wanted.kind = kind;
        if (!found)
            fail(object.line, path + key,
                "missing. It is required and is " + std::string(wanted.kindText()) + ".");
        else if (found->kind != kind)
            fail(found->line, path + key,
                "is " + std::string(found->kindText()) + " and must be "
                    + std::string(wanted.kindText()) + ".");
        return found && found->kind == kind ? *found : nothing;
    }

    std::string text(const LocatedJson &object, const std::string &path, const std::string &key)
    {
        const LocatedJson &value = member(object, path, key, Kind::String);
        if (value.is(Kind::String) && value.text.find_first_not_of(" \n\t") == std::string::npos)
            fail(value.line, path + key, "is empty.");
        return value.text;
    }

    /// An integer or an expression, as text.
    std::string expression(const LocatedJson &value, const std::string &path)
    {
        if (!value.is(Kind::String) && !value.is(Kind::Number))
            fail(value.line, path,
                "is " + std::string(value.kindText()) + " and must be a number or an expression.");
        return value.text;
    }

    void checkName(int line, const std::string &path, const std::string &name)
    {
        if (!isCppIdentifier(name))
            fail(line, path,
                "\"" + name + "\" must be a C++ identifier and no keyword: the code sees it so.");
        else if (isReservedInExpressions(name))
            fail(line, path, "\"" + name + "\" is a function or device fact of expressions.");
        else if (!m_names.insert(name).second)
            fail(line, path, "the name \"" + name + "\" is used twice.");
    }

    void readDims(const LocatedJson &root, Problem &problem)
    {
        // The wire form is a list of pairs: JSON objects lose their order in many programs.
        const LocatedJson *dims = root.find("dims");
        if (dims && dims->is(Kind::Array)) {
            for (const LocatedJson &pair : dims->items) {
                if (pair.items.size() != 2 || !pair.items[0].is(Kind::String))
                    return fail(pair.line, "dims", "a list of dims holds pairs [name, value].");
                addDim(pair.line, pair.items[0].text, pair.items[1], problem);
            }
        } else {
            for (const LocatedJson::Member &dim : member(root, "", "dims", Kind::Object).members)
                addDim(dim.line, dim.key, dim.value, problem);
        }
        if (problem.dims.empty())
            fail(dims ? dims->line : root.line, "dims", "a problem has at least one dim.");
    }

    void addDim(int line, const std::string &name, const LocatedJson &value, Problem &problem)
    {
        checkName(line, "dims." + name, name);
        problem.dims.emplace_back(name, expression(value, "dims." + name));
    }

    void readSizes(const LocatedJson &root, Problem &problem)
    {
        for (const LocatedJson::Member &size : member(root, "", "sizes", Kind::Object).members) {
            const std::string path = "sizes." + size.key;
            if (!size.value.is(Kind::Object))
                fail(size.line, path, "must be an object of dims and their values.");
            std::map<std::string, std::int64_t> &values = problem.sizes[size.key];
            for (const LocatedJson::Member &dim : size.value.members) {
                const bool known = std::any_of(problem.dims.begin(), problem.dims.end(),
                    [&dim](const auto &entry) { return entry.first == dim.key; });
                const double number = dim.value.number;
                if (!known)
                    fail(dim.line, path + "." + dim.key, "there is no such dim.");
                else if (!dim.value.is(Kind::Number) || std::trunc(number) != number
                    || std::fabs(number) > 1e15)
                    fail(dim.line, path + "." + dim.key, "must be a whole number.");
                else
                    values[dim.key] = static_cast<std::int64_t>(number);
            }
        }
        for (const char *required : RequiredSizes)
            if (!problem.sizes.count(required))
                fail(root.line, std::string("sizes.") + required,
                    "missing. full, small (for the CPU device) and odd (for generality) are "
                    "required; {} means that no dim changes.");
    }

    std::vector<TensorSpec> readTensors(
        const LocatedJson &root, const std::string &key, bool inputs)
    {
        std::vector<TensorSpec> tensors;
        const LocatedJson &list = member(root, "", key, Kind::Array);
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            const LocatedJson &entry = list.items[i];
            const std::string path = key + "[" + std::to_string(i) + "].";
            if (!entry.is(Kind::Object)) {
                fail(entry.line, path, "must be an object with name, dtype and shape.");
                break;
            }
            std::vector<std::string> known = {"name", "dtype", "shape"};
            if (inputs)
                known.push_back("role");
            onlyKnown(entry, path, known);
            TensorSpec tensor;
            tensor.name = text(entry, path, "name");
            if (m_error.empty())
                checkName(entry.line, path + "name", tensor.name);
            const std::string dtype = text(entry, path, "dtype");
            if (const std::optional<DType> type = dtypeFromName(dtype))
                tensor.dtype = *type;
            else
                fail(entry.line, path + "dtype",
                    "\"" + dtype
                        + "\" is no element type. Known are f64, f32, f16, bf16, i64, i32, "
                          "i16, i8, u64, u32, u16, u8 and bool.");
            const LocatedJson &shape = member(entry, path, "shape", Kind::Array);
            for (const LocatedJson &extent : shape.items)
                tensor.shape.push_back(expression(extent, path + "shape"));
            if (tensor.shape.size() > MaxRank)
                fail(shape.line, path + "shape", "has more than 8 extents.");
            if (const LocatedJson *role = entry.find("role")) {
                if (role->text != "data" && role->text != "parameter")
                    fail(role->line, path + "role", "must be \"data\" or \"parameter\".");
                tensor.parameter = role->text == "parameter";
            }
            tensors.push_back(std::move(tensor));
        }
        if (tensors.empty())
            fail(list.line ? list.line : root.line, key, "must list at least one tensor.");
        return tensors;
    }

    void readDistributions(const LocatedJson &root, Problem &problem)
    {
        const LocatedJson *list = root.find("distributions");
        if (!list)
            return;
        for (const LocatedJson &entry : member(root, "", "distributions", Kind::Array).items) {
            if (!entry.is(Kind::String))
                fail(entry.line, "distributions", "must be a list of names.");
            else if (std::count(
                         problem.distributions.begin(), problem.distributions.end(), entry.text))
                fail(entry.line, "distributions", "\"" + entry.text + "\" stands there twice.");
            problem.distributions.push_back(entry.text);
        }
    }

    void readWork(const LocatedJson &root, Problem &problem)
    {
        const LocatedJson &work = member(root, "", "work", Kind::Object);
        onlyKnown(work, "work.", {"flops", "bytes"});
        for (const char *key : {"flops", "bytes"}) {
            const LocatedJson *value = work.find(key);
            if (!value)
                fail(work.line ? work.line : root.line, std::string("work.") + key,
                    "missing. It is the least amount the operation takes, an expression over dims: "
                    "the speed-of-light floor.");
            else
                (std::string_view(key) == "flops" ? problem.flops : problem.bytes)
                    = expression(*value, std::string("work.") + key);
        }
    }

    /// What needs the whole: expressions are evaluated at every size.
    void check(const LocatedJson &root, const Problem &problem)
    {
        const auto lineOf = [&root](const char *key) { return root.find(key)->line; };
        if (std::find(PrecisionClasses.begin(), PrecisionClasses.end(), problem.precision)
            == PrecisionClasses.end())
            fail(lineOf("precision"), "precision",
                "\"" + problem.precision + "\" must be one of fp32, tf32, bf16 and fp16.");
        if (problem.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.")
                != std::string::npos
            || problem.id[0] == '.')
            fail(lineOf("id"), "id",
                "may have small letters, digits and - _ . only: it becomes part of file names.");
        for (const auto &[size, overrides] : problem.sizes) {
            const Result<Dims> dims = problem.dimsAt(size);
            if (!dims)
                return fail(lineOf("dims"), "dims", dims.error().message);
            Variables variables(dims->begin(), dims->end());
            for (const auto *tensors : {&problem.inputs, &problem.outputs}) {
                const char *key = tensors == &problem.inputs ? "inputs" : "outputs";
                for (const TensorSpec &tensor : *tensors)
                    checkShape(tensor, size, variables, key, lineOf(key));
            }
            for (const auto &[key, text] :
                {std::pair("flops", problem.flops), std::pair("bytes", problem.bytes)}) {
                const Result<double> value = evaluate(text, variables);
                if (!value || *value < 0)
                    fail(lineOf("work"), std::string("work.") + key,
                        value ? "is negative at size " + size + "." : value.error().message);
            }
        }
    }

    void checkShape(const TensorSpec &tensor, const std::string &size, const Variables &variables,
        const std::string &key, int line)
    {
        double count = 1;
        for (const std::string &extent : tensor.shape) {
            const Result<std::int64_t> value = evaluateInteger(extent, variables);
            if (!value || *value <= 0)
                return fail(line, key + "." + tensor.name + ".shape",
                    value ? "the extent '" + extent + "' is " + std::to_string(*value) + " at size "
                            + size + "; it must be positive."
                          : value.error().message);
            count *= double(*value);
        }
        if (count * double(sizeInBytes(tensor.dtype)) > 1e13)
            fail(line, key + "." + tensor.name + ".shape", "is above 10 TB at size " + size + ".");
    }

    std::string m_file;
    bool m_withSources;
    std::set<std::string> m_names;
    std::string m_error;
};

Result<Problem> parseProblem(const std::string &text, const std::string &file, bool withSources)
{
    const auto parsed = parseLocatedJson(text);
    if (const auto *error = std::get_if<JsonSyntaxError>(&parsed))
        return callerError(file + ", line " + std::to_string(error->line) + ", column "
            + std::to_string(error->column) + ": " + error->message + ".");
    return Reader(file, withSources).read(std::get<LocatedJson>(parsed));
}
} // namespace

Result<Dims> Problem::dimsAt(const std::string &size) const
{
    const auto overrides = sizes.find(size);
    if (overrides == sizes.end()) {
        std::vector<std::string> names;
        for (const auto &[name, values] : sizes)
            names.push_back(name);
        return callerError(
            "Problem " + id + " has no size \"" + size + "\". It has " + listed(names) + ".");
    }
    Dims result;
    Variables variables;
    for (const auto &[name, expression] : dims) {
        const auto override = overrides->second.find(name);
        std::int64_t value = 0;
        if (override != overrides->second.end()) {
            value = override->second;
        } else {
            const Result<std::int64_t> evaluated = evaluateInteger(expression, variables);
            if (!evaluated)
                return callerError("The dim " + name + ": " + evaluated.error().message);
            value = *evaluated;
        }
        if (value <= 0)
            return callerError("The dim " + name + " is " + std::to_string(value) + " at size "
                + size + "; dims are positive.");
        result.emplace_back(name, value);
        variables[name] = double(value);
    }
    return result;
}

Result<Problem> loadProblem(const std::filesystem::path &folder)
{
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        return callerError("There is no problem folder " + folder.string()
            + ". A problem is a folder with problem.json, oracle.cu and seed.cu.");
    const std::filesystem::path file = folder / "problem.json";
    const Result<std::string> json = readFile(file);
    if (!json)
        return json.error();
    Result<Problem> problem = parseProblem(normalizedText(*json), file.string(), false);
    if (!problem)
        return problem;
    for (auto [name, source] : {std::pair("oracle.cu", &problem->oracleSource),
             std::pair("seed.cu", &problem->seedSource)}) {
        Result<std::string> text = readFile(folder / name);
        if (!text)
            return text.error();
        *source = normalizedText(std::move(*text));
    }
    return problem;
}

nlohmann::json toJson(const Problem &problem)
{
    nlohmann::json dims = nlohmann::json::array();
    for (const auto &[name, value] : problem.dims)
        dims.push_back({name, value});
    const auto tensors = [](const std::vector<TensorSpec> &list, bool inputs) {
        nlohmann::json result = nlohmann::json::array();
        for (const TensorSpec &tensor : list) {
            nlohmann::json entry = {{"name", tensor.name},
                {"dtype", std::string(name(tensor.dtype))}, {"shape", tensor.shape}};
            if (inputs)
                entry["role"] = tensor.parameter ? "parameter" : "data";
            result.push_back(std::move(entry));
        }
        return result;
    };
    return {{"id", problem.id}, {"title", problem.title}, {"description", problem.description},
        {"dims", std::move(dims)}, {"sizes", problem.sizes},
        {"inputs", tensors(problem.inputs, true)}, {"outputs", tensors(problem.outputs, false)},
        {"distributions", problem.distributions},
        {"work", {{"flops", problem.flops}, {"bytes", problem.bytes}}},
        {"precision", problem.precision}, {"oracle", problem.oracleSource},
        {"seed", problem.seedSource}};
}

Result<Problem> problemFromJson(const nlohmann::json &json)
{
    return parseProblem(
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "problem", true);
}

} // namespace gpu
