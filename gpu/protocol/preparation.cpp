#include "gpu/protocol/preparation.h"

#include "gpu/protocol/message.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gpu {

using nlohmann::json;

namespace {

constexpr char Digits[] = "0123456789abcdef";

std::string toHex(const std::string &bytes)
{
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        text += Digits[static_cast<unsigned char>(c) >> 4];
        text += Digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

std::string fromHex(const std::string &text)
{
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
    return bytes;
}

json arrayAt(const json &object, const char *key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_array() ? *it : json::array();
}

} // namespace

std::variant<PreparedSource, PlanError, Error> prepareSource(const std::string &source,
    const Problem &problem, const std::string &size, const std::optional<TunablePoint> &point,
    const DeviceFacts &device)
{
    const Result<Dims> dims = problem.dimsAt(size);
    if (!dims)
        return dims.error();
    auto parsed = parsePlan(source);
    if (const auto *error = std::get_if<PlanError>(&parsed))
        return *error;
    const Plan &plan = std::get<Plan>(parsed);
    TunablePoint tunables;
    if (point && !point->empty()) {
        tunables = *point;
    } else {
        auto standard = defaultPoint(plan, *dims, device.limits);
        if (const auto *error = std::get_if<PlanError>(&standard))
            return *error;
        tunables = std::get<TunablePoint>(standard);
    }
    auto resolved = resolve(plan, problem, *dims, tunables, device.limits);
    if (const auto *error = std::get_if<PlanError>(&resolved))
        return *error;

    PreparedSource prepared;
    prepared.plan = std::move(std::get<ResolvedPlan>(resolved));
    prepared.request.source = source;
    prepared.request.dims = *dims;
    prepared.request.tunables = tunables;
    prepared.request.options = plan.options;
    prepared.request.architecture = device.architecture;
    for (const auto &step : prepared.plan.steps) {
        const auto *kernel = std::get_if<ResolvedKernel>(&step);
        std::vector<std::string> &kernels = prepared.request.kernels;
        if (kernel && std::find(kernels.begin(), kernels.end(), kernel->kernel) == kernels.end())
            kernels.push_back(kernel->kernel);
    }
    return prepared;
}

std::optional<PlanError> checkPlan(const ResolvedPlan &plan, const CompileOutput &code)
{
    for (const auto &step : plan.steps) {
        const auto *launch = std::get_if<ResolvedKernel>(&step);
        if (!launch)
            continue;
        for (const CompiledKernel &kernel : code.kernels) {
            if (kernel.expression != launch->kernel || kernel.parameterBytes.empty())
                continue;
            if (auto error = checkArguments(*launch, kernel.parameterBytes))
                return error;
        }
    }
    return std::nullopt;
}

std::vector<std::string> checkedSizes(const std::string &requested)
{
    if (requested == "odd")
        return {"odd"};
    return {requested, "odd"};
}

std::string defaultSize(const DeviceFacts &device)
{
    return device.kind == "cpu" ? "small" : "full";
}

json toJson(const CompileOutput &code)
{
    json kernels = json::array();
    for (const CompiledKernel &kernel : code.kernels)
        kernels.push_back({{"expression", kernel.expression}, {"lowered", kernel.loweredName},
            {"parameters", kernel.parameterBytes}});
    return {{"ptx", code.ptx}, {"cubin", toHex(code.cubin)}, {"kernels", kernels}};
}

CompileOutput codeFromJson(const json &object)
{
    CompileOutput code;
    code.ok = true;
    code.ptx = textAt(object, "ptx");
    code.cubin = fromHex(textAt(object, "cubin"));
    for (const json &kernel : arrayAt(object, "kernels")) {
        CompiledKernel compiled{textAt(kernel, "expression"), textAt(kernel, "lowered"), {}};
        for (const json &bytes : arrayAt(kernel, "parameters"))
            if (bytes.is_number_unsigned())
                compiled.parameterBytes.push_back(bytes.get<std::size_t>());
        code.kernels.push_back(std::move(compiled));
    }
    return code;
}

DeviceFacts deviceFactsFromJson(const json &object)
{
    DeviceFacts facts;
    facts.kind = textAt(object, "kind");
    facts.id = textAt(object, "id");
    facts.name = textAt(object, "name");
    facts.architecture = textAt(object, "architecture");
    facts.limits.smCount = static_cast<int>(integerAt(object, "sm_count", 1));
    facts.limits.maxSharedBytes = static_cast<int>(integerAt(object, "max_shared", 49152));
    facts.memoryBytes = static_cast<std::uint64_t>(integerAt(object, "memory_bytes"));
    const auto rate = [&](const char *key) {
        const auto it = object.find(key);
        return it != object.end() && it->is_number() ? it->get<double>() : 0.0;
    };
    facts.peakBytesPerSecond = rate("peak_bytes_per_second");
    facts.peakFlopsPerSecond = rate("peak_flops_per_second");
    return facts;
}

TunablePoint pointFromJson(const json &object)
{
    TunablePoint point;
    if (object.is_object())
        for (const auto &item : object.items())
            if (item.value().is_number())
                point[item.key()] = item.value().get<double>();
    return point;
}

} // namespace gpu
