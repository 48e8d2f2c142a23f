#include "gpu/verify/distribution.h"
#include "gpu/verify/numberformat.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using gpu::DType;

class TestDistribution : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void expandsStripesAndPutsNormalFirst();
    void refusesUnknownNames();
    void isAFunctionOfSeedAndTensor();
    void parametersStayNormal();
    void shapes_data();
    void shapes();
    void stripesHideVarianceFromStridedBlocks();
    void integersAndBooleans();
    void specialValuesHaveAllThree();
};

static std::vector<double> fill(
    const char *distribution, std::vector<std::int64_t> shape = {64, 256})
{
    return gpu::generate(distribution, {DType::F32, std::move(shape), false, 0}, 11);
}

static double mean(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

static double variance(const std::vector<double> &values)
{
    const double m = mean(values);
    double sum = 0;
    for (const double v : values)
        sum += (v - m) * (v - m);
    return sum / static_cast<double>(values.size());
}

void TestDistribution::expandsStripesAndPutsNormalFirst()
{
    const auto some = gpu::expandDistributions({"stripes", "uniform"}, 3);
    QVERIFY(some.ok());
    QCOMPARE(some.value(),
        (std::vector<std::string>{"normal", "stripes_0", "stripes_1", "stripes_2", "uniform"}));
    const auto all = gpu::expandDistributions({}, 2);
    QCOMPARE(all.value().size(), 12u);
    QVERIFY(std::count(all.value().begin(), all.value().end(), "special_values") == 0);
}

void TestDistribution::refusesUnknownNames()
{
    const auto result = gpu::expandDistributions({"normal", "gaussian"}, 2);
    QVERIFY(!result.ok());
    QVERIFY(result.error().blame == gpu::Blame::Caller);
    QVERIFY(result.error().message.find("\"gaussian\"") != std::string::npos);
    QVERIFY(result.error().message.find("heavy_tails") != std::string::npos);
}

void TestDistribution::isAFunctionOfSeedAndTensor()
{
    const gpu::InputShape a{DType::F32, {100}, false, 0}, b{DType::F32, {100}, false, 1};
    QVERIFY(gpu::generate("normal", a, 5) == gpu::generate("normal", a, 5));
    QVERIFY(gpu::generate("normal", a, 5) != gpu::generate("normal", a, 6));
    QVERIFY(gpu::generate("normal", a, 5) != gpu::generate("normal", b, 5));
}

void TestDistribution::parametersStayNormal()
{
    const gpu::InputShape weight{DType::F32, {8, 64}, true, 2};
    QVERIFY(gpu::generate("large_offset", weight, 5) == gpu::generate("normal", weight, 5));
}

void TestDistribution::shapes_data()
{
    QTest::addColumn<QByteArray>("distribution");
    QTest::addColumn<double>("meanLow");
    QTest::addColumn<double>("meanHigh");
    QTest::addColumn<double>("deviationLow");
    QTest::addColumn<double>("deviationHigh");
    QTest::newRow("normal") << QByteArray("normal") << -0.05 << 0.05 << 0.95 << 1.05;
    QTest::newRow("uniform") << QByteArray("uniform") << 0.48 << 0.52 << 0.27 << 0.31;
    QTest::newRow("large_offset") << QByteArray("large_offset") << 999.9 << 1000.1 << 0.95 << 1.05;
    QTest::newRow("large_scale") << QByteArray("large_scale") << -500.0 << 500.0 << 9e3 << 1.1e4;
    QTest::newRow("tiny_scale") << QByteArray("tiny_scale") << -1e-5 << 1e-5 << 9e-5 << 1.1e-4;
    QTest::newRow("one_hot") << QByteArray("one_hot") << 0.0039 << 0.0040 << 0.06 << 0.063;
    QTest::newRow("sparse") << QByteArray("sparse") << -0.02 << 0.02 << 0.15 << 0.3;
    QTest::newRow("ramp") << QByteArray("ramp") << -0.4 << 0.4 << 1.0 << 1.5;
    QTest::newRow("heavy_tails") << QByteArray("heavy_tails") << -1.0 << 1.0 << 2.0 << 50.0;
}

void TestDistribution::shapes()
{
    QFETCH(QByteArray, distribution);
    QFETCH(double, meanLow);
    QFETCH(double, meanHigh);
    QFETCH(double, deviationLow);
    QFETCH(double, deviationHigh);
    const std::vector<double> values = fill(distribution.constData());
    QCOMPARE(values.size(), 64u * 256u);
    QVERIFY2(mean(values) > meanLow && mean(values) < meanHigh,
        qPrintable(QString::number(mean(values))));
    const double deviation = std::sqrt(variance(values));
    QVERIFY2(deviation > deviationLow && deviation < deviationHigh,
        qPrintable(QString::number(deviation)));
}

/// The fault of a published kernel: each of 16 strided parts sees next to no variance, so a sum of
/// their variances loses nearly all of it.
void TestDistribution::stripesHideVarianceFromStridedBlocks()
{
    const std::vector<double> row = fill("stripes_1", {1, 4096});
    double within = 0;
    for (int lane = 0; lane < 16; ++lane) {
        std::vector<double> part;
        for (std::size_t i = static_cast<std::size_t>(lane); i < 37; i += 16)
            part.push_back(row[i]);
        within = std::max(within, variance(part));
    }
    QVERIFY(within < 1e-3);
    QVERIFY(variance(row) > 0.1);
}

void TestDistribution::integersAndBooleans()
{
    const auto ints = gpu::generate("normal", {DType::I32, {1000}, false, 0}, 1);
    const auto decoded = gpu::decodeElements(DType::I32, gpu::encodeElements(DType::I32, ints));
    QVERIFY(std::sqrt(variance(decoded)) > 8);
    for (const double value : decoded)
        QCOMPARE(value, std::round(value));
    for (const double value : gpu::generate("normal", {DType::Bool, {1000}, false, 0}, 1))
        QVERIFY(value == 0 || value == 1);
    const auto bytes = gpu::encodeElements(DType::U8, std::vector<double>{-5, 300, 7.4});
    QCOMPARE(gpu::decodeElements(DType::U8, bytes), (std::vector<double>{0, 255, 7}));
}

void TestDistribution::specialValuesHaveAllThree()
{
    const std::vector<double> values = fill("special_values");
    QVERIFY(std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }));
    QCOMPARE(
        std::count_if(values.begin(), values.end(), [](double v) { return std::isinf(v); }), 2);
}

QTEST_APPLESS_MAIN(TestDistribution)
#include "tst_distribution.moc"
