#include "gpu/bench/statistics.h"
#include "gpu/verify/generator.h"

#include <QTest>

using gpu::Comparison;

class TestStatistics : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void medians();
    void ranksAreTheBinomials_data();
    void ranksAreTheBinomials();
    void intervalCoversTheMedian();
    void stops();
    void compares_data();
    void compares();
    void aaRarelyDiffers();
};

void TestStatistics::medians()
{
    QCOMPARE(gpu::median({3, 1, 2}), 2.0);
    QCOMPARE(gpu::median({4, 1, 2, 3}), 2.5);
    QCOMPARE(gpu::median({}), 0.0);
    const gpu::TimeStatistics time = gpu::summarise({5, 1, 3});
    QCOMPARE(time.medianUs, 3.0);
    QCOMPARE(time.minUs, 1.0);
    QCOMPARE(time.samplesUs, (std::vector<double>{5, 1, 3}));
}

/// Ranks of the 95% interval from the published tables of the sign test.
void TestStatistics::ranksAreTheBinomials_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("5: the whole range") << 5 << 1.0 << 5.0;
    QTest::newRow("6") << 6 << 1.0 << 6.0;
    QTest::newRow("9") << 9 << 2.0 << 8.0;
    QTest::newRow("20") << 20 << 6.0 << 15.0;
    QTest::newRow("50") << 50 << 18.0 << 33.0;
}

void TestStatistics::ranksAreTheBinomials()
{
    QFETCH(int, count);
    QFETCH(double, low);
    QFETCH(double, high);
    std::vector<double> values;
    for (int i = count; i >= 1; --i)
        values.push_back(i);
    const gpu::Interval interval = gpu::medianInterval(values);
    QCOMPARE(interval.low, low);
    QCOMPARE(interval.high, high);
}

void TestStatistics::intervalCoversTheMedian()
{
    int covered = 0;
    constexpr int Trials = 1000, Samples = 25;
    for (std::uint32_t trial = 0; trial < Trials; ++trial) {
        const gpu::Generator generator(1, trial);
        std::vector<double> values;
        for (int i = 0; i < Samples; ++i)
            values.push_back(generator.uniform(i));
        const gpu::Interval interval = gpu::medianInterval(values);
        covered += interval.low <= 0.5 && interval.high >= 0.5;
    }
    QVERIFY2(covered >= 940, qPrintable(QString::number(covered)));
}

void TestStatistics::stops()
{
    gpu::StoppingRule rule;
    const std::vector<double> steady(7, 100.0);
    QVERIFY(!rule.enough(std::vector<double>(6, 100.0), 99));
    QVERIFY(rule.enough(steady, 0));
    std::vector<double> spread{90, 95, 100, 105, 110, 115, 120};
    QVERIFY(!rule.enough(spread, 0.1));
    QVERIFY(rule.enough(spread, 0.8));
    rule.mostSamples = 7;
    QVERIFY(rule.enough(spread, 0.1));
}

void TestStatistics::compares_data()
{
    QTest::addColumn<double>("factor");
    QTest::addColumn<double>("noise");
    QTest::addColumn<int>("wanted");
    QTest::newRow("faster") << 0.8 << 0.02 << static_cast<int>(Comparison::Faster);
    QTest::newRow("slower") << 1.3 << 0.02 << static_cast<int>(Comparison::Slower);
    QTest::newRow("same") << 1.0 << 0.002 << static_cast<int>(Comparison::Same);
    QTest::newRow("unclear") << 1.0 << 0.5 << static_cast<int>(Comparison::Unclear);
}

void TestStatistics::compares()
{
    QFETCH(double, factor);
    QFETCH(double, noise);
    QFETCH(int, wanted);
    const gpu::Generator generator(2, 0);
    std::vector<double> a, b;
    for (int i = 0; i < 30; ++i) {
        const double drift = 1 + 0.02 * i; // both slow down together
        a.push_back(100 * drift * (1 + noise * (generator.uniform(2 * i) - 0.5)));
        b.push_back(100 * factor * drift * (1 + noise * (generator.uniform(2 * i + 1) - 0.5)));
    }
    QCOMPARE(static_cast<int>(gpu::compareTimes(a, b).comparison), wanted);
}

/// One and the same candidate against itself: a difference in at most 5% of run-offs.
void TestStatistics::aaRarelyDiffers()
{
    int differing = 0;
    for (std::uint32_t trial = 0; trial < 400; ++trial) {
        const gpu::Generator generator(9, trial);
        std::vector<double> a, b;
        for (int i = 0; i < 20; ++i) {
            a.push_back(100 + 5 * generator.uniform(2 * i));
            b.push_back(100 + 5 * generator.uniform(2 * i + 1));
        }
        const Comparison c = gpu::compareTimes(a, b, 0).comparison;
        differing += c == Comparison::Faster || c == Comparison::Slower;
    }
    QVERIFY2(differing <= 26, qPrintable(QString::number(differing)));
}

QTEST_APPLESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
