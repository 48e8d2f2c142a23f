#include "gpu/bench/timer.h"

#include <QTest>

/// The order of warm-up, samples and checks, and when timing ends; times are made up.
class TestTimer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void warmsUpPreparesAndStops();
    void faultEndsIt();
    void verifyEndsIt();
    void runOffDecides_data();
    void runOffDecides();
    void runOffTakesTurns();
    void runOffDoesNotStopWhereItLooksClear();
    void runOffNamesWhoFellOut();
};

static gpu::TimerSteps steady(double microseconds, std::vector<int> *prepared = nullptr)
{
    gpu::TimerSteps steps;
    steps.prepare = [prepared](int run) -> std::optional<gpu::DeviceFault> {
        if (prepared)
            prepared->push_back(run);
        return std::nullopt;
    };
    steps.sample = [microseconds](gpu::RunStatistics &statistics) {
        statistics.microseconds = microseconds;
        return std::optional<gpu::DeviceFault>();
    };
    return steps;
}

void TestTimer::warmsUpPreparesAndStops()
{
    std::vector<int> prepared;
    const auto result = gpu::timePlan(steady(100, &prepared), {}, 2);
    const auto &time = std::get<gpu::TimeStatistics>(result);
    QCOMPARE(time.medianUs, 100.0);
    QCOMPARE(time.samplesUs.size(), 7u);
    QCOMPARE(prepared, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

void TestTimer::faultEndsIt()
{
    gpu::TimerSteps steps = steady(100);
    int runs = 0;
    steps.sample = [&runs](gpu::RunStatistics &) -> std::optional<gpu::DeviceFault> {
        if (++runs == 4)
            return gpu::DeviceFault{gpu::Verdict::Crash, "a trap", {}};
        return std::nullopt;
    };
    const auto result = gpu::timePlan(steps, {}, 2);
    QVERIFY(std::get<gpu::DeviceFault>(result).verdict == gpu::Verdict::Crash);
}

void TestTimer::verifyEndsIt()
{
    gpu::TimerSteps steps = steady(100);
    steps.verify = [](int run) { return run < 3; };
    const auto result = gpu::timePlan(steps, {}, 2);
    QCOMPARE(std::get<gpu::TimeStatistics>(result).samplesUs.size(), 2u);
}

void TestTimer::runOffDecides_data()
{
    QTest::addColumn<double>("b");
    QTest::addColumn<int>("wanted");
    QTest::newRow("faster") << 80.0 << static_cast<int>(gpu::Comparison::Faster);
    QTest::newRow("slower") << 120.0 << static_cast<int>(gpu::Comparison::Slower);
    QTest::newRow("same") << 100.0 << static_cast<int>(gpu::Comparison::Same);
}

void TestTimer::runOffDecides()
{
    QFETCH(double, b);
    QFETCH(int, wanted);
    const auto result = gpu::runOff(steady(100), steady(b), {});
    QVERIFY(!result.failed);
    QCOMPARE(result.pairs, 7u);
    QCOMPARE(static_cast<int>(result.times.comparison), wanted);
}

void TestTimer::runOffTakesTurns()
{
    std::string order;
    const auto noting = [&order](char name) {
        gpu::TimerSteps steps = steady(100);
        steps.prepare = [&order, name](int run) -> std::optional<gpu::DeviceFault> {
            order += name + std::to_string(run);
            return std::nullopt;
        };
        return steps;
    };
    gpu::StoppingRule rule;
    rule.leastSamples = 2;
    gpu::runOff(noting('a'), noting('b'), rule);
    QCOMPARE(order, std::string("a0b0a1b1a2b2"));
}

void TestTimer::runOffDoesNotStopWhereItLooksClear()
{
    // Every pair says "faster", but how much varies: an answer from the first pairs is none.
    gpu::TimerSteps b = steady(0);
    int run = 0;
    b.sample = [&run](gpu::RunStatistics &statistics) {
        statistics.microseconds = 80 + run++ % 10;
        return std::optional<gpu::DeviceFault>();
    };
    gpu::StoppingRule rule;
    rule.mostSamples = 50;
    rule.limitSeconds = 1000;
    const auto result = gpu::runOff(steady(100), b, rule);
    QCOMPARE(result.pairs, 50u);
    QVERIFY(result.times.comparison == gpu::Comparison::Faster);
}

void TestTimer::runOffNamesWhoFellOut()
{
    gpu::TimerSteps wrong = steady(100), faulty = steady(100);
    wrong.verify = [](int run) { return run < 3; };
    int runs = 0;
    faulty.sample = [&runs](gpu::RunStatistics &) -> std::optional<gpu::DeviceFault> {
        if (++runs == 2)
            return gpu::DeviceFault{gpu::Verdict::Crash, "a trap", {}};
        return std::nullopt;
    };
    const auto first = gpu::runOff(wrong, steady(100), {});
    QVERIFY(first.failed == gpu::Contender::A);
    QVERIFY(!first.fault);
    QCOMPARE(first.pairs, 2u);
    const auto second = gpu::runOff(steady(100), faulty, {});
    QVERIFY(second.failed == gpu::Contender::B);
    QVERIFY(second.fault->verdict == gpu::Verdict::Crash);
}

QTEST_APPLESS_MAIN(TestTimer)
#include "tst_timer.moc"
