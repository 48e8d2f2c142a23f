#include "gpu/ptx/approximate.h"
#include "gpu/ptx/bits.h"
#include "gpu/ptx/numeric.h"

#include <QtTest>

#include <cmath>

using namespace gpu::ptx;

namespace {

constexpr std::uint32_t Words[] = {0, 1, 0x80000000u, 0x7fffffffu, 0xffffffffu, 0x12345678u,
    0xdeadbeefu, 0x00010000u, 0x80000001u};

/// bfe one bit at a time, as the ISA's pseudocode writes it.
std::uint64_t slowExtract(
    std::uint64_t a, unsigned position, unsigned length, unsigned msb, bool isSigned)
{
    position &= 0xff;
    length &= 0xff;
    const bool fill = isSigned && length && ((a >> std::min(position + length - 1, msb)) & 1);
    std::uint64_t result = 0;
    for (unsigned i = 0; i <= msb; ++i) {
        const bool bit = i < length && position + i <= msb ? (a >> (position + i)) & 1 : fill;
        result |= std::uint64_t(bit) << i;
    }
    return result;
}

double ulpError(float got, double want)
{
    const float nearest = float(want);
    const double ulp = std::nextafter(std::fabs(nearest), INFINITY) - std::fabs(nearest);
    return std::fabs(double(got) - want) / ulp;
}

} // namespace

class TestPtxBits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fields()
    {
        for (std::uint32_t a : Words)
            for (unsigned position : {0u, 1u, 7u, 16u, 31u, 32u, 40u, 63u, 64u, 255u, 256u})
                for (unsigned length : {0u, 1u, 8u, 31u, 32u, 33u, 63u, 64u, 255u, 257u}) {
                    QCOMPARE(extractU32(a, position, length),
                        std::uint32_t(slowExtract(a, position, length, 31, false)));
                    QCOMPARE(std::uint32_t(extractS32(std::int32_t(a), position, length)),
                        std::uint32_t(slowExtract(a, position, length, 31, true)));
                    const std::uint64_t wide = std::uint64_t(a) << 32 | ~a;
                    QCOMPARE(extractU64(wide, position, length),
                        slowExtract(wide, position, length, 63, false));
                    QCOMPARE(std::uint64_t(extractS64(std::int64_t(wide), position, length)),
                        slowExtract(wide, position, length, 63, true));
                    std::uint32_t inserted = 0x5a5a5a5au;
                    for (unsigned i = 0; i < (length & 0xff) && (position & 0xff) + i < 32; ++i) {
                        const unsigned at = (position & 0xff) + i;
                        inserted = (inserted & ~(1u << at)) | ((i < 32 ? (a >> i) & 1u : 0u) << at);
                    }
                    QCOMPARE(insertB32(a, 0x5a5a5a5au, position, length), inserted);
                }
        QCOMPARE(insertB64(0xffu, 0, 60, 8), 0xf000000000000000ull);
    }

    void shifts()
    {
        QCOMPARE(shiftLeft(1, 31, 32), 0x80000000ull);
        QCOMPARE(shiftLeft(1, 32, 32), 0ull);
        QCOMPARE(shiftLeft(0xffff, 4, 16), 0xfff0ull);
        QCOMPARE(shiftRight(0x80000000u, 31, 32, true), 0xffffffffull);
        QCOMPARE(shiftRight(0x80000000u, 40, 32, true), 0xffffffffull);
        QCOMPARE(shiftRight(0x80000000u, 40, 32, false), 0ull);
        QCOMPARE(shiftRight(0x8000u, 4, 16, true), 0xf800ull);
        QCOMPARE(shiftRight(~0ull, 64, 64, true), ~0ull);
        QCOMPARE(funnelLeft(0x80000001u, 0x12345678u, 4, false), 0x23456788u);
        QCOMPARE(funnelLeft(0xaaaaaaaau, 0x12345678u, 32, false), 0xaaaaaaaau);
        QCOMPARE(funnelLeft(0xaaaaaaaau, 0x12345678u, 32, true), 0x12345678u);
        QCOMPARE(funnelRight(0x80000001u, 0x12345678u, 4, true), 0x88000000u);
        QCOMPARE(funnelRight(0x80000001u, 0x12345678u, 50, false), 0x12345678u);
        QCOMPARE(funnelRight(0x80000001u, 0x12345678u, 33, true), 0x40000000u);
    }

    void permutes()
    {
        const std::uint32_t a = 0x83020100u, b = 0x07060584u;
        QCOMPARE(prmt(a, b, 0x3210, PermuteMode::Default), a);
        QCOMPARE(prmt(a, b, 0x7654, PermuteMode::Default), b);
        QCOMPARE(prmt(a, b, 0xcb80, PermuteMode::Default), 0xffff0000u);
        const std::uint32_t f4e[] = {0x83020100u, 0x84830201u, 0x05848302u, 0x06058483u};
        const std::uint32_t b4e[] = {0x05060700u, 0x06070001u, 0x07000102u, 0x00010283u};
        const std::uint32_t rc8[] = {0, 0x01010101u, 0x02020202u, 0x83838383u};
        const std::uint32_t ecl[] = {0x83020100u, 0x83020101u, 0x83020202u, 0x83838383u};
        const std::uint32_t ecr[] = {0, 0x01010100u, 0x02020100u, 0x83020100u};
        const std::uint32_t rc16[] = {0x01000100u, 0x83028302u, 0x01000100u, 0x83028302u};
        for (std::uint32_t i = 0; i < 4; ++i) {
            QCOMPARE(prmt(a, b, i, PermuteMode::F4e), f4e[i]);
            QCOMPARE(prmt(a, b, i, PermuteMode::B4e), b4e[i]);
            QCOMPARE(prmt(a, b, i, PermuteMode::Rc8), rc8[i]);
            QCOMPARE(prmt(a, b, i, PermuteMode::Ecl), ecl[i]);
            QCOMPARE(prmt(a, b, i, PermuteMode::Ecr), ecr[i]);
            QCOMPARE(prmt(a, b, i, PermuteMode::Rc16), rc16[i]);
        }
    }

    void logicTables()
    {
        QCOMPARE(lop3<std::uint32_t>(0xf0, 0xcc, 0xaa, 0x80), 0x80u); // and
        QCOMPARE(lop3<std::uint32_t>(0xf0, 0xcc, 0xaa, 0xfe), 0xfeu); // or
        QCOMPARE(lop3<std::uint32_t>(0xf0, 0xcc, 0xaa, 0x96), 0x96u); // xor
        for (unsigned table = 0; table < 256; ++table)
            QCOMPARE(lop3<std::uint8_t>(0xf0, 0xcc, 0xaa, table), std::uint8_t(table));
    }

    void dotProducts()
    {
        QCOMPARE(dp4a(0x01020304u, 0x01010101u, 5, true, true), 15u);
        QCOMPARE(dp4a(0xffffffffu, 0x02020202u, 0, true, false), std::uint32_t(-8));
        QCOMPARE(dp4a(0xffffffffu, 0xffffffffu, 1, false, false), 4u * 65025 + 1);
        QCOMPARE(dp4a(0x80808080u, 0x80808080u, 0x7fffffffu, true, true), 0x7fffffffu + 65536u);
        QCOMPARE(dp2a(0x00020001u, 0x04030201u, 0, true, true, false), 5u);
        QCOMPARE(dp2a(0x00020001u, 0x04030201u, 0, true, true, true), 11u);
        QCOMPARE(
            dp2a(0xffff8000u, 0x000001ffu, 0, true, false, false), std::uint32_t(-32768 * 255 - 1));
    }

    void bitSearches()
    {
        QCOMPARE(reverseBits(0x00000001u), 0x80000000u);
        QCOMPARE(reverseBits(0x12345678u), 0x1e6a2c48u);
        QCOMPARE(reverseBits(std::uint64_t(1)), 0x8000000000000000ull);
        QCOMPARE(findBit(0, 32, false, false), 0xffffffffu);
        QCOMPARE(findBit(0xffffffffu, 32, true, false), 0xffffffffu);
        QCOMPARE(findBit(0x00010000u, 32, false, false), 16u);
        QCOMPARE(findBit(0x00010000u, 32, false, true), 15u);
        QCOMPARE(findBit(0xfffffff0u, 32, true, false), 3u);
        QCOMPARE(findBit(1ull << 63, 64, false, true), 0u);
        QCOMPARE(findNthSet(0b101100u, 0, 1), 2u);
        QCOMPARE(findNthSet(0b101100u, 0, 3), 5u);
        QCOMPARE(findNthSet(0b101100u, 31, -2), 3u);
        QCOMPARE(findNthSet(0b101100u, 2, 0), 2u);
        QCOMPARE(findNthSet(0b101100u, 1, 0), 0xffffffffu);
        QCOMPARE(findNthSet(0b101100u, 0, 4), 0xffffffffu);
        QCOMPARE(bitMask(4, 8, true), 0x00000ff0u);
        QCOMPARE(bitMask(28, 8, true), 0xf0000000u);
        QCOMPARE(bitMask(36, 4, true), 0x000000f0u);
        QCOMPARE(bitMask(36, 4, false), 0u);
        QCOMPARE(bitMask(4, 40, false), 0xfffffff0u);
        QCOMPARE(bitMask(4, 32, true), 0u);
        QCOMPARE(extend(0xffu, 8, true, true), 0xffffffffu);
        QCOMPARE(extend(0xffffffffu, 8, false, true), 0xffu);
        QCOMPARE(extend(0x1234u, 40, true, false), 0x1234u);
        QCOMPARE(extend(0xffu, 40, true, true), 0xffffffffu);
        QCOMPARE(extend(0xffu, 0, true, true), 0u);
    }

    void products()
    {
        QCOMPARE(mulHigh(~std::uint64_t(0), ~std::uint64_t(0)), ~std::uint64_t(0) - 1);
        QCOMPARE(mulHigh(std::int64_t(-1), std::int64_t(-1)), std::int64_t(0));
        QCOMPARE(mulHigh(std::int64_t(-1), std::int64_t(1)), std::int64_t(-1));
        QCOMPARE(
            mulHigh(std::numeric_limits<std::int64_t>::min(), std::int64_t(2)), std::int64_t(-1));
        QCOMPARE(mul24(0x01000003u, 5, false, false), 15u);
        QCOMPARE(mul24(0x00ffffffu, 2, true, false), std::uint32_t(-2));
        QCOMPARE(mul24(0x00ffffffu, 0x00ffffffu, false, true), 0xfffffe00u);
        QCOMPARE(mul24(0x00ffffffu, 2, true, true), 0xffffffffu);
    }

    /// The ISA's error bounds, and its tables of special values.
    void approximations()
    {
        for (int i = -4000; i <= 4000; ++i) {
            const float x = float(i) * 0.013f;
            QVERIFY(ulpError(approximateEx2(x, false), std::exp2(double(x))) <= 2);
            QVERIFY(std::fabs(approximateSin(x, false) - std::sin(double(x))) <= 0x1p-20);
            QVERIFY(std::fabs(approximateCos(x, false) - std::cos(double(x))) <= 0x1p-20);
            QVERIFY(std::fabs(approximateTanh(x) - std::tanh(double(x)))
                <= 0x1p-11 * std::fabs(std::tanh(double(x))));
            if (i == 0)
                continue;
            const float y = std::fabs(x);
            QVERIFY(std::fabs(approximateLg2(y, false) - std::log2(double(y))) <= 0x1p-20);
            QVERIFY(ulpError(approximateRcp(x, false), 1 / double(x)) <= 1);
            QVERIFY(ulpError(approximateRsqrt(y, false), 1 / std::sqrt(double(y))) <= 2);
            QVERIFY(ulpError(approximateDiv(3.7f, x, false), double(3.7f) / double(x)) <= 2);
            const double r = approximateRcpF64(double(x));
            QVERIFY(std::fabs(r * double(x) - 1) < 0x1p-19);
            QCOMPARE(std::bit_cast<std::uint64_t>(r) & 0xffffffffu, 0ull);
            QVERIFY(std::fabs(approximateRsqrtF64(double(y)) * std::sqrt(double(y)) - 1) < 0x1p-19);
        }
        const float inf = INFINITY;
        auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
        QCOMPARE(bits(approximateEx2(-inf, false)), 0u);
        QCOMPARE(bits(approximateEx2(-127.0f, true)), 0u);
        QCOMPARE(approximateEx2(-127.0f, false), 0x1p-127f);
        QCOMPARE(approximateLg2(-0.0f, false), -inf);
        QCOMPARE(approximateLg2(0x1p-149f, true), -inf);
        QCOMPARE(approximateLg2(0x1p-149f, false), -149.0f);
        QCOMPARE(bits(approximateLg2(-1.0f, false)), 0x7fffffffu);
        QCOMPARE(bits(approximateSin(inf, false)), 0x7fffffffu);
        QCOMPARE(bits(approximateSin(-0.0f, false)), 0x80000000u);
        QCOMPARE(bits(approximateRcp(-inf, false)), 0x80000000u);
        QCOMPARE(approximateRcp(-0x1p-140f, true), -inf);
        QCOMPARE(approximateRsqrt(-0.0f, false), -inf);
        QCOMPARE(bits(approximateRsqrt(-1.0f, false)), 0x7fffffffu);
        QCOMPARE(bits(approximateSqrt(-0.0f, false)), 0x80000000u);
        QCOMPARE(bits(approximateDiv(1.0f, -0x1.8p127f, false)), 0x80000000u);
        QCOMPARE(bits(approximateDiv(inf, 0x1.8p127f, false)), 0x7fffffffu);
        QCOMPARE(fullDiv(0x1p127f, 0x1p127f, false), 1.0f);
        QCOMPARE(approximateRcpF64(-0.0), -double(inf));
        QCOMPARE(approximateRcpF64(0x1p-1040), double(inf));
        QCOMPARE(std::bit_cast<std::uint64_t>(approximateRcpF64(-double(inf))), 1ull << 63);
        QCOMPARE(approximateEx2F16(0x3c00, false), std::uint16_t(0x4000));
        QCOMPARE(approximateTanhF16(0x7c00), std::uint16_t(0x3c00));
        QCOMPARE(approximateEx2Bf16(0x7fff), std::uint16_t(0x7fff));
    }
};

QTEST_APPLESS_MAIN(TestPtxBits)
#include "tst_ptx_bits.moc"
