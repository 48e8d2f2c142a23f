#include "gpu/ptx/bits.h"

#include <algorithm>

namespace gpu::ptx {

namespace {

std::uint64_t lowBits(std::uint32_t count)
{
    return count >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << count) - 1;
}

/// bfe on the low `width` bits of a; only the low byte of position and length counts.
std::uint64_t extract(std::uint64_t a, std::uint32_t position, std::uint32_t length,
    std::uint32_t width, bool isSigned)
{
    position &= 0xff;
    length &= 0xff;
    if (length == 0)
        return 0;
    const std::uint64_t field = position < width ? (a >> position) & lowBits(length) : 0;
    if (!isSigned)
        return field;
    const std::uint32_t signAt = std::min(position + length - 1, width - 1);
    if (!((a >> signAt) & 1))
        return field;
    const std::uint32_t present = position < width ? std::min(length, width - position) : 0;
    return field | ~lowBits(present);
}

std::uint64_t insert(std::uint64_t a, std::uint64_t b, std::uint32_t position, std::uint32_t length,
    std::uint32_t width)
{
    position &= 0xff;
    length &= 0xff;
    if (position >= width)
        return b;
    const std::uint64_t field = lowBits(length) << position;
    return (b & ~field) | ((a << position) & field);
}

std::uint32_t byteOf(std::uint64_t word, std::uint32_t index)
{
    return std::uint32_t(word >> (8 * index)) & 0xffu;
}

/// Which of the eight bytes goes to byte i of the result, for the modes with a two-bit selector.
std::uint32_t permutedByte(PermuteMode mode, std::uint32_t selector, std::uint32_t i)
{
    switch (mode) {
    case PermuteMode::F4e:
        return selector + i;
    case PermuteMode::B4e:
        return (selector - i) & 7u;
    case PermuteMode::Rc8:
        return selector;
    case PermuteMode::Ecl:
        return std::max(selector, i);
    case PermuteMode::Ecr:
        return std::min(selector, i);
    default:
        return (selector & 1u) * 2 + (i & 1u);
    }
}

std::uint32_t extended(std::uint32_t value, int bits, bool isSigned)
{
    const std::uint32_t sign = isSigned ? 1u << (bits - 1) : 0;
    return (value ^ sign) - sign;
}

} // namespace

std::uint64_t shiftLeft(std::uint64_t a, std::uint32_t count, int width)
{
    return count >= std::uint32_t(width) ? 0 : (a << count) & lowBits(std::uint32_t(width));
}

std::uint64_t shiftRight(std::uint64_t a, std::uint32_t count, int width, bool isSigned)
{
    const std::uint64_t mask = lowBits(std::uint32_t(width));
    const bool negative = isSigned && ((a >> (width - 1)) & 1);
    if (count >= std::uint32_t(width))
        return negative ? mask : 0;
    const std::uint64_t fill = negative && count > 0 ? mask & ~(mask >> count) : 0;
    return ((a & mask) >> count) | fill;
}

std::uint32_t extractU32(std::uint32_t a, std::uint32_t position, std::uint32_t length)
{
    return std::uint32_t(extract(a, position, length, 32, false));
}

std::int32_t extractS32(std::int32_t a, std::uint32_t position, std::uint32_t length)
{
    return std::int32_t(extract(std::uint32_t(a), position, length, 32, true));
}

std::uint64_t extractU64(std::uint64_t a, std::uint32_t position, std::uint32_t length)
{
    return extract(a, position, length, 64, false);
}

std::int64_t extractS64(std::int64_t a, std::uint32_t position, std::uint32_t length)
{
    return std::int64_t(extract(std::uint64_t(a), position, length, 64, true));
}

std::uint32_t insertB32(
    std::uint32_t a, std::uint32_t b, std::uint32_t position, std::uint32_t length)
{
    return std::uint32_t(insert(a, b, position, length, 32));
}

std::uint64_t insertB64(
    std::uint64_t a, std::uint64_t b, std::uint32_t position, std::uint32_t length)
{
    return insert(a, b, position, length, 64);
}

std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector, PermuteMode mode)
{
    const std::uint64_t bytes = (std::uint64_t(b) << 32) | a;
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::uint32_t byte = 0;
        if (mode == PermuteMode::Default) {
            const std::uint32_t pick = (selector >> (4 * i)) & 0xfu;
            byte = byteOf(bytes, pick & 7u);
            if (pick & 8u)
                byte = byte & 0x80u ? 0xffu : 0;
        } else {
            byte = byteOf(bytes, permutedByte(mode, selector & 3u, i));
        }
        result |= byte << (8 * i);
    }
    return result;
}

std::uint32_t funnelLeft(std::uint32_t low, std::uint32_t high, std::uint32_t count, bool wrap)
{
    const std::uint32_t n = wrap ? count & 31u : std::min(count, 32u);
    const std::uint64_t pair = (std::uint64_t(high) << 32) | low;
    return std::uint32_t((pair << n) >> 32);
}

std::uint32_t funnelRight(std::uint32_t low, std::uint32_t high, std::uint32_t count, bool wrap)
{
    const std::uint32_t n = wrap ? count & 31u : std::min(count, 32u);
    const std::uint64_t pair = (std::uint64_t(high) << 32) | low;
    return std::uint32_t(pair >> n);
}

std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool aSigned, bool bSigned)
{
    for (std::uint32_t i = 0; i < 4; ++i)
        c += extended(byteOf(a, i), 8, aSigned) * extended(byteOf(b, i), 8, bSigned);
    return c;
}

std::uint32_t dp2a(
    std::uint32_t a, std::uint32_t b, std::uint32_t c, bool aSigned, bool bSigned, bool high)
{
    for (std::uint32_t i = 0; i < 2; ++i)
        c += extended((a >> (16 * i)) & 0xffffu, 16, aSigned)
            * extended(byteOf(b, i + (high ? 2 : 0)), 8, bSigned);
    return c;
}

std::uint32_t reverseBits(std::uint32_t a)
{
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
    a = ((a >> 8) & 0x00ff00ffu) | ((a & 0x00ff00ffu) << 8);
    return (a >> 16) | (a << 16);
}

std::uint64_t reverseBits(std::uint64_t a)
{
    return (std::uint64_t(reverseBits(std::uint32_t(a))) << 32)
        | reverseBits(std::uint32_t(a >> 32));
}

std::uint32_t findBit(std::uint64_t a, int width, bool isSigned, bool shiftAmount)
{
    const std::uint64_t mask = lowBits(std::uint32_t(width));
    a &= mask;
    if (isSigned && ((a >> (width - 1)) & 1))
        a = ~a & mask;
    if (a == 0)
        return 0xffffffffu;
    const int position = 63 - std::countl_zero(a);
    return std::uint32_t(shiftAmount ? width - 1 - position : position);
}

std::uint32_t findNthSet(std::uint32_t mask, std::uint32_t base, std::int32_t offset)
{
    if (offset == 0)
        return base < 32 && ((mask >> base) & 1u) ? base : 0xffffffffu;
    std::int64_t left = offset < 0 ? -std::int64_t(offset) : offset;
    for (std::int64_t at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
        if (((mask >> at) & 1u) && --left == 0)
            return std::uint32_t(at);
    }
    return 0xffffffffu;
}

std::uint32_t bitMask(std::uint32_t position, std::uint32_t width, bool wrap)
{
    if (!wrap && position >= 32)
        return 0;
    const std::uint32_t from = position & 31u;
    const std::uint32_t count = !wrap && width >= 32 ? 32 : width & 31u;
    return std::uint32_t(lowBits(count) << from);
}

std::uint32_t extend(std::uint32_t a, std::uint32_t width, bool isSigned, bool wrap)
{
    if (!wrap && width >= 32)
        return a;
    const std::uint32_t count = width & 31u;
    const auto field = std::uint32_t(a & lowBits(count));
    return count == 0 ? 0 : extended(field, int(count), isSigned);
}

std::uint64_t mulHigh(std::uint64_t a, std::uint64_t b)
{
    const std::uint64_t aLow = a & 0xffffffffu, aHigh = a >> 32;
    const std::uint64_t bLow = b & 0xffffffffu, bHigh = b >> 32;
    const std::uint64_t cross = aHigh * bLow + ((aLow * bLow) >> 32);
    const std::uint64_t middle = aLow * bHigh + (cross & 0xffffffffu);
    return aHigh * bHigh + (cross >> 32) + (middle >> 32);
}

std::int64_t mulHigh(std::int64_t a, std::int64_t b)
{
    std::uint64_t high = mulHigh(std::uint64_t(a), std::uint64_t(b));
    high -= a < 0 ? std::uint64_t(b) : 0;
    high -= b < 0 ? std::uint64_t(a) : 0;
    return std::int64_t(high);
}

std::uint32_t mul24(std::uint32_t a, std::uint32_t b, bool isSigned, bool high)
{
    const std::uint32_t x = extended(a & 0xffffffu, 24, isSigned);
    const std::uint32_t y = extended(b & 0xffffffu, 24, isSigned);
    const std::uint64_t product = isSigned
        ? std::uint64_t(std::int64_t(std::int32_t(x)) * std::int32_t(y))
        : std::uint64_t(x) * y;
    return std::uint32_t(product >> (high ? 16 : 0));
}

} // namespace gpu::ptx
