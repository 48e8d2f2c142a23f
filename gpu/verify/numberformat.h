#pragma once

#include "gpu/base/dtype.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpu {

/// Rounds to IEEE binary16, to nearest even; overflow gives infinity.
std::uint16_t halfFromDouble(double value);
double doubleFromHalf(std::uint16_t bits);
/// Rounds to bfloat16, to nearest even; overflow gives infinity.
std::uint16_t bfloatFromDouble(double value);
double doubleFromBfloat(std::uint16_t bits);

/// The precision classes of design §6, tightest first.
enum class Format { Fp32, Tf32, Fp16, Bf16 };

/// Cuts a value to the mantissa and exponent range of a format, toward zero. Tensor cores drop the
/// low bits of a tf32 operand instead of rounding them, so this is the worst that an honest
/// implementation in that format does to its operands. Out of fp16's range: infinity.
double truncateTo(Format format, double value);

/// Decodes raw elements; integers above 2^53 lose their low bits.
std::vector<double> decodeElements(DType type, std::span<const std::byte> bytes);
/// Encodes to raw elements: floats to nearest even, integers rounded and clamped, bool as 0 or 1.
std::vector<std::byte> encodeElements(DType type, std::span<const double> values);
/// Smallest positive normal number of a floating type; 0 for integers.
double smallestNormal(DType type);

} // namespace gpu
