#include "gpu/verify/generator.h"
#include "gpu/verify/numberformat.h"

#include <QTest>

#include <cmath>

class TestGenerator : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void philoxKnownAnswers();
    void dependsOnSeedStreamAndIndex();
    void normalHasItsMoments();
    void uniformStaysInside();
    void secretSeedsDiffer();
    void halfRoundTripsAllBits();
    void roundsToNearestEven();
    void truncates_data();
    void truncates();
};

/// The vectors published with the algorithm (Random123, kat_vectors).
void TestGenerator::philoxKnownAnswers()
{
    using Word4 = std::array<std::uint32_t, 4>;
    QVERIFY((gpu::philox({0, 0, 0, 0}, {0, 0})
        == Word4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t f = 0xffffffff;
    QVERIFY((gpu::philox({f, f, f, f}, {f, f})
        == Word4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QVERIFY((gpu::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})
        == Word4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void TestGenerator::dependsOnSeedStreamAndIndex()
{
    const gpu::Generator g(7, 1);
    QVERIFY(g.bits(0) == gpu::Generator(7, 1).bits(0));
    QVERIFY(g.bits(0) != g.bits(1));
    QVERIFY(g.bits(0) != g.bits(std::uint64_t{1} << 32));
    QVERIFY(g.bits(0) != gpu::Generator(8, 1).bits(0));
    QVERIFY(g.bits(0) != gpu::Generator(7 + (std::uint64_t{1} << 40), 1).bits(0));
    QVERIFY(g.bits(0) != gpu::Generator(7, 2).bits(0));
}

void TestGenerator::normalHasItsMoments()
{
    constexpr int Count = 100000;
    const gpu::Generator g(3, 0);
    double sum = 0, square = 0, fourth = 0;
    for (int i = 0; i < Count; ++i) {
        const double x = g.normal(i);
        sum += x;
        square += x * x;
        fourth += x * x * x * x;
    }
    QVERIFY(std::fabs(sum / Count) < 0.02);
    QVERIFY(std::fabs(square / Count - 1) < 0.03);
    QVERIFY(std::fabs(fourth / Count - 3) < 0.2);
}

void TestGenerator::uniformStaysInside()
{
    const gpu::Generator g(4, 0);
    double sum = 0;
    for (int i = 0; i < 20000; ++i) {
        const double x = g.uniform(i);
        QVERIFY(x > 0 && x < 1);
        QVERIFY(g.below(i, 10) < 10);
        sum += x;
    }
    QVERIFY(std::fabs(sum / 20000 - 0.5) < 0.02);
}

void TestGenerator::secretSeedsDiffer()
{
    QVERIFY(gpu::secretSeed() != gpu::secretSeed());
}

void TestGenerator::halfRoundTripsAllBits()
{
    for (int bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double h = gpu::doubleFromHalf(half), b = gpu::doubleFromBfloat(half);
        if (std::isnan(h))
            QVERIFY(std::isnan(gpu::doubleFromHalf(gpu::halfFromDouble(h))));
        else
            QCOMPARE(gpu::halfFromDouble(h), half);
        if (std::isnan(b))
            QVERIFY(std::isnan(gpu::doubleFromBfloat(gpu::bfloatFromDouble(b))));
        else
            QCOMPARE(gpu::bfloatFromDouble(b), half);
    }
}

void TestGenerator::roundsToNearestEven()
{
    QCOMPARE(gpu::doubleFromHalf(gpu::halfFromDouble(2049)), 2048.0);
    QCOMPARE(gpu::doubleFromHalf(gpu::halfFromDouble(2051)), 2052.0);
    QCOMPARE(gpu::doubleFromHalf(gpu::halfFromDouble(65519)), 65504.0);
    QVERIFY(std::isinf(gpu::doubleFromHalf(gpu::halfFromDouble(65520))));
    QCOMPARE(gpu::doubleFromBfloat(gpu::bfloatFromDouble(257)), 256.0);
    QCOMPARE(gpu::doubleFromBfloat(gpu::bfloatFromDouble(259)), 260.0);
    // Just above the middle: rounding through float first would go to even.
    QCOMPARE(gpu::doubleFromBfloat(gpu::bfloatFromDouble(257 + 1e-10)), 258.0);
}

void TestGenerator::truncates_data()
{
    QTest::addColumn<int>("format");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("wanted");
    const int tf32 = static_cast<int>(gpu::Format::Tf32),
              fp16 = static_cast<int>(gpu::Format::Fp16),
              bf16 = static_cast<int>(gpu::Format::Bf16);
    QTest::newRow("tf32") << tf32 << 1 + 0x1.ffp-10 << 1 + 0x1p-10;
    QTest::newRow("tf32 negative") << tf32 << -(1 + 0x1.ffp-10) << -(1 + 0x1p-10);
    QTest::newRow("tf32 keeps range") << tf32 << 0x1p100 << 0x1p100;
    QTest::newRow("fp16") << fp16 << 2049.9 << 2048.0;
    QTest::newRow("fp16 overflows") << fp16 << -70000.0 << -std::numeric_limits<double>::infinity();
    QTest::newRow("fp16 underflows") << fp16 << 0x1p-25 << 0.0;
    QTest::newRow("bf16") << bf16 << 1003.9 << 1000.0;
}

void TestGenerator::truncates()
{
    QFETCH(int, format);
    QFETCH(double, value);
    QFETCH(double, wanted);
    QCOMPARE(gpu::truncateTo(static_cast<gpu::Format>(format), value), wanted);
}

QTEST_APPLESS_MAIN(TestGenerator)
#include "tst_generator.moc"
