#include "gpu/ptx/numeric.h"

#include <algorithm>
#include <cfenv>
#include <cmath>

namespace gpu::ptx {

namespace {

std::uint64_t largestFinite(const FloatFormat &format)
{
    const std::uint64_t allOnes = ((std::uint64_t(1) << format.exponentBits) - 1)
        << format.mantissaBits;
    return format.infinity ? allOnes - 1
                           : (allOnes | ((std::uint64_t(1) << format.mantissaBits) - 1)) - 1;
}

std::uint64_t overflow(const FloatFormat &format, bool negative, Rounding rounding, bool satFinite)
{
    const bool toInfinity = rounding == Rounding::Rn || rounding == Rounding::Rna
        || (rounding == Rounding::Rm && negative) || (rounding == Rounding::Rp && !negative);
    return largestFinite(format) + (toInfinity && !satFinite && format.infinity ? 1 : 0);
}

/// Whether the magnitude goes up, given what was cut off compared with half a unit.
bool roundsUp(Rounding rounding, bool negative, bool odd, bool inexact, bool half, bool aboveHalf)
{
    switch (rounding) {
    case Rounding::Rn:
        return aboveHalf || (half && odd);
    case Rounding::Rna:
        return aboveHalf || half;
    case Rounding::Rz:
        return false;
    case Rounding::Rm:
        return inexact && negative;
    case Rounding::Rp:
        return inexact && !negative;
    }
    return false;
}

/// Packs (-1)^negative * significand * 2^exponent, significand not zero.
std::uint64_t pack(const FloatFormat &format, bool negative, std::uint64_t significand,
    int exponent, Rounding rounding, bool satFinite)
{
    const int bias = (1 << (format.exponentBits - 1)) - 1;
    const int top = 63 - std::countl_zero(significand) + exponent;
    const int biased = std::max(top + bias, 1);
    const int shift = biased - bias - format.mantissaBits - exponent;
    std::uint64_t kept = 0;
    if (shift <= 0) {
        kept = significand << -shift;
    } else {
        const std::uint64_t rest
            = shift < 64 ? significand & ((std::uint64_t(1) << shift) - 1) : significand;
        const std::uint64_t halfUnit = shift <= 64 ? std::uint64_t(1) << (shift - 1) : 0;
        kept = shift < 64 ? significand >> shift : 0;
        if (roundsUp(rounding, negative, kept & 1, rest != 0, halfUnit != 0 && rest == halfUnit,
                halfUnit != 0 && rest > halfUnit))
            ++kept;
    }
    // A carry out of the mantissa, and out of the subnormals, moves into the exponent by itself.
    std::uint64_t magnitude = (std::uint64_t(biased - 1) << format.mantissaBits) + kept;
    if (magnitude > largestFinite(format))
        magnitude = overflow(format, negative, rounding, satFinite);
    return magnitude | (std::uint64_t(negative) << (format.exponentBits + format.mantissaBits));
}

double oneUlp(double value, bool up)
{
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<double>((value > 0) == up ? bits + 1 : bits - 1);
}

/// `rounded` is the nearest double of a value that differs from it by a remainder of this sign:
/// the result keeps the fact of being inexact in its last bit, so that it can be rounded again.
double toOdd(double rounded, double remainder)
{
    if (remainder == 0 || !std::isfinite(rounded) || (std::bit_cast<std::uint64_t>(rounded) & 1))
        return rounded;
    return oneUlp(rounded, remainder > 0);
}

/// a + b rounded to odd; neither operand is near the limits of f64's range. Knuth's TwoSum.
double oddSum(double a, double b)
{
    const double sum = a + b;
    const double part = sum - a;
    return toOdd(sum, (a - (sum - part)) + (b - part));
}

float oddFloat(double value)
{
    const auto rounded = static_cast<float>(value);
    const double remainder = value - double(rounded);
    const auto bits = std::bit_cast<std::uint32_t>(rounded);
    if (remainder == 0 || !std::isfinite(rounded) || (bits & 1))
        return rounded;
    // A non-zero value that became zero: the odd neighbour is the smallest subnormal of its sign.
    if (rounded == 0)
        return std::copysign(std::bit_cast<float>(1u), float(value));
    return std::bit_cast<float>((rounded > 0) == (remainder > 0) ? bits + 1 : bits - 1);
}

/// IEEE 754: an exact zero sum of operands of different signs is -0 only when rounding down.
double zeroSum(double a, double b, double sum, Rounding rounding)
{
    if (sum != 0 || std::signbit(a) == std::signbit(b))
        return sum;
    return rounding == Rounding::Rm ? -0.0 : 0.0;
}

class RoundingMode {
public:
    explicit RoundingMode(Rounding rounding)
        : m_saved(std::fegetround())
    {
        std::fesetround(rounding == Rounding::Rz ? FE_TOWARDZERO
                : rounding == Rounding::Rm       ? FE_DOWNWARD
                : rounding == Rounding::Rp       ? FE_UPWARD
                                                 : FE_TONEAREST);
    }
    ~RoundingMode() { std::fesetround(m_saved); }
    RoundingMode(const RoundingMode &) = delete;
    RoundingMode &operator=(const RoundingMode &) = delete;

private:
    int m_saved;
};

/// Evaluates f(a, b, c) in a rounding mode. The volatiles keep the compiler from moving or folding
/// the operation, as it does not model the mode.
template <class F> double inMode(Rounding rounding, double a, double b, double c, F f)
{
    if (rounding == Rounding::Rn)
        return f(a, b, c);
    volatile double va = a, vb = b, vc = c;
    volatile double result = 0;
    const RoundingMode mode(rounding);
    result = f(va, vb, vc);
    return result;
}

template <float (*Load)(std::uint16_t)>
std::uint16_t extremum16(std::uint16_t a, std::uint16_t b, bool propagateNan, bool larger)
{
    const float x = Load(a), y = Load(b);
    const bool nanX = x != x, nanY = y != y;
    if ((nanX && nanY) || (propagateNan && (nanX || nanY)))
        return 0x7fff;
    if (nanX || nanY)
        return nanX ? b : a;
    if (x == y)
        return std::signbit(x) != larger ? a : b;
    return (x < y) != larger ? a : b;
}

template <class T> T extremum(T a, T b, bool propagateNan, bool larger, T nan)
{
    const bool nanA = a != a, nanB = b != b;
    if ((nanA && nanB) || (propagateNan && (nanA || nanB)))
        return nan;
    if (nanA || nanB)
        return nanA ? b : a;
    if (a == b)
        return std::signbit(a) != larger ? a : b;
    return (a < b) != larger ? a : b;
}

float xorsign(float a, float b, bool propagateNan, bool larger)
{
    const float magnitude = extremum(std::fabs(a), std::fabs(b), propagateNan, larger, NanF32);
    if (magnitude != magnitude)
        return NanF32;
    return std::signbit(a) != std::signbit(b) ? -magnitude : magnitude;
}

} // namespace

std::uint64_t encodeFloat(
    const FloatFormat &format, double value, Rounding rounding, bool satFinite)
{
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = bits >> 63;
    const int biased = int((bits >> 52) & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t(1) << 52) - 1);
    const std::uint64_t sign = std::uint64_t(negative)
        << (format.exponentBits + format.mantissaBits);
    if (biased == 0x7ff) {
        if (fraction)
            return format.nan;
        return sign | (largestFinite(format) + (satFinite || !format.infinity ? 0 : 1));
    }
    if (biased == 0 && fraction == 0)
        return sign;
    return biased == 0 ? pack(format, negative, fraction, -1074, rounding, satFinite)
                       : pack(format, negative, fraction | (std::uint64_t(1) << 52), biased - 1075,
                           rounding, satFinite);
}

std::uint64_t encodeInteger(
    const FloatFormat &format, bool negative, std::uint64_t magnitude, Rounding rounding)
{
    return magnitude == 0 ? 0 : pack(format, negative, magnitude, 0, rounding, false);
}

double decodeFloat(const FloatFormat &format, std::uint64_t bits)
{
    const int bias = (1 << (format.exponentBits - 1)) - 1;
    const std::uint64_t fraction = bits & ((std::uint64_t(1) << format.mantissaBits) - 1);
    const int biased = int((bits >> format.mantissaBits) & ((1u << format.exponentBits) - 1));
    const bool negative = (bits >> (format.exponentBits + format.mantissaBits)) & 1;
    const std::uint64_t magnitude
        = bits & ((std::uint64_t(1) << (format.exponentBits + format.mantissaBits)) - 1);
    double value = 0;
    if (magnitude > largestFinite(format) + (format.infinity ? 1 : 0))
        return NanF64;
    if (magnitude > largestFinite(format))
        value = std::numeric_limits<double>::infinity();
    else if (biased == 0)
        value = std::ldexp(double(fraction), 1 - bias - format.mantissaBits);
    else
        value = std::ldexp(double(fraction | (std::uint64_t(1) << format.mantissaBits)),
            biased - bias - format.mantissaBits);
    return negative ? -value : value;
}

std::uint32_t toTf32(float value, Rounding rounding, bool satFinite)
{
    return std::uint32_t(encodeFloat(format::Tf32, value, rounding, satFinite)) << 13;
}

float f64ToF32(double value, Rounding rounding)
{
    if (value != value)
        return NanF32;
    if (rounding == Rounding::Rn)
        return static_cast<float>(value);
    return std::bit_cast<float>(std::uint32_t(encodeFloat(format::F32, value, rounding)));
}

float roundToIntegral(float value, Rounding rounding)
{
    return value != value ? NanF32 : float(roundToIntegral(double(value), rounding));
}

double roundToIntegral(double value, Rounding rounding)
{
    switch (rounding) {
    case Rounding::Rn:
        return std::nearbyint(value);
    case Rounding::Rz:
        return std::trunc(value);
    case Rounding::Rm:
        return std::floor(value);
    case Rounding::Rp:
        return std::ceil(value);
    case Rounding::Rna:
        return std::round(value);
    }
    return value;
}

std::uint64_t toInteger(double value, Rounding rounding, bool isSigned, int bits, bool sourceIsF64)
{
    if (value != value) {
        if (!sourceIsF64 && bits != 64)
            return 0;
        const std::uint64_t top = std::uint64_t(1) << (bits - 1);
        return isSigned ? ~(top - 1) : top;
    }
    const double integral = roundToIntegral(value, rounding);
    if (isSigned) {
        const double limit = std::ldexp(1.0, bits - 1);
        const std::uint64_t most = (std::uint64_t(1) << (bits - 1)) - 1;
        if (integral >= limit)
            return most;
        return integral < -limit ? ~most : std::uint64_t(static_cast<std::int64_t>(integral));
    }
    if (integral >= std::ldexp(1.0, bits))
        return bits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
    return integral <= 0 ? 0 : static_cast<std::uint64_t>(integral);
}

float add(float a, float b, Rounding rounding)
{
    if (rounding == Rounding::Rn)
        return canonical(a + b);
    return f64ToF32(zeroSum(a, b, oddSum(a, b), rounding), rounding);
}

float mul(float a, float b, Rounding rounding)
{
    return rounding == Rounding::Rn ? canonical(a * b) : f64ToF32(double(a) * double(b), rounding);
}

float fma(float a, float b, float c, Rounding rounding)
{
    if (rounding == Rounding::Rn)
        return canonical(std::fma(a, b, c));
    const double product = double(a) * double(b);
    return f64ToF32(zeroSum(product, c, oddSum(product, c), rounding), rounding);
}

float div(float a, float b, Rounding rounding)
{
    if (rounding == Rounding::Rn)
        return canonical(a / b);
    const double quotient = double(a) / double(b);
    if (!std::isfinite(quotient) || std::isinf(b))
        return f64ToF32(quotient, rounding);
    // The remainder has the sign of the quotient's error times the sign of b.
    const double remainder = std::fma(-quotient, double(b), double(a));
    return f64ToF32(toOdd(quotient, b < 0 ? -remainder : remainder), rounding);
}

float sqrt(float a, Rounding rounding)
{
    if (rounding == Rounding::Rn)
        return canonical(std::sqrt(a));
    const double root = std::sqrt(double(a));
    if (!std::isfinite(root))
        return f64ToF32(root, rounding);
    return f64ToF32(toOdd(root, std::fma(-root, root, double(a))), rounding);
}

double add(double a, double b, Rounding rounding)
{
    return inMode(rounding, a, b, 0, [](double x, double y, double) { return x + y; });
}

double mul(double a, double b, Rounding rounding)
{
    return inMode(rounding, a, b, 0, [](double x, double y, double) { return x * y; });
}

double fma(double a, double b, double c, Rounding rounding)
{
    return inMode(
        rounding, a, b, c, [](double x, double y, double z) { return std::fma(x, y, z); });
}

double div(double a, double b, Rounding rounding)
{
    return inMode(rounding, a, b, 0, [](double x, double y, double) { return x / y; });
}

double sqrt(double a, Rounding rounding)
{
    return inMode(rounding, a, 0, 0, [](double x, double, double) { return std::sqrt(x); });
}

std::uint16_t addF16(std::uint16_t a, std::uint16_t b)
{
    // f32 has more than twice f16's digits plus two: rounding twice is as good as once.
    return f32ToF16(f16ToF32(a) + f16ToF32(b));
}

std::uint16_t subF16(std::uint16_t a, std::uint16_t b)
{
    return f32ToF16(f16ToF32(a) - f16ToF32(b));
}

std::uint16_t mulF16(std::uint16_t a, std::uint16_t b)
{
    return f32ToF16(f16ToF32(a) * f16ToF32(b));
}

std::uint16_t fmaF16(std::uint16_t a, std::uint16_t b, std::uint16_t c)
{
    const double product = double(f16ToF32(a)) * double(f16ToF32(b));
    return f32ToF16(oddFloat(oddSum(product, f16ToF32(c))));
}

std::uint16_t addBf16(std::uint16_t a, std::uint16_t b)
{
    return f32ToBf16(bf16ToF32(a) + bf16ToF32(b));
}

std::uint16_t subBf16(std::uint16_t a, std::uint16_t b)
{
    return f32ToBf16(bf16ToF32(a) - bf16ToF32(b));
}

std::uint16_t mulBf16(std::uint16_t a, std::uint16_t b)
{
    return f32ToBf16(oddFloat(double(bf16ToF32(a)) * double(bf16ToF32(b))));
}

std::uint16_t fmaBf16(std::uint16_t a, std::uint16_t b, std::uint16_t c)
{
    const double product = double(bf16ToF32(a)) * double(bf16ToF32(b));
    return f32ToBf16(oddFloat(oddSum(product, bf16ToF32(c))));
}

float minimum(float a, float b, bool propagateNan)
{
    return extremum(a, b, propagateNan, false, NanF32);
}

float maximum(float a, float b, bool propagateNan)
{
    return extremum(a, b, propagateNan, true, NanF32);
}

double minimum(double a, double b)
{
    return extremum(a, b, false, false, NanF64);
}
double maximum(double a, double b)
{
    return extremum(a, b, false, true, NanF64);
}

std::uint16_t minimumF16(std::uint16_t a, std::uint16_t b, bool propagateNan)
{
    return extremum16<f16ToF32>(a, b, propagateNan, false);
}

std::uint16_t maximumF16(std::uint16_t a, std::uint16_t b, bool propagateNan)
{
    return extremum16<f16ToF32>(a, b, propagateNan, true);
}

std::uint16_t minimumBf16(std::uint16_t a, std::uint16_t b, bool propagateNan)
{
    return extremum16<bf16ToF32>(a, b, propagateNan, false);
}

std::uint16_t maximumBf16(std::uint16_t a, std::uint16_t b, bool propagateNan)
{
    return extremum16<bf16ToF32>(a, b, propagateNan, true);
}

float xorsignMinimum(float a, float b, bool propagateNan)
{
    return xorsign(a, b, propagateNan, false);
}

float xorsignMaximum(float a, float b, bool propagateNan)
{
    return xorsign(a, b, propagateNan, true);
}

} // namespace gpu::ptx
