#pragma once

#include <bit>
#include <cstdint>

/// The integer and bit instructions whose definition is more than a C++ operator.
namespace gpu::ptx {

/// shl, shr: shift counts above the width give zero or, for signed shr, the sign.
std::uint64_t shiftLeft(std::uint64_t a, std::uint32_t count, int width);
std::uint64_t shiftRight(std::uint64_t a, std::uint32_t count, int width, bool isSigned);

std::uint32_t extractU32(std::uint32_t a, std::uint32_t position, std::uint32_t length); ///< bfe
std::int32_t extractS32(std::int32_t a, std::uint32_t position, std::uint32_t length);
std::uint64_t extractU64(std::uint64_t a, std::uint32_t position, std::uint32_t length);
std::int64_t extractS64(std::int64_t a, std::uint32_t position, std::uint32_t length);
/// bfi f, a, b, position, length: the low bits of a put into b.
std::uint32_t insertB32(
    std::uint32_t a, std::uint32_t b, std::uint32_t position, std::uint32_t length);
std::uint64_t insertB64(
    std::uint64_t a, std::uint64_t b, std::uint32_t position, std::uint32_t length);

enum class PermuteMode : std::uint8_t { Default, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector, PermuteMode mode);

/// lop3: bit i of the table is the result for (a, b, c) = the bits of i, a the most significant.
template <class T> static constexpr T lop3(T a, T b, T c, unsigned table)
{
    T result = 0;
    for (unsigned i = 0; i < 8; ++i)
        if ((table >> i) & 1u)
            result |= T((i & 4u ? a : T(~a)) & (i & 2u ? b : T(~b)) & (i & 1u ? c : T(~c)));
    return result;
}

/// shf.l / shf.r of the pair [high, low]; `wrap` takes the count modulo 32, else it clamps at 32.
std::uint32_t funnelLeft(std::uint32_t low, std::uint32_t high, std::uint32_t count, bool wrap);
std::uint32_t funnelRight(std::uint32_t low, std::uint32_t high, std::uint32_t count, bool wrap);

/// dp4a and dp2a: dot products of bytes (and, for dp2a, of 16-bit halves of a) added to c, modulo
/// 2^32. `high` takes the upper two bytes of b.
std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool aSigned, bool bSigned);
std::uint32_t dp2a(
    std::uint32_t a, std::uint32_t b, std::uint32_t c, bool aSigned, bool bSigned, bool high);

std::uint32_t reverseBits(std::uint32_t a); ///< brev.b32
std::uint64_t reverseBits(std::uint64_t a); ///< brev.b64
/// bfind: position of the most significant non-sign bit, 0xffffffff if none; `shiftAmount` counts
/// from the top.
std::uint32_t findBit(std::uint64_t a, int width, bool isSigned, bool shiftAmount);
/// fns: the n-th set bit from `base`, upwards for a positive offset; 0xffffffff if none.
std::uint32_t findNthSet(std::uint32_t mask, std::uint32_t base, std::int32_t offset);
std::uint32_t bitMask(std::uint32_t position, std::uint32_t width, bool wrap); ///< bmsk
/// szext: sign- or zero-extends the low `width` bits.
std::uint32_t extend(std::uint32_t a, std::uint32_t width, bool isSigned, bool wrap);

std::uint64_t mulHigh(std::uint64_t a, std::uint64_t b); ///< mul.hi.u64
std::int64_t mulHigh(std::int64_t a, std::int64_t b); ///< mul.hi.s64
/// mul24 / mad24: the low 24 bits, sign- or zero-extended; `high` gives bits 47..16.
std::uint32_t mul24(std::uint32_t a, std::uint32_t b, bool isSigned, bool high);

} // namespace gpu::ptx
