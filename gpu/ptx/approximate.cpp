#include "gpu/ptx/approximate.h"

#include "gpu/ptx/numeric.h"

#include <bit>
#include <cmath>

namespace gpu::ptx {

namespace {

float flushIf(float x, bool ftz)
{
    return ftz ? flush(x) : x;
}

template <class F> float approximate(float x, bool ftz, F f)
{
    return canonical(flushIf(f(flushIf(x, ftz)), ftz));
}

/// Keeps the upper 32 bits, rounded; subnormals become zero.
double upperHalf(double x)
{
    if (x != x)
        return NanF64;
    auto bits = std::bit_cast<std::uint64_t>(x);
    if ((bits & 0x7ff0000000000000u) == 0)
        bits &= 0x8000000000000000u;
    else if (std::isfinite(x))
        bits += 0x80000000u;
    return std::bit_cast<double>(bits & 0xffffffff00000000u);
}

/// What the f64 approximations read: only the upper half of the operand, subnormals as zero.
double operandF64(double x)
{
    const auto bits = std::bit_cast<std::uint64_t>(x);
    if (x != x)
        return NanF64;
    if ((bits & 0x7ff0000000000000u) == 0)
        return std::bit_cast<double>(bits & 0x8000000000000000u);
    return std::bit_cast<double>(bits & 0xffffffff00000000u);
}

} // namespace

float approximateEx2(float x, bool ftz)
{
    return approximate(x, ftz, [](float y) { return std::exp2(y); });
}

float approximateLg2(float x, bool ftz)
{
    return approximate(x, ftz, [](float y) { return std::log2(y); });
}

float approximateSin(float x, bool ftz)
{
    return approximate(x, ftz, [](float y) { return std::sin(y); });
}

float approximateCos(float x, bool ftz)
{
    return approximate(x, ftz, [](float y) { return std::cos(y); });
}

float approximateTanh(float x)
{
    return approximate(x, false, [](float y) { return std::tanh(y); });
}

float approximateRcp(float x, bool ftz)
{
    return approximate(x, ftz, [](float y) { return 1.0f / y; });
}

float approximateRsqrt(float x, bool ftz)
{
    return approximate(x, ftz, [](float y) { return float(1.0 / std::sqrt(double(y))); });
}

float approximateSqrt(float x, bool ftz)
{
    return approximate(x, ftz, [](float y) { return std::sqrt(y); });
}

float approximateDiv(float a, float b, bool ftz)
{
    a = flushIf(a, ftz);
    b = flushIf(b, ftz);
    const float magnitude = std::fabs(b);
    if (magnitude > 0x1p126f && std::isfinite(b))
        return canonical(a * std::copysign(0.0f, b));
    return canonical(flushIf(a / b, ftz));
}

float fullDiv(float a, float b, bool ftz)
{
    return canonical(flushIf(flushIf(a, ftz) / flushIf(b, ftz), ftz));
}

double approximateRcpF64(double x)
{
    return upperHalf(1.0 / operandF64(x));
}

double approximateRsqrtF64(double x)
{
    return upperHalf(1.0 / std::sqrt(operandF64(x)));
}

double rsqrtF64(double x)
{
    return 1.0 / std::sqrt(x);
}

std::uint16_t approximateEx2F16(std::uint16_t x, bool ftz)
{
    const std::uint16_t result = f32ToF16(std::exp2(f16ToF32(ftz ? flushF16(x) : x)));
    return ftz ? flushF16(result) : result;
}

std::uint16_t approximateTanhF16(std::uint16_t x)
{
    return f32ToF16(std::tanh(f16ToF32(x)));
}

std::uint16_t approximateEx2Bf16(std::uint16_t x)
{
    return f32ToBf16(flush(std::exp2(flush(bf16ToF32(x)))));
}

std::uint16_t approximateTanhBf16(std::uint16_t x)
{
    return f32ToBf16(std::tanh(bf16ToF32(x)));
}

} // namespace gpu::ptx
