#include "gpu/base/identifier.h"
#include "gpu/candidate/plan.h"
#include "gpu/candidate/scope.h"

#include <algorithm>
#include <array>

namespace gpu {

namespace {
constexpr double MaxGridX = 2147483647, MaxGridYZ = 65535;
constexpr double MaxBlockXY = 1024, MaxBlockZ = 64;
constexpr std::uint64_t MaxClusterBlocks = 16; // above 8 is not portable
constexpr double MaxScratchBytes = 1e12;
constexpr std::size_t MaxPoints = 1000000;

class Resolver {
public:
    Resolver(const Plan &plan, const Problem &problem, const Dims &dims, const TunablePoint &point,
        const DeviceLimits &limits)
        : m_plan(plan)
        , m_problem(problem)
        , m_limits(limits)
        , m_scope(plan, dims, point, limits)
    {
    }

    std::variant<ResolvedPlan, PlanError> resolve()
    {
        checkNames();
        for (std::size_t i = 0; i < m_plan.where.size(); ++i)
            if (m_scope.number(m_plan.where[i], "where[" + std::to_string(i) + "]") == 0)
                m_scope.fail(m_plan.where[i].line, "where[" + std::to_string(i) + "]",
                    "'" + m_plan.where[i].text + "' does not hold for these tunables and dims.");
        ResolvedPlan result;
        for (const ScratchSpec &scratch : m_plan.scratch)
            result.scratch.push_back(resolveScratch(scratch));
        for (const TensorMapSpec &map : m_plan.tensorMaps)
            if (const std::optional<DType> type = bufferType(map.tensor))
                result.tensorMaps.push_back(resolveTensorMap(m_scope, map, *type));
            else
                m_scope.fail(map.line, "tensor_maps." + map.name + ".tensor",
                    "there is no tensor or scratch \"" + map.tensor + "\"." + known());
        for (std::size_t i = 0; i < m_plan.steps.size(); ++i) {
            const std::string key = "launches[" + std::to_string(i) + "]";
            if (const auto *kernel = std::get_if<KernelStep>(&m_plan.steps[i]))
                result.steps.push_back(resolveKernel(*kernel, key));
            else
                result.steps.push_back(resolveMemset(std::get<MemsetStep>(m_plan.steps[i]), key));
        }
        if (m_scope.error())
            return *m_scope.error();
        return result;
    }

private:
    void checkNames()
    {
        std::vector<std::string> tensors;
        for (const auto *list : {&m_problem.inputs, &m_problem.outputs})
            for (const TensorSpec &tensor : *list)
                tensors.push_back(tensor.name);
        const auto clash = [&](const std::string &name, bool number) {
            return std::find(tensors.begin(), tensors.end(), name) != tensors.end()
                || (!number && m_scope.isNumber(name));
        };
        for (const ScratchSpec &scratch : m_plan.scratch)
            if (clash(scratch.name, false))
                m_scope.fail(scratch.count.line, "scratch." + scratch.name,
                    "a tensor or dim of the problem has the same name.");
        for (const TensorMapSpec &map : m_plan.tensorMaps)
            if (clash(map.name, false))
                m_scope.fail(map.line, "tensor_maps." + map.name,
                    "a tensor or dim of the problem has the same name.");
        for (const auto &[name, expression] : m_plan.let)
            if (clash(name, true))
                m_scope.fail(
                    expression.line, "let." + name, "a tensor of the problem has the same name.");
        for (const auto &[name, values] : m_plan.tunables)
            if (clash(name, true))
                m_scope.fail(1, "tunables." + name, "a tensor of the problem has the same name.");
    }

    std::optional<DType> bufferType(const std::string &name) const
    {
        for (const auto *list : {&m_problem.inputs, &m_problem.outputs})
            for (const TensorSpec &tensor : *list)
                if (tensor.name == name)
                    return tensor.dtype;
        for (const ScratchSpec &scratch : m_plan.scratch)
            if (scratch.name == name)
                return scratch.dtype;
        return std::nullopt;
    }

    bool isTensorMap(const std::string &name) const
    {
        return std::any_of(m_plan.tensorMaps.begin(), m_plan.tensorMaps.end(),
            [&name](const TensorMapSpec &map) { return map.name == name; });
    }

    std::string known() const
    {
        std::string text = " Tensors are";
        for (const auto *list : {&m_problem.inputs, &m_problem.outputs})
            for (const TensorSpec &tensor : *list)
                text += " " + tensor.name;
        for (const ScratchSpec &scratch : m_plan.scratch)
            text += " " + scratch.name;
        return text + ".";
    }

    ResolvedScratch resolveScratch(const ScratchSpec &scratch)
    {
        const std::string key = "scratch." + scratch.name;
        ResolvedScratch result{scratch.name, scratch.dtype, 0, std::nullopt};
        result.count = m_scope.integerIn(scratch.count, key + ".count", 1,
            MaxScratchBytes / double(sizeInBytes(scratch.dtype)), "the number of elements");
        if (scratch.init) {
            encodeScalar(m_scope, *scratch.init, key + ".init", scratch.dtype);
            result.init = m_scope.number(*scratch.init, key + ".init");
        }
        return result;
    }

    Dim3 extents(const std::vector<PlanExpression> &values, const std::string &key,
        const std::array<double, 3> &most, const std::string &what)
    {
        std::array<std::uint32_t, 3> result = {1, 1, 1};
        for (std::size_t i = 0; i < values.size(); ++i)
            result[i] = static_cast<std::uint32_t>(m_scope.integerIn(
                values[i], key + "[" + std::to_string(i) + "]", 1, most[i], what));
        return {result[0], result[1], result[2]};
    }

    ResolvedKernel resolveKernel(const KernelStep &step, const std::string &key)
    {
        ResolvedKernel result;
        result.kernel = step.kernel;
        result.line = step.line;
        result.cooperative = step.cooperative;
        result.pdl = step.pdl;
        result.carveout = step.carveout;
        result.grid = extents(
            step.grid, key + ".grid", {MaxGridX, MaxGridYZ, MaxGridYZ}, "the number of blocks");
        result.block = extents(step.block, key + ".block", {MaxBlockXY, MaxBlockXY, MaxBlockZ},
            "the number of threads");
        result.cluster = extents(step.cluster, key + ".cluster", {16, 16, 16}, "a cluster extent");
        if (result.block.count() > std::uint64_t(m_limits.maxThreadsPerBlock))
            m_scope.fail(step.block[0].line, key + ".block",
                "has " + std::to_string(result.block.count()) + " threads; the limit is "
                    + std::to_string(m_limits.maxThreadsPerBlock) + ".");
        if (result.cluster.count() > MaxClusterBlocks)
            m_scope.fail(step.cluster[0].line, key + ".cluster",
                "has " + std::to_string(result.cluster.count())
                    + " blocks; the limit is 16 (8 on most devices).");
        if (!m_scope.error()
            && (result.grid.x % result.cluster.x || result.grid.y % result.cluster.y
                || result.grid.z % result.cluster.z))
            m_scope.fail(step.cluster[0].line, key + ".cluster", "does not divide the grid.");
        if (step.shared)
            result.dynamicSharedBytes = static_cast<std::uint32_t>(m_scope.integerIn(*step.shared,
                key + ".shared", 0, m_limits.maxSharedBytes, "dynamic shared memory in bytes"));
        for (std::size_t i = 0; i < step.args.size(); ++i)
            result.args.push_back(
                resolveArgument(step.args[i], key + ".args[" + std::to_string(i) + "]"));
        return result;
    }

    ResolvedKernel::Argument resolveArgument(const PlanArgument &argument, const std::string &key)
    {
        ResolvedKernel::Argument result;
        const std::string &text = argument.value.text;
        if (isTensorMap(text) && (argument.type.empty() || argument.type == "tensor_map")) {
            result.buffer = text;
            result.tensorMap = true;
        } else if (argument.type == "tensor_map") {
            m_scope.fail(argument.value.line, key, "there is no tensor map \"" + text + "\".");
        } else if (bufferType(text)) {
            if (!argument.type.empty())
                m_scope.fail(argument.value.line, key,
                    "\"" + text + "\" is a tensor; pass it without a type.");
            result.buffer = text;
        } else {
            const std::optional<DType> type = dtypeFromName(argument.type);
            result.dtype = type.value_or(DType::I32);
            // A misspelt tensor name gets here as an expression of an unknown name.
            if (isCppIdentifier(text) && !m_scope.isNumber(text))
                m_scope.fail(argument.value.line, key,
                    "there is no tensor, scratch, dim, tunable or let \"" + text + "\"." + known());
            result.bytes = encodeScalar(m_scope, argument.value, key, result.dtype);
        }
        return result;
    }

    ResolvedMemset resolveMemset(const MemsetStep &step, const std::string &key)
    {
        if (!bufferType(step.target))
            m_scope.fail(step.line, key + ".memset",
                "there is no tensor or scratch \"" + step.target + "\"." + known());
        for (const TensorSpec &input : m_problem.inputs)
            if (input.name == step.target)
                m_scope.fail(step.line, key + ".memset", "\"" + step.target + "\" is an input.");
        return {step.target,
            static_cast<std::uint8_t>(
                m_scope.integerIn(step.value, key + ".value", 0, 255, "the value of each byte"))};
    }

    const Plan &m_plan;
    const Problem &m_problem;
    const DeviceLimits &m_limits;
    PlanScope m_scope;
};
} // namespace

std::variant<ResolvedPlan, PlanError> resolve(const Plan &plan, const Problem &problem,
    const Dims &dims, const TunablePoint &point, const DeviceLimits &limits)
{
    return Resolver(plan, problem, dims, point, limits).resolve();
}

std::variant<std::vector<TunablePoint>, PlanError> allowedPoints(
    const Plan &plan, const Dims &dims, const DeviceLimits &limits, std::size_t limit)
{
    std::vector<TunablePoint> points;
    std::vector<std::size_t> indices(plan.tunables.size(), 0);
    for (std::size_t tried = 0; points.size() < limit && tried < MaxPoints; ++tried) {
        TunablePoint point;
        std::size_t which = 0;
        for (const auto &[name, values] : plan.tunables)
            point[name] = values[indices[which++]];
        PlanScope scope(plan, dims, point, limits);
        bool allowed = true;
        for (std::size_t i = 0; i < plan.where.size() && allowed; ++i)
            allowed = scope.number(plan.where[i], "where[" + std::to_string(i) + "]") != 0;
        if (scope.error())
            return *scope.error();
        if (allowed)
            points.push_back(std::move(point));
        // The last tunable runs fastest.
        auto entry = plan.tunables.rbegin();
        std::size_t digit = indices.size();
        for (; entry != plan.tunables.rend(); ++entry) {
            if (++indices[--digit] < entry->second.size())
                break;
            indices[digit] = 0;
        }
        if (entry == plan.tunables.rend())
            break;
    }
    return points;
}

std::variant<TunablePoint, PlanError> defaultPoint(
    const Plan &plan, const Dims &dims, const DeviceLimits &limits)
{
    auto points = allowedPoints(plan, dims, limits, 1);
    if (const auto *error = std::get_if<PlanError>(&points))
        return *error;
    auto &allowed = std::get<std::vector<TunablePoint>>(points);
    if (!allowed.empty())
        return allowed.front();
    const int line = plan.where.empty() ? 1 : plan.where.front().line;
    return PlanError{"where", line,
        "Plan, line " + std::to_string(line)
            + ", key \"where\": no choice of the tunables is allowed at these dims."};
}

std::optional<PlanError> checkArguments(
    const ResolvedKernel &step, const std::vector<std::size_t> &parameterBytes)
{
    const auto error = [&step](const std::string &message) {
        return PlanError{"args", step.line,
            "Plan, line " + std::to_string(step.line) + ", key \"args\": " + message};
    };
    if (step.args.size() != parameterBytes.size())
        return error("the kernel " + step.kernel + " takes " + std::to_string(parameterBytes.size())
            + " parameters, the plan passes " + std::to_string(step.args.size()) + ".");
    for (std::size_t i = 0; i < step.args.size(); ++i) {
        const ResolvedKernel::Argument &argument = step.args[i];
        const std::size_t bytes = argument.tensorMap ? 128
            : argument.buffer.empty()                ? argument.bytes.size()
                                                     : sizeof(std::uint64_t);
        if (bytes != parameterBytes[i])
            return error("parameter " + std::to_string(i) + " of " + step.kernel + " has "
                + std::to_string(parameterBytes[i]) + " bytes, the plan passes "
                + (argument.buffer.empty() ? "a value of type " + std::string(name(argument.dtype))
                                           : "\"" + argument.buffer + "\"")
                + " with " + std::to_string(bytes) + ".");
    }
    return std::nullopt;
}

} // namespace gpu
