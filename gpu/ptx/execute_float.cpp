#include "gpu/ptx/lanes.h"

#include <cmath>

namespace gpu::ptx::ESPALIER_ISA {

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

inline float canonical(float x)
{
    return x == x ? x : NanF32;
}

/// Results and operands as .ftz and .sat ask.
template <bool Ftz> inline float operand(float x)
{
    return Ftz ? flush(x) : x;
}
template <bool Ftz, bool Sat> inline float result(float x)
{
    const float flushed = Ftz ? flush(canonical(x)) : canonical(x);
    return Sat ? saturate(flushed) : flushed;
}

template <bool Ftz, bool Sat> Handler single(const std::string &base)
{
    if (base == "add")
        return binary<float, float,
            [](float a, float b) { return result<Ftz, Sat>(operand<Ftz>(a) + operand<Ftz>(b)); }>;
    if (base == "sub")
        return binary<float, float,
            [](float a, float b) { return result<Ftz, Sat>(operand<Ftz>(a) - operand<Ftz>(b)); }>;
    if (base == "mul")
        return binary<float, float,
            [](float a, float b) { return result<Ftz, Sat>(operand<Ftz>(a) * operand<Ftz>(b)); }>;
    if (base == "fma" || base == "mad")
        return ternary<float, float, float, [](float a, float b, float c) {
            return result<Ftz, Sat>(std::fma(operand<Ftz>(a), operand<Ftz>(b), operand<Ftz>(c)));
        }>;
    return nullptr;
}

template <bool Ftz> Handler unrounded(const Operation &op)
{
    if (op.base == "neg")
        return unary<float, float, [](float a) { return operand<Ftz>(canonical(-a)); }>;
    if (op.base == "abs")
        return unary<float, float, [](float a) { return operand<Ftz>(canonical(std::fabs(a))); }>;
    if (!op.modifiers.empty() && !(Ftz && op.modifiers.size() == 1))
        return nullptr;
    if (op.base == "min")
        return binary<float, float, [](float a, float b) {
            return operand<Ftz>(minimum(operand<Ftz>(a), operand<Ftz>(b)));
        }>;
    if (op.base == "max")
        return binary<float, float, [](float a, float b) {
            return operand<Ftz>(maximum(operand<Ftz>(a), operand<Ftz>(b)));
        }>;
    return nullptr;
}

Handler selectF32(const Operation &op)
{
    if (op.base == "neg" || op.base == "abs" || op.base == "min" || op.base == "max")
        return op.ftz ? unrounded<true>(op) : unrounded<false>(op);
    if (op.rounding != Rounding::Rn)
        return nullptr;
    if (op.base == "div" && op.has("rn") && !op.ftz)
        return binary<float, float, [](float a, float b) { return canonical(a / b); }>;
    if (op.base == "sqrt" && op.has("rn") && !op.ftz)
        return unary<float, float, [](float a) { return canonical(std::sqrt(a)); }>;
    if (op.base == "rcp" && op.has("rn") && !op.ftz)
        return unary<float, float, [](float a) { return canonical(1.0f / a); }>;
    if (op.ftz)
        return op.sat ? single<true, true>(op.base) : single<true, false>(op.base);
    return op.sat ? single<false, true>(op.base) : single<false, false>(op.base);
}

Handler selectF64(const Operation &op)
{
    if (op.base == "neg")
        return unary<double, double, [](double a) { return -a; }>;
    if (op.base == "abs")
        return unary<double, double, [](double a) { return std::fabs(a); }>;
    if (op.rounding != Rounding::Rn || op.sat)
        return nullptr;
    if (op.base == "add")
        return binary<double, double, [](double a, double b) { return a + b; }>;
    if (op.base == "sub")
        return binary<double, double, [](double a, double b) { return a - b; }>;
    if (op.base == "mul")
        return binary<double, double, [](double a, double b) { return a * b; }>;
    if (op.base == "fma" || op.base == "mad")
        return ternary<double, double, double,
            [](double a, double b, double c) { return std::fma(a, b, c); }>;
    if (op.base == "div")
        return binary<double, double, [](double a, double b) { return a / b; }>;
    if (op.base == "sqrt")
        return unary<double, double, [](double a) { return std::sqrt(a); }>;
    return nullptr;
}

unsigned sourceCount(const std::string &base)
{
    if (base == "fma" || base == "mad")
        return 3;
    return base == "neg" || base == "abs" || base == "sqrt" || base == "rcp" ? 1 : 2;
}

} // namespace

Selection selectFloat(const Operation &op)
{
    if (op.types.size() != 1)
        return {};
    Handler handler = nullptr;
    if (op.type() == Type::F32)
        handler = selectF32(op);
    if (op.type() == Type::F64)
        handler = selectF64(op);
    if (!handler)
        return {};
    return shapeOf(handler, syntax::sizeOf(op.type()), sourceCount(op.base));
}

} // namespace gpu::ptx::ESPALIER_ISA
