#include "gpu/candidate/scope.h"

#include "gpu/ptx/numeric.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpu {

namespace {
/// The least and greatest value of an integer type as far as double is exact.
std::pair<double, double> integerRange(DType type)
{
    switch (type) {
    case DType::I32:
        return {-2147483648.0, 2147483647.0};
    case DType::I16:
        return {-32768, 32767};
    case DType::I8:
        return {-128, 127};
    case DType::U32:
        return {0, 4294967295.0};
    case DType::U16:
        return {0, 65535};
    case DType::U8:
        return {0, 255};
    case DType::Bool:
        return {0, 1};
    case DType::U64:
        return {0, 9007199254740992.0};
    default:
        return {-9007199254740992.0, 9007199254740992.0};
    }
}

double largestFinite(DType type)
{
    switch (type) {
    case DType::F16:
        return 65504;
    case DType::BF16:
        return 3.3895313892515355e38;
    case DType::F32:
        return std::numeric_limits<float>::max();
    default:
        return std::numeric_limits<double>::max();
    }
}
} // namespace

PlanScope::PlanScope(
    const Plan &plan, const Dims &dims, const TunablePoint &point, const DeviceLimits &limits)
{
    m_variables = {{"sm_count", limits.smCount}, {"max_shared", limits.maxSharedBytes},
        {"warp", limits.warpSize}};
    for (const auto &[name, value] : dims) {
        m_variables[name] = double(value);
        m_variables["dim." + name] = double(value);
    }
    for (const auto &[name, values] : plan.tunables) {
        const auto chosen = point.find(name);
        if (m_variables.count(name))
            fail(1, "tunables." + name, "a dim has the same name.");
        else if (chosen == point.end())
            fail(1, "tunables." + name, "the tunable has no value at this point.");
        else if (std::find(values.begin(), values.end(), chosen->second) == values.end())
            fail(1, "tunables." + name,
                "the value " + numberText(chosen->second) + " is none of those the plan declares.");
        else
            m_variables["tune." + name] = m_variables[name] = chosen->second;
    }
    for (const auto &[name, value] : point)
        if (!plan.tunables.count(name))
            fail(1, "tunables." + name, "the plan declares no such tunable.");
    for (const auto &[name, expression] : plan.let) {
        if (m_variables.count(name))
            fail(expression.line, "let." + name, "a dim or tunable has the same name.");
        const double value = number(expression, "let." + name);
        m_variables[name] = value;
    }
}

void PlanScope::fail(int line, const std::string &key, const std::string &message)
{
    if (!m_error)
        m_error = PlanError{
            key, line, "Plan, line " + std::to_string(line) + ", key \"" + key + "\": " + message};
}

double PlanScope::number(const PlanExpression &expression, const std::string &key)
{
    if (m_error)
        return 0;
    const Result<double> value = evaluate(expression.text, m_variables);
    if (!value)
        fail(expression.line, key, value.error().message);
    return value ? *value : 0;
}

std::int64_t PlanScope::integer(const PlanExpression &expression, const std::string &key)
{
    if (m_error)
        return 0;
    const Result<std::int64_t> value = evaluateInteger(expression.text, m_variables);
    if (!value)
        fail(expression.line, key, value.error().message);
    return value ? *value : 0;
}

std::int64_t PlanScope::integerIn(const PlanExpression &expression, const std::string &key,
    double low, double high, const std::string &what)
{
    const std::int64_t value = integer(expression, key);
    if (!m_error && (double(value) < low || double(value) > high))
        fail(expression.line, key,
            "'" + expression.text + "' is " + std::to_string(value) + "; " + what + " must be from "
                + numberText(low) + " to " + numberText(high) + ".");
    return value;
}

std::vector<std::byte> encodeScalar(
    PlanScope &scope, const PlanExpression &expression, const std::string &key, DType type)
{
    std::uint64_t bits = 0;
    if (isFloating(type)) {
        const double value = scope.number(expression, key);
        if (std::fabs(value) > largestFinite(type))
            scope.fail(expression.line, key,
                "'" + expression.text + "' is " + numberText(value) + ", too large for "
                    + std::string(name(type)) + ".");
        const ptx::FloatFormat &format = type == DType::F16 ? ptx::format::F16
            : type == DType::BF16                           ? ptx::format::BF16
            : type == DType::F32                            ? ptx::format::F32
                                                            : ptx::format::F64;
        bits = ptx::encodeFloat(format, value, ptx::Rounding::Rn);
    } else {
        const std::int64_t value = scope.integer(expression, key);
        const auto [low, high] = integerRange(type);
        if (double(value) < low || double(value) > high)
            scope.fail(expression.line, key,
                "'" + expression.text + "' is " + std::to_string(value) + ", outside the range of "
                    + std::string(name(type))
                    + (type == DType::I32
                            ? "; a plain argument is an int, a wide one is {\"i64\": \""
                                + expression.text + "\"}."
                            : "."));
        bits = static_cast<std::uint64_t>(value);
    }
    std::vector<std::byte> bytes(sizeInBytes(type));
    std::memcpy(bytes.data(), &bits, bytes.size());
    return bytes;
}

ResolvedTensorMap resolveTensorMap(PlanScope &scope, const TensorMapSpec &map, DType dtype)
{
    // The rules are those of cuTensorMapEncodeTiled in cuda.h; the driver itself only says "invalid
    // value".
    const std::string key = "tensor_maps." + map.name;
    const auto at = [&key](const char *member, std::size_t i) {
        return key + "." + member + "[" + std::to_string(i) + "]";
    };
    const double elementBytes = double(sizeInBytes(dtype));
    const bool interleaved = map.interleave != "none";
    ResolvedTensorMap result{
        map.name, map.tensor, dtype, {}, {}, {}, {}, map.swizzle, map.interleave, map.l2, map.oob};
    if (dtype == DType::I8 || dtype == DType::I16 || dtype == DType::Bool)
        scope.fail(
            map.line, key, "a tensor map has no element type " + std::string(name(dtype)) + ".");
    if (interleaved && map.dims.size() < 3)
        scope.fail(map.line, key + ".interleave", "needs at least 3 dims.");
    if (map.interleave == "32B" && map.swizzle != "32B")
        scope.fail(map.line, key + ".swizzle", "must be 32B with interleave 32B.");
    if (map.oob == "nan" && !isFloating(dtype))
        scope.fail(map.line, key + ".oob", "nan needs a floating element type.");
    for (std::size_t i = 0; i < map.dims.size(); ++i) {
        result.dims.push_back(static_cast<std::uint64_t>(
            scope.integerIn(map.dims[i], at("dims", i), 1, 4294967296.0, "an extent")));
        result.box.push_back(static_cast<std::uint32_t>(
            scope.integerIn(map.box[i], at("box", i), 1, 256, "a box extent")));
        result.elementStrides.push_back(map.elementStrides.empty()
                ? 1
                : static_cast<std::uint32_t>(scope.integerIn(
                    map.elementStrides[i], at("element_strides", i), 1, 8, "an element stride")));
    }
    if (scope.error())
        return result;
    double dense = elementBytes;
    for (std::size_t i = 0; i + 1 < map.dims.size(); ++i) {
        dense *= double(result.dims[i]);
        const PlanExpression &expression = map.strides.empty() ? map.dims[i] : map.strides[i];
        const double stride = map.strides.empty()
            ? dense
            : double(scope.integerIn(expression, at("strides", i), 1, 1099511627775.0, "a stride"));
        const int unit = map.interleave == "32B" ? 32 : 16;
        if (std::fmod(stride, unit) != 0 || stride >= 1099511627776.0)
            scope.fail(expression.line, at("strides", i),
                "is " + numberText(stride) + " bytes; it must be a multiple of "
                    + std::to_string(unit) + " below 2^40.");
        result.stridesBytes.push_back(static_cast<std::uint64_t>(stride));
        dense = stride;
    }
    const double rowBytes = double(result.box[0]) * elementBytes;
    if (!interleaved && std::fmod(rowBytes, 16) != 0)
        scope.fail(map.box[0].line, at("box", 0),
            "is " + numberText(rowBytes) + " bytes wide; it must be a multiple of 16 bytes.");
    const double swizzleBytes = map.swizzle == "none" ? 0 : std::atof(map.swizzle.c_str());
    if (swizzleBytes > 0 && rowBytes > swizzleBytes)
        scope.fail(map.box[0].line, at("box", 0),
            "is " + numberText(rowBytes) + " bytes wide; swizzle " + map.swizzle
                + " allows at most " + numberText(swizzleBytes) + ".");
    return result;
}

} // namespace gpu
