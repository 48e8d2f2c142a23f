#include "gpu/ptx/approximate.h"
#include "gpu/ptx/scalar.h"

#include <cmath>

namespace gpu::ptx {

namespace {

using u64 = std::uint64_t;

/// Operand i with .ftz, and a result with .ftz and .sat.
float operand(const u64 *o, unsigned i, const Instruction &in)
{
    return in.ftz ? flush(toFloat(o[i])) : toFloat(o[i]);
}
u64 finish(float value, const Instruction &in)
{
    const float flushed = in.ftz ? flush(value) : value;
    return bitsOf(in.sat ? saturate(flushed) : flushed);
}
u64 finish(double value, const Instruction &in)
{
    return bitsOf(in.sat ? saturate(value) : value);
}

template <auto F> u64 rounded32(const u64 *o, const Instruction &in)
{
    if constexpr (std::is_invocable_v<decltype(F), float, float, float, Rounding>)
        return finish(F(operand(o, 0, in), operand(o, 1, in), operand(o, 2, in), in.rounding), in);
    else if constexpr (std::is_invocable_v<decltype(F), float, float, Rounding>)
        return finish(F(operand(o, 0, in), operand(o, 1, in), in.rounding), in);
    else
        return finish(F(operand(o, 0, in), in.rounding), in);
}

template <auto F> u64 rounded64(const u64 *o, const Instruction &in)
{
    if constexpr (std::is_invocable_v<decltype(F), double, double, double, Rounding>)
        return finish(F(toDouble(o[0]), toDouble(o[1]), toDouble(o[2]), in.rounding), in);
    else if constexpr (std::is_invocable_v<decltype(F), double, double, Rounding>)
        return finish(F(toDouble(o[0]), toDouble(o[1]), in.rounding), in);
    else
        return finish(F(toDouble(o[0]), in.rounding), in);
}

template <auto F> u64 approximate(const u64 *o, const Instruction &in)
{
    if constexpr (std::is_invocable_v<decltype(F), float, float, bool>)
        return finish(F(toFloat(o[0]), toFloat(o[1]), in.ftz), in);
    else
        return finish(F(toFloat(o[0]), in.ftz), in);
}

ScalarFunction approximations(const Operation &op, Selection &shape)
{
    setShape(shape, 4, {4});
    const std::string &base = op.base;
    if (base == "ex2")
        return approximate<[](float x, bool ftz) { return approximateEx2(x, ftz); }>;
    if (base == "lg2")
        return approximate<[](float x, bool ftz) { return approximateLg2(x, ftz); }>;
    if (base == "sin")
        return approximate<[](float x, bool ftz) { return approximateSin(x, ftz); }>;
    if (base == "cos")
        return approximate<[](float x, bool ftz) { return approximateCos(x, ftz); }>;
    if (base == "tanh")
        return approximate<[](float x, bool) { return approximateTanh(x); }>;
    if (base == "rsqrt")
        return approximate<[](float x, bool ftz) { return approximateRsqrt(x, ftz); }>;
    if (base == "rcp" && op.has("approx"))
        return approximate<[](float x, bool ftz) { return approximateRcp(x, ftz); }>;
    if (base == "sqrt" && op.has("approx"))
        return approximate<[](float x, bool ftz) { return approximateSqrt(x, ftz); }>;
    setShape(shape, 4, {4, 4});
    if (base == "div" && op.has("approx"))
        return approximate<[](float a, float b, bool ftz) { return approximateDiv(a, b, ftz); }>;
    if (base == "div" && op.has("full"))
        return approximate<[](float a, float b, bool ftz) { return fullDiv(a, b, ftz); }>;
    return nullptr;
}

template <class T, auto Wrap> ScalarFunction roundings(const Operation &op, Selection &shape)
{
    constexpr std::size_t Size = sizeof(T);
    const std::string &base = op.base;
    setShape(shape, Size, {Size, Size});
    if (base == "add")
        return Wrap.template operator()<[](T a, T b, Rounding r) { return add(a, b, r); }>();
    if (base == "sub")
        return Wrap.template operator()<[](T a, T b, Rounding r) { return add(a, -b, r); }>();
    if (base == "mul")
        return Wrap.template operator()<[](T a, T b, Rounding r) { return mul(a, b, r); }>();
    if (base == "div")
        return Wrap.template operator()<[](T a, T b, Rounding r) { return div(a, b, r); }>();
    setShape(shape, Size, {Size});
    if (base == "rcp")
        return Wrap.template operator()<[](T a, Rounding r) { return rcp(a, r); }>();
    if (base == "sqrt")
        return Wrap.template operator()<[](T a, Rounding r) { return gpu::ptx::sqrt(a, r); }>();
    setShape(shape, Size, {Size, Size, Size});
    if (base == "fma" || base == "mad")
        return Wrap.template
        operator()<[](T a, T b, T c, Rounding r) { return gpu::ptx::fma(a, b, c, r); }>();
    return nullptr;
}

bool isSubnormal(double value, bool single)
{
    const double tiny = single ? 0x1p-126 : 0x1p-1022;
    return value != 0 && std::fabs(value) < tiny;
}

/// testp: mode counts through the properties.
constexpr std::string_view Properties[]
    = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};

u64 testProperty(const u64 *o, const Instruction &in)
{
    const bool single = in.type == Type::F32;
    const double value = single ? double(toFloat(o[0])) : toDouble(o[0]);
    switch (in.mode) {
    case 0:
        return std::isfinite(value);
    case 1:
        return std::isinf(value);
    case 2:
        return !std::isnan(value);
    case 3:
        return std::isnan(value);
    case 4:
        // The ISA counts the zeros as normal.
        return std::isfinite(value) && !isSubnormal(value, single);
    default:
        return isSubnormal(value, single);
    }
}

u64 extremum32(const u64 *o, const Instruction &in)
{
    const bool isMax = in.mode & 16u, nan = in.mode & ModeNan, triple = in.mode & 32u;
    const auto pick = [&](float a, float b) {
        if (in.mode & ModeXorsign)
            return isMax ? xorsignMaximum(a, b, nan) : xorsignMinimum(a, b, nan);
        return isMax ? maximum(a, b, nan) : minimum(a, b, nan);
    };
    const auto prepare = [&](unsigned i) {
        const float value = operand(o, i, in);
        return triple && (in.mode & 64u) ? std::fabs(value) : value;
    };
    const float two = pick(prepare(0), prepare(1));
    return finish(triple ? pick(two, prepare(2)) : two, in);
}

ScalarFunction extremum(const Operation &op, Selection &shape, std::size_t count)
{
    const std::size_t size = syntax::sizeOf(op.type());
    setShape(shape, size, {size, size});
    if (op.type() == Type::F64)
        return op.base == "min" ? ScalarFunction([](const u64 *o, const Instruction &) {
            return bitsOf(minimum(toDouble(o[0]), toDouble(o[1])));
        })
                                : [](const u64 *o, const Instruction &) {
                                      return bitsOf(maximum(toDouble(o[0]), toDouble(o[1])));
                                  };
    shape.mode = (op.base == "max" ? 16u : 0u) | (op.has("NaN") ? ModeNan : 0u)
        | (op.has("xorsign") ? ModeXorsign : 0u) | (op.has("abs") ? 64u : 0u);
    if (count == 4) {
        shape.mode |= 32u;
        setShape(shape, size, {size, size, size});
    }
    return extremum32;
}

ScalarFunction double64(const Operation &op, Selection &shape)
{
    setShape(shape, 8, {8});
    if (op.base == "rcp" && op.has("approx"))
        return [](const u64 *o, const Instruction &) {
            return bitsOf(approximateRcpF64(toDouble(o[0])));
        };
    if (op.base == "rsqrt")
        return op.ftz
            ? ScalarFunction([](const u64 *o, const Instruction &) {
                  return bitsOf(approximateRsqrtF64(toDouble(o[0])));
              })
            : [](const u64 *o, const Instruction &) { return bitsOf(rsqrtF64(toDouble(o[0]))); };
    return nullptr;
}

} // namespace

ScalarFunction scalarFloat(const Operation &op, std::size_t count, Selection &shape)
{
    const std::size_t size = syntax::sizeOf(op.type());
    const bool single = op.type() == Type::F32;
    if (op.base == "min" || op.base == "max")
        return extremum(op, shape, count);
    if (op.base == "testp") {
        setShape(shape, SizePredicate, {size});
        for (const std::string_view name : Properties) {
            if (op.has(name))
                return testProperty;
            ++shape.mode;
        }
        return nullptr;
    }
    if (op.base == "copysign") {
        setShape(shape, size, {size, size});
        return single ? ScalarFunction([](const u64 *o, const Instruction &) {
            return (o[1] & 0x7fffffffu) | (o[0] & 0x80000000u);
        })
                      : [](const u64 *o, const Instruction &) {
                            constexpr u64 Sign = u64(1) << 63;
                            return (o[1] & ~Sign) | (o[0] & Sign);
                        };
    }
    if (single) {
        if (const ScalarFunction function = approximations(op, shape))
            return function;
        return roundings < float, []<auto F>()->ScalarFunction
        {
            return rounded32<F>;
        }
        > (op, shape);
    }
    if (const ScalarFunction function = double64(op, shape))
        return function;
    return roundings < double, []<auto F>()->ScalarFunction
    {
        return rounded64<F>;
    }
    > (op, shape);
}

} // namespace gpu::ptx
