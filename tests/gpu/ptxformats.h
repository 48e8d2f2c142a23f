#pragma once

#include "ptxharness.h"

/// Values and roundings of floating-point formats from their definitions, in exact arithmetic of
/// 113 bits: the independent side of the tests.
namespace ptxtest {

__extension__ typedef __float128 Quad;

struct Format {
    int exponentBits = 0, mantissaBits = 0;
    bool infinity = true;
    u64 nan = 0; ///< what conversions give
    int width() const { return 1 + exponentBits + mantissaBits; }
    int bias() const { return (1 << (exponentBits - 1)) - 1; }
};
constexpr Format F16Format{5, 10, true, 0x7fff};
constexpr Format BF16Format{8, 7, true, 0x7fff};
constexpr Format F32Format{8, 23, true, 0x7fffffff};
constexpr Format F64Format{11, 52, true, 0x7ff8000000000000};
constexpr Format E4M3Format{4, 3, false, 0x7f};
constexpr Format E5M2Format{5, 2, true, 0x7f};
constexpr Format Tf32Format{8, 10, true, 0x3ffff}; ///< 19 bits; a register has 13 more below

/// Nearest even, toward zero, minus and plus infinity, nearest away.
enum class Round { Nearest, Zero, Down, Up, Away };
constexpr std::pair<const char *, Round> Rounds[]
    = {{"rn", Round::Nearest}, {"rz", Round::Zero}, {"rm", Round::Down}, {"rp", Round::Up}};

inline double valueOf(const Format &format, u64 bits)
{
    const u64 fraction = bits & ((u64(1) << format.mantissaBits) - 1);
    const int exponent = int(bits >> format.mantissaBits) & ((1 << format.exponentBits) - 1);
    const bool negative = (bits >> (format.width() - 1)) & 1u;
    const int highest = (1 << format.exponentBits) - 1;
    double value = 0;
    if (exponent == highest && format.infinity)
        value = fraction ? std::nan("") : std::numeric_limits<double>::infinity();
    else if (exponent == highest && fraction + 1 == u64(1) << format.mantissaBits)
        value = std::nan("");
    else if (exponent == 0)
        value = std::ldexp(double(fraction), 1 - format.bias() - format.mantissaBits);
    else
        value = std::ldexp(double(fraction + (u64(1) << format.mantissaBits)),
            exponent - format.bias() - format.mantissaBits);
    return negative ? -value : value;
}

/// The largest integer power of two not above x > 0, as an exponent.
inline int exponentOf(Quad x)
{
    int exponent = 0;
    std::frexp(double(x), &exponent);
    --exponent;
    return x < Quad(std::ldexp(1.0, exponent)) ? exponent - 1 : exponent;
}

/// x, or x plus something too small to see of the sign `rest` (nearest even only), in a format.
inline u64 rounded(const Format &format, Quad x, Round round = Round::Nearest,
    bool satFinite = false, int rest = 0)
{
    if (x != x)
        return format.nan;
    const bool negative = std::signbit(double(x));
    const u64 sign = u64(negative) << (format.width() - 1);
    const Quad magnitude = negative ? -x : x;
    const u64 top = ((u64(1) << format.exponentBits) - 1) << format.mantissaBits;
    const u64 infinity = format.infinity ? top : top | ((u64(1) << format.mantissaBits) - 1);
    const bool clamps = satFinite || !format.infinity;
    if (magnitude == Quad(std::numeric_limits<double>::infinity()))
        return sign | (clamps ? infinity - 1 : infinity);
    if (magnitude == 0)
        return sign;
    const int exponent = std::max(exponentOf(magnitude), 1 - format.bias());
    const Quad units = magnitude * Quad(std::ldexp(1.0, format.mantissaBits / 2 - exponent))
        * Quad(std::ldexp(1.0, format.mantissaBits - format.mantissaBits / 2));
    u64 whole = u64(units);
    const Quad part = units - Quad(whole);
    const int beyond = negative ? -rest : rest;
    const bool tie = part == Quad(0.5) && beyond == 0;
    const bool above = part > Quad(0.5) || (part == Quad(0.5) && beyond > 0);
    const bool inexact = part != 0;
    switch (round) {
    case Round::Nearest:
        whole += above || (tie && (whole & 1));
        break;
    case Round::Away:
        whole += above || tie;
        break;
    case Round::Zero:
        break;
    case Round::Down:
        whole += negative && inexact;
        break;
    case Round::Up:
        whole += !negative && inexact;
        break;
    }
    const u64 bits = (u64(exponent + format.bias() - 1) << format.mantissaBits) + whole;
    if (bits < infinity)
        return sign | bits;
    const bool inward = round == Round::Zero || (round == Round::Down && !negative)
        || (round == Round::Up && negative);
    return sign | (clamps || inward ? infinity - 1 : infinity);
}

/// a * b + c rounded once to nearest even. The product must be exact in 113 bits.
inline u64 roundedFma(const Format &format, double a, double b, double c)
{
    const Quad product = Quad(a) * Quad(b), addend = c;
    const Quad sum = product + addend;
    if (!(sum - sum == 0))
        return rounded(format, sum);
    // The part of the sum that 113 bits have lost.
    const Quad seen = sum - product;
    const Quad lost = (product - (sum - seen)) + (addend - seen);
    return rounded(format, sum, Round::Nearest, false, lost > 0 ? 1 : lost < 0 ? -1 : 0);
}

} // namespace ptxtest
