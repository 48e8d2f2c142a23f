#pragma once

#include "gpu/ptx/warp.h"

#include <bit>

/// Instructions executed lane by lane: a function of up to four operands' bits. A predicate result
/// is bit 0, the second predicate of setp bit 1.
namespace gpu::ptx {

ScalarFunction scalarInteger(const Operation &operation, Selection &shape);
ScalarFunction scalarFloat(const Operation &operation, std::size_t operandCount, Selection &shape);
ScalarFunction scalarHalf(const Operation &operation, Selection &shape);
ScalarFunction scalarCompare(const Operation &operation, Selection &shape);
ScalarFunction scalarConvert(
    const Operation &operation, const std::uint8_t *sizes, std::size_t count, Selection &shape);

/// Instruction::mode of scalar floating-point instructions.
enum ScalarMode : std::uint32_t { ModeRelu = 1, ModeNan = 2, ModeXorsign = 4, ModeSatFinite = 8 };

/// Holds any product or sum of 64-bit integers.
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

inline float toFloat(std::uint64_t bits)
{
    return std::bit_cast<float>(std::uint32_t(bits));
}
inline double toDouble(std::uint64_t bits)
{
    return std::bit_cast<double>(bits);
}
inline std::uint64_t bitsOf(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}
inline std::uint64_t bitsOf(double value)
{
    return std::bit_cast<std::uint64_t>(value);
}
inline void setShape(Selection &shape, std::size_t dst, std::initializer_list<std::size_t> sources)
{
    shape.dst = std::uint8_t(dst);
    std::size_t i = 0;
    for (std::uint8_t &source : shape.source)
        source = i < sources.size() ? std::uint8_t(sources.begin()[i++]) : std::uint8_t(SizeNone);
}

} // namespace gpu::ptx
