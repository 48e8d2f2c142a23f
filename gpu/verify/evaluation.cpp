#include "gpu/verify/evaluation.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace gpu {

using nlohmann::json;

namespace {

json number(double value)
{
    return std::isfinite(value) ? json(value) : json(nullptr);
}

/// A missing key gives the fallback; null is how a non-finite number travels.
double numberAt(const json &object, const char *key, double fallback = 0)
{
    const auto it = object.find(key);
    if (it == object.end())
        return fallback;
    if (it->is_null())
        return std::numeric_limits<double>::quiet_NaN();
    return it->is_number() ? it->get<double>() : fallback;
}

int intAt(const json &object, const char *key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_number() ? it->get<int>() : 0;
}

std::uint64_t unsignedAt(const json &object, const char *key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_number() ? it->get<std::uint64_t>() : 0;
}

std::string textAt(const json &object, const char *key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

bool boolAt(const json &object, const char *key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_boolean() && it->get<bool>();
}

/// The value at `key` if it has that type, else an empty one.
json partAt(const json &object, const char *key, json::value_t type)
{
    const auto it = object.find(key);
    return it != object.end() && it->type() == type ? *it : json(type);
}

template <class T> std::vector<T> integersAt(const json &object, const char *key)
{
    std::vector<T> values;
    for (const json &value : partAt(object, key, json::value_t::array))
        if (value.is_number())
            values.push_back(value.get<T>());
    return values;
}

json toJson(const std::map<std::string, double> &values)
{
    json object = json::object();
    for (const auto &[key, value] : values)
        object[key] = number(value);
    return object;
}

std::map<std::string, double> numbersAt(const json &object, const char *key)
{
    const json part = partAt(object, key, json::value_t::object);
    std::map<std::string, double> values;
    for (const auto &item : part.items())
        values[item.key()] = numberAt(part, item.key().c_str());
    return values;
}

json toJson(const TimeStatistics &time)
{
    json samples = json::array();
    for (const double sample : time.samplesUs)
        samples.push_back(number(sample));
    return {{"median", number(time.medianUs)}, {"low", number(time.lowUs)},
        {"high", number(time.highUs)}, {"min", number(time.minUs)}, {"samples", samples},
        {"graph_replay", time.graphReplay}};
}

TimeStatistics timeFromJson(const json &object)
{
    TimeStatistics time;
    time.medianUs = numberAt(object, "median");
    time.lowUs = numberAt(object, "low");
    time.highUs = numberAt(object, "high");
    time.minUs = numberAt(object, "min");
    for (const json &sample : partAt(object, "samples", json::value_t::array))
        time.samplesUs.push_back(
            sample.is_number() ? sample.get<double>() : std::numeric_limits<double>::quiet_NaN());
    time.graphReplay = boolAt(object, "graph_replay");
    return time;
}

json toJson(const CheckResult &check)
{
    json object = {{"size", check.size}, {"distribution", check.distribution},
        {"passed", check.passed}, {"error", number(check.error)}, {"class", check.precisionClass}};
    if (!check.message.empty())
        object["message"] = check.message;
    return object;
}

/// design §8 shows one object, so registers, shared memory and spills are summed up as the largest
/// over the kernels; `kernels` has each.
json toJson(const std::vector<KernelResources> &resources)
{
    int registers = 0, shared = 0, spills = 0;
    json kernels = json::array();
    for (const KernelResources &kernel : resources) {
        registers = std::max(registers, kernel.registers);
        shared = std::max(shared, kernel.sharedBytes);
        spills = std::max(spills, kernel.spillStoreBytes + kernel.spillLoadBytes);
        kernels.push_back({{"kernel", kernel.kernel}, {"registers", kernel.registers},
            {"shared_bytes", kernel.sharedBytes}, {"local_bytes", kernel.localBytes},
            {"spill_store_bytes", kernel.spillStoreBytes},
            {"spill_load_bytes", kernel.spillLoadBytes}});
    }
    return {{"registers", registers}, {"shared_bytes", shared}, {"spill_bytes", spills},
        {"kernels", kernels}};
}

std::vector<KernelResources> resourcesFromJson(const json &object)
{
    std::vector<KernelResources> resources;
    for (const json &kernel : partAt(object, "kernels", json::value_t::array)) {
        resources.push_back({textAt(kernel, "kernel"), intAt(kernel, "registers"),
            intAt(kernel, "shared_bytes"), intAt(kernel, "local_bytes"),
            intAt(kernel, "spill_store_bytes"), intAt(kernel, "spill_load_bytes")});
    }
    return resources;
}

json toJson(const Diagnostic &diagnostic)
{
    return {{"severity", diagnostic.severity}, {"line", diagnostic.line},
        {"column", diagnostic.column}, {"text", diagnostic.text}};
}

} // namespace

json toJson(const Evaluation &e)
{
    json object = {{"verdict", name(e.verdict)}, {"message", e.message}, {"problem", e.problem},
        {"device", {{"kind", e.deviceKind}, {"name", e.deviceName}}}, {"size", e.size},
        {"seed", e.seed}, {"floor_us", number(e.floorUs)},
        {"time_us", e.time ? toJson(*e.time) : json(nullptr)},
        {"precision",
            {{"class", e.precision.precisionClass}, {"error", number(e.precision.error)},
                {"yardsticks", toJson(e.precision.yardsticks)},
                {"allclose_1e-4", e.precision.allclose1e4},
                {"allclose_1e-2", e.precision.allclose1e2}}},
        {"compile_ms", number(e.compileMs)}, {"resources", toJson(e.resources)},
        {"compile_log", e.compileLog}, {"tunables", toJson(e.tunables)}};
    object["checks"] = json::array();
    for (const CheckResult &check : e.checks)
        object["checks"].push_back(toJson(check));
    object["diagnostics"] = json::array();
    for (const Diagnostic &diagnostic : e.diagnostics)
        object["diagnostics"].push_back(toJson(diagnostic));
    if (e.wrong) {
        object["wrong"] = {{"tensor", e.wrong->tensor}, {"index", e.wrong->index},
            {"wanted", number(e.wrong->wanted)}, {"got", number(e.wrong->got)}};
    }
    if (e.fault) {
        object["fault"] = {{"kernel", e.fault->kernel}, {"block", e.fault->block},
            {"thread", e.fault->thread}, {"line", e.fault->line}, {"address", e.fault->address}};
    }
    return object;
}

Evaluation evaluationFromJson(const json &object)
{
    Evaluation e;
    if (!object.is_object()) {
        e.message = "The worker's evaluation is not a JSON object.";
        return e;
    }
    e.verdict = verdictFromName(textAt(object, "verdict")).value_or(Verdict::EnvironmentError);
    e.message = textAt(object, "message");
    e.problem = textAt(object, "problem");
    const json device = partAt(object, "device", json::value_t::object);
    e.deviceKind = textAt(device, "kind");
    e.deviceName = textAt(device, "name");
    e.size = textAt(object, "size");
    e.seed = unsignedAt(object, "seed");
    e.floorUs = numberAt(object, "floor_us");
    if (const auto it = object.find("time_us"); it != object.end() && it->is_object())
        e.time = timeFromJson(*it);
    const json precision = partAt(object, "precision", json::value_t::object);
    e.precision.precisionClass = textAt(precision, "class");
    e.precision.error = numberAt(precision, "error");
    e.precision.yardsticks = numbersAt(precision, "yardsticks");
    e.precision.allclose1e4 = boolAt(precision, "allclose_1e-4");
    e.precision.allclose1e2 = boolAt(precision, "allclose_1e-2");
    for (const json &check : partAt(object, "checks", json::value_t::array)) {
        e.checks.push_back(
            {textAt(check, "size"), textAt(check, "distribution"), boolAt(check, "passed"),
                numberAt(check, "error"), textAt(check, "class"), textAt(check, "message")});
    }
    if (const auto it = object.find("wrong"); it != object.end() && it->is_object()) {
        e.wrong = WrongElement{textAt(*it, "tensor"), integersAt<std::int64_t>(*it, "index"),
            numberAt(*it, "wanted"), numberAt(*it, "got")};
    }
    if (const auto it = object.find("fault"); it != object.end() && it->is_object()) {
        e.fault = FaultLocation{textAt(*it, "kernel"), integersAt<std::uint32_t>(*it, "block"),
            integersAt<std::uint32_t>(*it, "thread"), intAt(*it, "line"),
            unsignedAt(*it, "address")};
    }
    e.compileMs = numberAt(object, "compile_ms");
    e.resources = resourcesFromJson(partAt(object, "resources", json::value_t::object));
    for (const json &item : partAt(object, "diagnostics", json::value_t::array)) {
        e.diagnostics.push_back({textAt(item, "severity"), intAt(item, "line"),
            intAt(item, "column"), textAt(item, "text")});
    }
    e.compileLog = textAt(object, "compile_log");
    e.tunables = numbersAt(object, "tunables");
    return e;
}

} // namespace gpu
