#pragma once

#include <bit>
#include <cstdint>
#include <limits>

/// Floating point as the PTX ISA defines it: formats, conversions and correctly rounded arithmetic.
/// Pure functions of their arguments; any thread. They expect the host's default rounding mode.
namespace gpu::ptx {

/// The rounding modifiers. The integer forms .rni .rzi .rmi .rpi are Rn, Rz, Rm and Rp.
enum class Rounding : std::uint8_t {
    Rn, ///< nearest, ties to even
    Rz, ///< toward zero
    Rm, ///< toward minus infinity
    Rp, ///< toward plus infinity
    Rna ///< nearest, ties away from zero
};

/// A binary format of at most 64 bits with an IEEE-like encoding.
struct FloatFormat {
    int exponentBits = 0, mantissaBits = 0;
    bool infinity = true; ///< e4m3 has none: only all ones is a NaN
    std::uint64_t nan = 0; ///< the pattern that conversions and arithmetic produce
};
/// The formats by name; apart, because enumerators elsewhere have the same names.
namespace format {
inline constexpr FloatFormat F64{11, 52, true, 0xfff8000000000000u};
inline constexpr FloatFormat F32{8, 23, true, 0x7fffffffu};
inline constexpr FloatFormat F16{5, 10, true, 0x7fffu};
inline constexpr FloatFormat BF16{8, 7, true, 0x7fffu};
inline constexpr FloatFormat Tf32{8, 10, true, 0x3ffffu}; ///< packed; see toTf32 for registers
inline constexpr FloatFormat E4M3{4, 3, false, 0x7fu};
inline constexpr FloatFormat E5M2{5, 2, true, 0x7fu};
} // namespace format

inline constexpr float NanF32 = std::bit_cast<float>(0x7fffffffu);
inline constexpr double NanF64 = std::bit_cast<double>(0xfff8000000000000u);

/// The pattern in `format` nearest to `value` under `rounding`. An overflow becomes infinity or the
/// largest finite number as the rounding says; with `satFinite` (or without infinities) always the
/// latter.
std::uint64_t encodeFloat(
    const FloatFormat &format, double value, Rounding rounding, bool satFinite = false);
/// As encodeFloat, for (-1)^negative * magnitude: integers of any size round once.
std::uint64_t encodeInteger(
    const FloatFormat &format, bool negative, std::uint64_t magnitude, Rounding rounding);
/// The exact value of a pattern of a format of at most 52 mantissa bits.
double decodeFloat(const FloatFormat &format, std::uint64_t bits);

/// f16 → f32, exact; NaN becomes canonical. Branch-light: compilers vectorise a loop over it.
static inline float f16ToF32(std::uint16_t half)
{
    const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16;
    const std::uint32_t magnitude = std::uint32_t(half & 0x7fffu) << 13;
    const std::uint32_t normal = magnitude + 0x38000000u;
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(
        std::bit_cast<float>(magnitude + 0x38800000u) - std::bit_cast<float>(0x38800000u));
    std::uint32_t bits = magnitude < 0x00800000u ? subnormal : normal;
    bits = magnitude >= 0x0f800000u ? 0x7f800000u : bits;
    bits |= sign;
    return std::bit_cast<float>(magnitude > 0x0f800000u ? 0x7fffffffu : bits);
}

/// f32 → f16, nearest even; NaN becomes 0x7fff. Vectorisable.
static inline std::uint16_t f32ToF16(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t normal
        = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // Adding 0.5 leaves the f16 subnormal in the low bits, rounded by the host's own addition.
    const float small = std::bit_cast<float>(magnitude < 0x38800000u ? magnitude : 0u);
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(small + 0.5f) - 0x3f000000u;
    std::uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
    half = (magnitude >= 0x47800000u ? 0x7c00u : half) | sign;
    return std::uint16_t(magnitude > 0x7f800000u ? 0x7fffu : half);
}

/// bf16 → f32, exact, NaN payloads kept. Vectorisable.
static inline float bf16ToF32(std::uint16_t brain)
{
    return std::bit_cast<float>(std::uint32_t(brain) << 16);
}

/// f32 → bf16, nearest even; NaN becomes 0x7fff. Vectorisable.
static inline std::uint16_t f32ToBf16(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return std::uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

/// f32 → tf32 in a 32-bit register: 10 mantissa bits, the low 13 bits zero.
std::uint32_t toTf32(float value, Rounding rounding, bool satFinite = false);
/// What a tensor core reads from a .b32 tf32 operand: the low 13 bits are ignored.
static inline float tf32Operand(std::uint32_t bits)
{
    return std::bit_cast<float>(bits & 0xffffe000u);
}

/// f64 → f32 under any rounding; NaN becomes canonical.
float f64ToF32(double value, Rounding rounding);
static inline double f32ToF64(float value)
{
    return value;
}

/// Replaces a subnormal by a zero of its sign: .ftz on inputs and results.
static inline float flush(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
/// Arithmetic on f32 never keeps a NaN's payload or sign.
static inline float canonical(float value)
{
    return value != value ? NanF32 : value;
}
/// .ftz for f16.
static inline std::uint16_t flushF16(std::uint16_t half)
{
    return std::uint16_t((half & 0x7c00u) == 0 ? half & 0x8000u : half);
}
/// .sat: clamps to [0, 1]; NaN and -0 become +0.
static inline float saturate(float value)
{
    return value >= 1.0f ? 1.0f : value > 0.0f ? value : 0.0f;
}
static inline double saturate(double value)
{
    return value >= 1.0 ? 1.0 : value > 0.0 ? value : 0.0;
}
/// .relu: negative numbers and -0 become +0, NaN becomes canonical.
static inline float relu(float value)
{
    return value != value ? NanF32 : value > 0.0f ? value : 0.0f;
}

/// cvt.{rni,rzi,rmi,rpi}.f32.f32 and f64: rounds to an integral value, keeping the zero's sign.
float roundToIntegral(float value, Rounding rounding);
double roundToIntegral(double value, Rounding rounding);

/// Float to integer as cvt does: rounds, then clamps to the range of an integer of `bits` (8, 16,
/// 32, 64). NaN gives 0, or 1 << 63 if source or destination has 64 bits (and 1 << (bits - 1) for
/// f64 to fewer). The result is the destination's low bits, sign-extended for signed ones.
std::uint64_t toInteger(
    double value, Rounding rounding, bool isSigned, int bits, bool sourceIsF64 = false);

/// One arithmetic result, correctly rounded once. NaN results are canonical for f32; f64 keeps the
/// first NaN operand's payload. Subnormals are kept: flush operands and result for .ftz.
float add(float a, float b, Rounding rounding);
float mul(float a, float b, Rounding rounding);
float fma(float a, float b, float c, Rounding rounding);
float div(float a, float b, Rounding rounding);
float sqrt(float a, Rounding rounding);
double add(double a, double b, Rounding rounding);
double mul(double a, double b, Rounding rounding);
double fma(double a, double b, double c, Rounding rounding);
double div(double a, double b, Rounding rounding);
double sqrt(double a, Rounding rounding);
static inline float rcp(float a, Rounding rounding)
{
    return div(1.0f, a, rounding);
}
static inline double rcp(double a, Rounding rounding)
{
    return div(1.0, a, rounding);
}

/// Nearest-even arithmetic on f16 and bf16 patterns, rounded once (also fma). NaN becomes 0x7fff.
std::uint16_t addF16(std::uint16_t a, std::uint16_t b);
std::uint16_t subF16(std::uint16_t a, std::uint16_t b);
std::uint16_t mulF16(std::uint16_t a, std::uint16_t b);
std::uint16_t fmaF16(std::uint16_t a, std::uint16_t b, std::uint16_t c);
std::uint16_t addBf16(std::uint16_t a, std::uint16_t b);
std::uint16_t subBf16(std::uint16_t a, std::uint16_t b);
std::uint16_t mulBf16(std::uint16_t a, std::uint16_t b);
std::uint16_t fmaBf16(std::uint16_t a, std::uint16_t b, std::uint16_t c);

/// min and max of PTX: -0 < +0; one NaN gives the other operand unless `propagateNan` (.NaN), two
/// give a canonical NaN.
float minimum(float a, float b, bool propagateNan = false);
float maximum(float a, float b, bool propagateNan = false);
double minimum(double a, double b);
double maximum(double a, double b);
std::uint16_t minimumF16(std::uint16_t a, std::uint16_t b, bool propagateNan = false);
std::uint16_t maximumF16(std::uint16_t a, std::uint16_t b, bool propagateNan = false);
std::uint16_t minimumBf16(std::uint16_t a, std::uint16_t b, bool propagateNan = false);
std::uint16_t maximumBf16(std::uint16_t a, std::uint16_t b, bool propagateNan = false);
/// .xorsign.abs: the smaller or larger magnitude with the xor of both signs.
float xorsignMinimum(float a, float b, bool propagateNan = false);
float xorsignMaximum(float a, float b, bool propagateNan = false);

} // namespace gpu::ptx
