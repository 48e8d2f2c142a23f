#include "gpu/ptx/numeric.h"

#include <QtTest>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <vector>

using namespace gpu::ptx;

Q_DECLARE_METATYPE(gpu::ptx::FloatFormat)

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();

template <class T> auto bitsOf(T value)
{
    if constexpr (sizeof(T) == 8)
        return std::bit_cast<std::uint64_t>(value);
    else
        return std::bit_cast<std::uint32_t>(value);
}

/// A small format's finite values in ascending order, built from the definition of its encoding.
struct Value {
    double value;
    std::uint64_t bits;
};
std::vector<Value> nonNegativeValues(const FloatFormat &format)
{
    std::vector<Value> values;
    const int bias = (1 << (format.exponentBits - 1)) - 1;
    const int exponents = 1 << format.exponentBits, fractions = 1 << format.mantissaBits;
    for (int e = 0; e < (format.infinity ? exponents - 1 : exponents); ++e)
        for (int f = 0; f < fractions; ++f) {
            if (!format.infinity && e == exponents - 1 && f == fractions - 1)
                continue;
            const double value = e == 0 ? std::ldexp(f, 1 - bias - format.mantissaBits)
                                        : std::ldexp(fractions + f, e - bias - format.mantissaBits);
            values.push_back({value, std::uint64_t(e) << format.mantissaBits | std::uint64_t(f)});
        }
    return values;
}

/// Rounds by searching the table for the two neighbours: shares nothing with encodeFloat.
std::uint64_t roundBySearch(
    const FloatFormat &format, const std::vector<Value> &values, double x, Rounding rounding)
{
    const bool negative = std::signbit(x);
    const double magnitude = std::fabs(x);
    const std::uint64_t sign = std::uint64_t(negative)
        << (format.exponentBits + format.mantissaBits);
    auto above = std::lower_bound(values.begin(), values.end(), magnitude,
        [](const Value &v, double m) { return v.value < m; });
    if (above != values.end() && above->value == magnitude)
        return sign | above->bits;
    const bool away
        = (rounding == Rounding::Rm && negative) || (rounding == Rounding::Rp && !negative);
    const bool nearest = rounding == Rounding::Rn || rounding == Rounding::Rna;
    const Value below = *(above - 1);
    if (above == values.end()) {
        const double gap = below.value - values[values.size() - 2].value;
        const bool over = nearest ? magnitude >= below.value + gap / 2 : away;
        return sign | (below.bits + (over && format.infinity ? 1 : 0));
    }
    const double down = magnitude - below.value, up = above->value - magnitude;
    bool takeAbove = away;
    if (nearest)
        takeAbove = up < down || (up == down && (rounding == Rounding::Rna || (below.bits & 1)));
    return sign | (takeAbove ? above->bits : below.bits);
}

const std::vector<float> &edgeFloats()
{
    static const std::vector<float> values = [] {
        std::vector<float> list{0.0f, 1.0f, 1.5f, 3.0f, 0x1p-149f, 0x1.8p-127f, 0x1p-126f,
            0x1.fffffcp-127f, 0x1.fffffep127f, 0x1p127f, 0x1.000002p0f, 0x1.fffffep-1f, 1e-20f,
            1e20f, 0.1f, 7.0f, 0x1p-75f, 0x1.000002p-75f, 0x1.234568p10f, 0x1p64f, 33554431.0f,
            0x1.8p-149f, 0x1p-100f, 0x1.5p31f, Infinity};
        const std::size_t count = list.size();
        for (std::size_t i = 0; i < count; ++i)
            list.push_back(-list[i]);
        return list;
    }();
    return values;
}

constexpr Rounding Directed[] = {Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp};

template <class T, class F> T inHostMode(Rounding rounding, F f)
{
    constexpr int Modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(Modes[int(rounding)]);
    volatile T result = f();
    std::fesetround(FE_TONEAREST);
    return result;
}

bool sameFloat(float a, float b)
{
    return (a != a && bitsOf(b) == 0x7fffffffu) || bitsOf(a) == bitsOf(b);
}

} // namespace

class TestPtxNumeric : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void halfRoundTrip()
    {
        for (std::uint32_t i = 0; i < 65536; ++i) {
            const auto half = std::uint16_t(i);
            const float value = f16ToF32(half);
            const auto native = std::bit_cast<_Float16>(half);
            if (value != value) {
                QVERIFY((half & 0x7fff) > 0x7c00);
                QCOMPARE(bitsOf(value), 0x7fffffffu);
                QCOMPARE(f32ToF16(value), std::uint16_t(0x7fff));
                continue;
            }
            QCOMPARE(bitsOf(value), bitsOf(float(native)));
            QCOMPARE(f32ToF16(value), half);
            QCOMPARE(decodeFloat(format::F16, half), double(value));
        }
    }

    void brainRoundTrip()
    {
        for (std::uint32_t i = 0; i < 65536; ++i) {
            const float value = bf16ToF32(std::uint16_t(i));
            QCOMPARE(bitsOf(value), i << 16);
            QCOMPARE(f32ToBf16(value), std::uint16_t(value != value ? 0x7fff : i));
        }
    }

    void fastConversionsFollowTheDefinition()
    {
        // A prime stride over all f32, and all ties and their neighbours of f16 and bf16.
        auto check = [](std::uint32_t bits) {
            const float value = std::bit_cast<float>(bits);
            if (value != value)
                return f32ToF16(value) == 0x7fff && f32ToBf16(value) == 0x7fff;
            return f32ToF16(value) == std::bit_cast<std::uint16_t>(_Float16(value))
                && f32ToBf16(value) == encodeFloat(format::BF16, value, Rounding::Rn);
        };
        for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 6007)
            QVERIFY2(check(std::uint32_t(bits)), qPrintable(QString::number(bits, 16)));
        for (std::uint32_t half = 0; half < 0x7c00; ++half) {
            const float tie = float((double(f16ToF32(std::uint16_t(half)))
                                        + f16ToF32(std::uint16_t(half == 0x7bff ? half : half + 1)))
                / 2);
            for (int delta = -1; delta <= 1; ++delta)
                QVERIFY(check(bitsOf(tie) + std::uint32_t(half || delta >= 0 ? delta : 0)));
        }
        for (std::uint32_t brain = 0; brain < 0x8000; ++brain)
            for (std::uint32_t low : {0x7fffu, 0x8000u, 0x8001u})
                QVERIFY(check(brain << 16 | low));
    }

    void smallFormats_data()
    {
        QTest::addColumn<FloatFormat>("format");
        QTest::newRow("e4m3") << format::E4M3;
        QTest::newRow("e5m2") << format::E5M2;
        QTest::newRow("f16") << format::F16;
        QTest::newRow("bf16") << format::BF16;
    }
    void smallFormats()
    {
        QFETCH(FloatFormat, format);
        const std::vector<Value> values = nonNegativeValues(format);
        for (std::size_t i = 0; i + 1 < values.size(); ++i) {
            const double low = values[i].value, high = values[i + 1].value, tie = (low + high) / 2;
            QCOMPARE(decodeFloat(format, values[i].bits), low);
            for (double x : {low, tie, std::nextafter(tie, low), std::nextafter(tie, high),
                     std::nextafter(low, high), std::nextafter(high, low)})
                for (Rounding rounding :
                    {Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp, Rounding::Rna})
                    for (double signedX : {x, -x})
                        if (encodeFloat(format, signedX, rounding)
                            != roundBySearch(format, values, signedX, rounding))
                            QFAIL(qPrintable(
                                QStringLiteral("%1 mode %2").arg(signedX).arg(int(rounding))));
        }
        const double most = values.back().value;
        for (Rounding rounding : {Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp})
            for (double x : {most * 1.001, most * 1.5, most * 1e30, -most * 1.001, -most * 4}) {
                QCOMPARE(
                    encodeFloat(format, x, rounding), roundBySearch(format, values, x, rounding));
                QCOMPARE(encodeFloat(format, std::fabs(x), rounding, true), values.back().bits);
            }
        QCOMPARE(encodeFloat(format, double(Infinity), Rounding::Rn, true), values.back().bits);
        QCOMPARE(encodeFloat(format, NanF64, Rounding::Rn, true), format.nan);
    }

    void tf32()
    {
        QCOMPARE(toTf32(1.0f, Rounding::Rna), 0x3f800000u);
        QCOMPARE(toTf32(0x1.002p0f, Rounding::Rna), 0x3f802000u); // half way, odd target: away
        QCOMPARE(toTf32(0x1.002p0f, Rounding::Rn), 0x3f800000u);
        QCOMPARE(toTf32(-0x1.002p0f, Rounding::Rna), 0xbf802000u);
        QCOMPARE(toTf32(0x1.003ffep0f, Rounding::Rz), 0x3f800000u);
        QCOMPARE(toTf32(0x1.fffffep127f, Rounding::Rn), 0x7f800000u);
        QCOMPARE(toTf32(0x1.fffffep127f, Rounding::Rn, true), 0x7f7fe000u);
        QCOMPARE(toTf32(NanF32, Rounding::Rna), 0x7fffe000u); // an H200's
        QCOMPARE(tf32Operand(0x3f801fffu), 1.0f);
    }

    void floatArithmetic()
    {
        const auto &values = edgeFloats();
        for (Rounding mode : Directed)
            for (float a : values) {
                QVERIFY(sameFloat(inHostMode<float>(mode,
                                      [&] {
                                          volatile float x = a;
                                          return std::sqrt(x);
                                      }),
                    gpu::ptx::sqrt(a, mode)));
                for (float b : values) {
                    volatile float x = a, y = b;
                    QVERIFY(
                        sameFloat(inHostMode<float>(mode, [&] { return x + y; }), add(a, b, mode)));
                    QVERIFY(
                        sameFloat(inHostMode<float>(mode, [&] { return x * y; }), mul(a, b, mode)));
                    QVERIFY(sameFloat(
                        inHostMode<float>(mode, [&] { return x / y; }), gpu::ptx::div(a, b, mode)));
                    for (float c : values) {
                        volatile float z = c;
                        const float host
                            = inHostMode<float>(mode, [&] { return std::fma(x, y, z); });
                        if (!sameFloat(host, gpu::ptx::fma(a, b, c, mode)))
                            QFAIL(qPrintable(QStringLiteral("fma %1 %2 %3 mode %4: %5 not %6")
                                                 .arg(a)
                                                 .arg(b)
                                                 .arg(c)
                                                 .arg(int(mode))
                                                 .arg(gpu::ptx::fma(a, b, c, mode))
                                                 .arg(host)));
                    }
                }
            }
        QCOMPARE(std::fegetround(), FE_TONEAREST);
    }

    void doubleArithmetic()
    {
        const double third = 1.0 / 3, tiny = 0x1p-1074, most = std::numeric_limits<double>::max();
        QCOMPARE(gpu::ptx::div(1.0, 3.0, Rounding::Rp), std::nextafter(third, 1));
        QCOMPARE(gpu::ptx::div(1.0, 3.0, Rounding::Rz), third);
        QCOMPARE(gpu::ptx::div(-1.0, 3.0, Rounding::Rm), -std::nextafter(third, 1));
        QCOMPARE(add(1.0, tiny, Rounding::Rp), std::nextafter(1.0, 2.0));
        QCOMPARE(add(1.0, -tiny, Rounding::Rz), std::nextafter(1.0, 0.0));
        QCOMPARE(add(most, most, Rounding::Rz), most);
        QVERIFY(std::isinf(add(most, most, Rounding::Rp)));
        QVERIFY(std::signbit(add(1.0, -1.0, Rounding::Rm)));
        QCOMPARE(mul(tiny, 0.5, Rounding::Rp), tiny);
        QCOMPARE(mul(tiny, 0.5, Rounding::Rn), 0.0);
        QCOMPARE(
            gpu::ptx::fma(0x1.0000000000001p0, 0x1.0000000000001p0, -1.0, Rounding::Rz), 0x1.0p-51);
        QCOMPARE(gpu::ptx::sqrt(2.0, Rounding::Rp), std::nextafter(std::sqrt(2.0), 2.0));
        QCOMPARE(rcp(-0.0, Rounding::Rn), -double(Infinity));
    }

    void halfArithmetic()
    {
        // The compiler's own _Float16 rounds each operation once.
        std::uint32_t state = 1;
        auto next = [&] { return std::uint16_t((state = state * 1664525u + 1013904223u) >> 16); };
        for (int i = 0; i < 200000; ++i) {
            const std::uint16_t a = next(), b = next();
            const auto x = std::bit_cast<_Float16>(a), y = std::bit_cast<_Float16>(b);
            auto same = [](std::uint16_t got, _Float16 want) {
                return want != want ? got == 0x7fff : got == std::bit_cast<std::uint16_t>(want);
            };
            QVERIFY(same(addF16(a, b), x + y) && same(subF16(a, b), x - y));
            QVERIFY(same(mulF16(a, b), x * y));
        }
        const auto half
            = [](double v) { return std::uint16_t(encodeFloat(format::F16, v, Rounding::Rn)); };
        // The product lies on a tie; only the tiny addend says which way.
        QCOMPARE(fmaF16(half(1025), half(1.0 + 1.0 / 1024), half(0x1p-24)), half(1026));
        QCOMPARE(fmaF16(0x3c01, 0x6801, 0x8001), std::uint16_t(0x6802));
        QCOMPARE(fmaF16(half(2049.0 / 2048 * 2048), half(1), half(0)), half(2048));
        QCOMPARE(fmaF16(0x7bff, 0x4000, 0xfbff), std::uint16_t(0x7bff));
        QCOMPARE(fmaF16(0x7c00, 0, 0), std::uint16_t(0x7fff));
        QCOMPARE(fmaBf16(0x3f81, 0x3f80, 0x0001), std::uint16_t(0x3f81));
        QCOMPARE(mulBf16(0x3f81, 0x3f81), std::uint16_t(0x3f82));
        QCOMPARE(addBf16(0x3f80, 0x3b80), std::uint16_t(0x3f80)); // 1 + 2^-8: tie to even
        QCOMPARE(addBf16(0x3f81, 0x3b80), std::uint16_t(0x3f82));
        QCOMPARE(subBf16(0x7f80, 0x7f80), std::uint16_t(0x7fff));
    }

    void integers()
    {
        QCOMPARE(toInteger(2.5, Rounding::Rn, true, 32), 2ull);
        QCOMPARE(toInteger(-2.5, Rounding::Rn, true, 32), std::uint64_t(-2));
        QCOMPARE(toInteger(-2.5, Rounding::Rm, true, 32), std::uint64_t(-3));
        QCOMPARE(toInteger(-2.5, Rounding::Rz, false, 32), 0ull);
        QCOMPARE(toInteger(0x1p-149, Rounding::Rp, true, 32), 1ull);
        QCOMPARE(toInteger(1e10, Rounding::Rz, true, 32), 0x7fffffffull);
        QCOMPARE(toInteger(-1e10, Rounding::Rz, true, 32), ~std::uint64_t(0x7fffffff));
        QCOMPARE(toInteger(1e10, Rounding::Rz, false, 32), 0xffffffffull);
        QCOMPARE(toInteger(300, Rounding::Rz, false, 8), 255ull);
        QCOMPARE(toInteger(-300, Rounding::Rz, true, 8), std::uint64_t(-128));
        QCOMPARE(toInteger(1e30, Rounding::Rz, false, 64), ~0ull);
        QCOMPARE(toInteger(1e30, Rounding::Rz, true, 64), 0x7fffffffffffffffull);
        QCOMPARE(toInteger(-9.3e18, Rounding::Rz, true, 64), 0x8000000000000000ull);
        QCOMPARE(toInteger(NanF64, Rounding::Rz, true, 32, false), 0ull);
        QCOMPARE(toInteger(NanF64, Rounding::Rz, true, 32, true), 0xffffffff80000000ull);
        QCOMPARE(toInteger(NanF64, Rounding::Rz, false, 32, true), 0x80000000ull);
        QCOMPARE(toInteger(NanF64, Rounding::Rz, true, 64, false), 0x8000000000000000ull);
        QCOMPARE(encodeInteger(format::F32, false, 16777217, Rounding::Rn),
            std::uint64_t(bitsOf(16777216.0f)));
        QCOMPARE(encodeInteger(format::F32, false, 16777217, Rounding::Rp),
            std::uint64_t(bitsOf(16777218.0f)));
        QCOMPARE(encodeInteger(format::F32, true, 16777217, Rounding::Rm),
            std::uint64_t(bitsOf(-16777218.0f)));
        QCOMPARE(
            encodeInteger(format::F64, false, ~0ull, Rounding::Rz), bitsOf(18446744073709549568.0));
        QCOMPARE(encodeInteger(format::F16, false, 65520, Rounding::Rn), std::uint64_t(0x7c00));
        QCOMPARE(encodeInteger(format::F16, false, 65520, Rounding::Rz), std::uint64_t(0x7bff));
        QCOMPARE(encodeInteger(format::F32, true, 0, Rounding::Rn), std::uint64_t(0));
        for (std::uint64_t i = 1; i; i = i * 3 + (i >> 62)) {
            QCOMPARE(encodeInteger(format::F32, false, i, Rounding::Rn),
                std::uint64_t(bitsOf(float(i))));
            if (i > (1ull << 62))
                break;
        }
    }

    void minMaxAndModifiers()
    {
        QCOMPARE(bitsOf(minimum(0.0f, -0.0f)), 0x80000000u);
        QCOMPARE(bitsOf(maximum(-0.0f, 0.0f)), 0u);
        QCOMPARE(minimum(NanF32, 1.0f), 1.0f);
        QCOMPARE(maximum(1.0f, NanF32), 1.0f);
        QCOMPARE(bitsOf(minimum(NanF32, 1.0f, true)), 0x7fffffffu);
        QCOMPARE(bitsOf(maximum(std::bit_cast<float>(0xffc00001u), NanF32)), 0x7fffffffu);
        QCOMPARE(minimumF16(0xbc00, 0x3c00), std::uint16_t(0xbc00));
        QCOMPARE(maximumF16(0x7e01, 0x8000), std::uint16_t(0x8000));
        QCOMPARE(maximumBf16(0x8000, 0x0000), std::uint16_t(0x0000));
        QCOMPARE(minimumBf16(0x7f81, 0x3f80, true), std::uint16_t(0x7fff));
        QCOMPARE(xorsignMinimum(-2.0f, 3.0f), -2.0f);
        QCOMPARE(xorsignMaximum(-2.0f, -3.0f), 3.0f);
        QCOMPARE(bitsOf(flush(-0x1p-127f)), 0x80000000u);
        QCOMPARE(flush(0x1p-126f), 0x1p-126f);
        QCOMPARE(flushF16(0x83ff), std::uint16_t(0x8000));
        QCOMPARE(bitsOf(saturate(NanF32)), 0u);
        QCOMPARE(bitsOf(saturate(-0.0f)), 0u);
        QCOMPARE(saturate(2.0f), 1.0f);
        QCOMPARE(bitsOf(relu(-0.0f)), 0u);
        QVERIFY(std::isnan(relu(NanF32)));
        QCOMPARE(bitsOf(roundToIntegral(-0.25f, Rounding::Rn)), 0x80000000u);
        QCOMPARE(roundToIntegral(2.5, Rounding::Rp), 3.0);
        QCOMPARE(f64ToF32(1.0 + 0x1p-25, Rounding::Rp), 0x1.000002p0f);
        QCOMPARE(f64ToF32(1e300, Rounding::Rz), std::numeric_limits<float>::max());
        QCOMPARE(f64ToF32(0x1p-150, Rounding::Rp), 0x1p-149f);
    }
};

QTEST_APPLESS_MAIN(TestPtxNumeric)
#include "tst_ptx_numeric.moc"
