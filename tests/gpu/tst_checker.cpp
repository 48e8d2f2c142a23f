#include "fakedevice.h"

#include "gpu/verify/checker.h"
#include "gpu/verify/numberformat.h"
#include "gpu/verify/probe.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>

using Call = FakeDevice::Call;

/// The evaluation protocol, with kernels that are C++ functions: y = softmax of the rows of x.
class TestChecker : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void verdicts_data();
    void verdicts();
    void okHasEverything();
    void checksCoverSizesAndDistributions();
    void unwrittenElementIsNamed();
    void tooLittleMemoryTellsBothNumbers();
    void impossibleTime();
    void freesItsBuffers();
    void probeAcceptsAndRefuses();
    void probeRefusesAWrongSeed();
    void cancelled();
    void runOffComparesAndFreesAll();
    void runOffFindsWhoFallsOut_data();
    void runOffFindsWhoFallsOut();
};

namespace {
constexpr std::size_t Columns = 64;

template <class T>
void softmax(Call &call, std::size_t from = 0, std::size_t to = ~std::size_t{0}, int order = 1)
{
    const std::vector<float> &x = call.in.at("x");
    for (std::size_t row = from; row < std::min(to, x.size() / Columns); ++row) {
        const float *in = x.data() + row * Columns;
        const T top = *std::max_element(in, in + Columns);
        T sum = 0;
        for (std::size_t i = 0; i < Columns; ++i)
            sum += std::exp(static_cast<T>(in[order > 0 ? i : Columns - 1 - i]) - top);
        for (std::size_t i = 0; i < Columns; ++i)
            call.y[row * Columns + i]
                = static_cast<float>(std::exp(static_cast<T>(in[i]) - top) / sum);
    }
}

/// Writes fp64, as oracles do.
void oracle(Call &call)
{
    const std::vector<float> &x = call.in.at("x");
    for (std::size_t row = 0; row < x.size() / Columns; ++row) {
        const float *in = x.data() + row * Columns;
        const double top = static_cast<double>(*std::max_element(in, in + Columns));
        double sum = 0;
        for (std::size_t i = 0; i < Columns; ++i)
            sum += std::exp(static_cast<double>(in[i]) - top);
        for (std::size_t i = 0; i < Columns; ++i) {
            const double value = std::exp(static_cast<double>(in[i]) - top) / sum;
            std::memcpy(call.y.data() + 2 * (row * Columns + i), &value, sizeof value);
        }
    }
}

gpu::Problem softmaxProblem()
{
    gpu::Problem problem;
    problem.id = "softmax";
    problem.dims = {{"rows", "16"}};
    problem.sizes = {{"small", {{"rows", 16}}}, {"odd", {{"rows", 5}}}};
    problem.inputs = {{"x", gpu::DType::F32, {"rows", "64"}, false}};
    problem.outputs = {{"y", gpu::DType::F32, {"rows", "64"}, false}};
    problem.flops = "rows*64*4";
    problem.bytes = "rows*64*8";
    problem.precision = "fp32";
    return problem;
}

gpu::SizedProgram programOf(const char *kernel)
{
    gpu::SizedProgram program;
    program.code.ptx = kernel;
    program.plan.scratch = {{"scratch", gpu::DType::F32, 4, std::nullopt}};
    return program;
}

struct Fixture {
    FakeDevice device, trusted;
    std::vector<std::unique_ptr<gpu::Reference>> references;
    gpu::SizedProgram candidate;

    explicit Fixture(FakeDevice::Kernel kernel, const char *seed = "fp32")
    {
        trusted.kernels["fp32"] = [](Call &call) { softmax<float>(call); };
        trusted.kernels["zeros"] = [](Call &call) { std::ranges::fill(call.y, 0.f); };
        trusted.kernels["fp64"] = oracle;
        device.kernels = trusted.kernels;
        device.kernels["candidate"] = std::move(kernel);
        candidate = programOf("candidate");
        for (const char *const size : {"small", "odd"}) {
            auto reference
                = gpu::Reference::open(trusted, gpu::sizeProblem(softmaxProblem(), size).value(),
                    programOf("fp64"), programOf(seed));
            references.push_back(std::move(*reference));
        }
    }
    gpu::Evaluation evaluate(bool time = true, std::function<bool()> cancelled = {})
    {
        gpu::CheckOptions options;
        options.time = time;
        options.cancelled = std::move(cancelled);
        return gpu::Checker(
            device, {{references[0].get(), &candidate}, {references[1].get(), &candidate}}, options)
            .evaluate();
    }
    /// The candidate against `rival`.
    gpu::RunOffAnswer runOff(FakeDevice::Kernel rival)
    {
        device.kernels["rival"] = std::move(rival);
        const gpu::SizedProgram other = programOf("rival");
        gpu::CheckOptions options;
        options.stopping.mostSamples = 20;
        gpu::Checker a(device, {{references[0].get(), &candidate}}, options);
        gpu::Checker b(device, {{references[0].get(), &other}}, options);
        return gpu::Checker::runOff(a, b);
    }
    gpu::Status probe()
    {
        return gpu::probeProblem(device, {references[0].get(), references[1].get()}, "fp32");
    }
};

void cutTo(Call &call, gpu::Format format)
{
    for (float &value : call.in["x"])
        value = static_cast<float>(gpu::truncateTo(format, static_cast<double>(value)));
}

struct Case {
    const char *name;
    const char *verdict;
    FakeDevice::Kernel kernel;
};

const std::vector<Case> &cases()
{
    static const std::vector<Case> all{
        {"honest", "ok", [](Call &c) { softmax<float>(c, 0, ~0u, -1); }},
        {"fp64", "ok", [](Call &c) { softmax<double>(c); }},
        {"zeros", "wrong_result", [](Call &c) { std::ranges::fill(c.y, 0.f); }},
        {"mean", "wrong_result", [](Call &c) { std::ranges::fill(c.y, 1.f / Columns); }},
        {"does nothing", "wrong_result", [](Call &) {}},
        {"first rows only", "wrong_result", [](Call &c) { softmax<float>(c, 0, 3); }},
        {"one element off", "wrong_result",
            [](Call &c) {
                softmax<float>(c);
                c.y[77] *= 1.5f;
            }},
        {"tf32", "precision",
            [](Call &c) {
                cutTo(c, gpu::Format::Tf32);
                softmax<float>(c);
            }},
        {"bf16", "precision",
            [](Call &c) {
                cutTo(c, gpu::Format::Bf16);
                softmax<float>(c);
            }},
        {"no maximum subtracted", "wrong_result",
            [](Call &c) {
                for (float &v : c.in["x"])
                    v = std::exp(v) > 3e38f ? NAN : v;
                softmax<float>(c);
            }},
        {"changes an input", "input_modified",
            [](Call &c) {
                softmax<float>(c);
                c.poke("x", 3, 0.5f);
            }},
        {"caches its first answer", "wrong_result",
            [](Call &c) {
                if (c.cache.empty()) {
                    softmax<float>(c);
                    c.cache = c.y;
                }
                c.y = c.cache;
            }},
        {"keeps an answer in scratch", "wrong_result",
            [](Call &c) {
                if (c.in["scratch"][0] == 7.f && !std::isnan(c.y[0]))
                    return;
                softmax<float>(c);
                c.poke("scratch", 0, 7.f);
            }},
        {"stops after 30 calls", "wrong_result",
            [](Call &c) {
                if (c.count < 30)
                    softmax<float>(c);
            }},
        {"lazy in the timing only", "wrong_result",
            [](Call &c) {
                if (c.count < 27 || c.count > 31)
                    softmax<float>(c);
            }},
        {"wrong at odd", "wrong_result",
            [](Call &c) { softmax<float>(c, c.y.size() == 5 * Columns, ~0u); }},
        {"varies in the last bit", "ok",
            [](Call &c) { softmax<float>(c, 0, ~0u, c.count % 2 ? 1 : -1); }},
        {"varies for real", "nondeterministic",
            [](Call &c) {
                softmax<float>(c);
                if (c.count % 2)
                    c.y[5] += 0.1f;
            }},
        {"race", "nondeterministic",
            [](Call &c) {
                softmax<float>(c);
                if (c.checked)
                    c.fault = gpu::DeviceFault{gpu::Verdict::Nondeterministic, "a race", {}};
            }},
        {"fault", "memory_fault",
            [](Call &c) {
                c.fault = gpu::DeviceFault{gpu::Verdict::MemoryFault, "a fault", {}};
            }},
        {"fault at the tenth call", "crash", [](Call &c) {
             softmax<float>(c);
             if (c.count == 9)
                 c.fault = gpu::DeviceFault{gpu::Verdict::Crash, "a trap", {}};
         }}};
    return all;
}
} // namespace

void TestChecker::verdicts_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < cases().size(); ++i)
        QTest::newRow(cases()[i].name) << static_cast<int>(i);
}

void TestChecker::verdicts()
{
    QFETCH(int, index);
    const Case &each = cases()[static_cast<std::size_t>(index)];
    Fixture fixture(each.kernel);
    const gpu::Evaluation e = fixture.evaluate();
    QVERIFY2(name(e.verdict) == each.verdict,
        qPrintable(QString::fromStdString(std::string(name(e.verdict)) + ": " + e.message)));
    QCOMPARE(e.time.has_value(), e.verdict == gpu::Verdict::Ok);
    QCOMPARE(e.message.empty(), e.verdict == gpu::Verdict::Ok && index != 16);
}

void TestChecker::okHasEverything()
{
    Fixture fixture([](Call &c) { softmax<float>(c); });
    const gpu::Evaluation e = fixture.evaluate();
    QCOMPARE(e.precision.precisionClass, std::string("fp32"));
    QCOMPARE(e.precision.yardsticks.size(), 4u);
    QVERIFY(e.precision.allclose1e4 && e.precision.allclose1e2);
    QVERIFY(e.seed != 0);
    QCOMPARE(e.time->medianUs, 1000.0);
    QVERIFY(e.floorUs > 8 && e.floorUs < 9);
    QVERIFY(e.seed != fixture.evaluate().seed);
}

void TestChecker::checksCoverSizesAndDistributions()
{
    Fixture fixture([](Call &c) { softmax<float>(c); });
    const gpu::Evaluation e = fixture.evaluate(false);
    QVERIFY(!e.time);
    QCOMPARE(e.checks.size(), 24u);
    for (const char *const size : {"small", "odd"})
        QCOMPARE(std::ranges::count(e.checks, size, &gpu::CheckResult::size), 12);
    QVERIFY(std::ranges::all_of(e.checks, &gpu::CheckResult::passed));
}

void TestChecker::unwrittenElementIsNamed()
{
    Fixture fixture([](Call &c) { softmax<float>(c, 0, 3); });
    const gpu::Evaluation e = fixture.evaluate();
    QVERIFY2(e.message.find("y[3, 0] was never written") != std::string::npos, e.message.c_str());
    QCOMPARE(e.wrong->index, (std::vector<std::int64_t>{3, 0}));
    QVERIFY(e.wrong->wanted > 0);
    QCOMPARE(e.checks.size(), 1u);
    QVERIFY(!e.checks[0].passed);
}

void TestChecker::tooLittleMemoryTellsBothNumbers()
{
    Fixture fixture([](Call &c) { softmax<float>(c); });
    fixture.device.free_ = 1000;
    const gpu::Evaluation e = fixture.evaluate();
    QVERIFY(e.verdict == gpu::Verdict::EnvironmentError);
    QVERIFY2(e.message.find("1 MB") != std::string::npos
            && e.message.find("smaller size") != std::string::npos,
        e.message.c_str());
}

void TestChecker::impossibleTime()
{
    Fixture fixture([](Call &c) { softmax<float>(c); });
    fixture.device.microseconds = 1;
    const gpu::Evaluation e = fixture.evaluate();
    QVERIFY(e.verdict == gpu::Verdict::ImpossibleTime);
    QVERIFY(!e.time);
}

void TestChecker::freesItsBuffers()
{
    Fixture fixture([](Call &c) { softmax<float>(c); });
    fixture.evaluate();
    QCOMPARE(fixture.device.buffersInUse(), 0u);
}

void TestChecker::probeAcceptsAndRefuses()
{
    Fixture good([](Call &) {});
    const gpu::Status accepted = good.probe();
    QVERIFY2(accepted.ok(), accepted.ok() ? "" : accepted.error().message.c_str());

    Fixture bad([](Call &) {});
    // A "truth" that does not depend on its input: zeros would solve it.
    bad.trusted.kernels["fp64"] = bad.trusted.kernels["zeros"];
    bad.references.clear();
    auto reference = gpu::Reference::open(bad.trusted,
        gpu::sizeProblem(softmaxProblem(), "small").value(), programOf("fp64"), programOf("zeros"));
    const gpu::Status refused = gpu::probeProblem(bad.device, {reference->get()}, "fp32");
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().blame == gpu::Blame::Caller);
    QVERIFY(
        refused.error().message.find("zeros passes at size small on normal") != std::string::npos);
}

void TestChecker::probeRefusesAWrongSeed()
{
    Fixture fixture([](Call &) {}, "zeros");
    const gpu::Status refused = fixture.probe();
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().message.find("seed.cu") != std::string::npos,
        refused.error().message.c_str());
}

void TestChecker::cancelled()
{
    Fixture fixture([](Call &c) { softmax<float>(c); });
    int polls = 0;
    const gpu::Evaluation e = fixture.evaluate(true, [&] { return ++polls > 3; });
    QVERIFY(e.verdict == gpu::Verdict::EnvironmentError);
    QVERIFY(e.message.find("cancelled") != std::string::npos);
}

void TestChecker::runOffComparesAndFreesAll()
{
    Fixture fixture([](Call &c) { softmax<float>(c); });
    const gpu::RunOffAnswer answer = fixture.runOff([](Call &c) {
        softmax<float>(c, 0, ~0u, -1);
        c.microseconds = 900;
    });
    QVERIFY(!answer.failed);
    QVERIFY(answer.times.comparison == gpu::Comparison::Faster);
    QCOMPARE(answer.times.ratio.value, 0.9);
    QCOMPARE(answer.pairs, 7u);
    QCOMPARE(fixture.device.buffersInUse(), 0u);
    const gpu::RunOffAnswer read = gpu::runOffAnswerFromJson(toJson(answer));
    QVERIFY(read.times.comparison == gpu::Comparison::Faster);
    QCOMPARE(read.times.ratio.high, answer.times.ratio.high);
    QCOMPARE(read.pairs, answer.pairs);
}

void TestChecker::runOffFindsWhoFallsOut_data()
{
    QTest::addColumn<bool>("candidate"); // or the rival
    QTest::addColumn<bool>("fault"); // or a wrong result
    for (const bool candidate : {false, true})
        for (const bool fault : {false, true})
            QTest::addRow("%s, %s", candidate ? "A" : "B", fault ? "fault" : "wrong")
                << candidate << fault;
}

void TestChecker::runOffFindsWhoFallsOut()
{
    QFETCH(bool, candidate);
    QFETCH(bool, fault);
    const auto honest = [](Call &c) { softmax<float>(c); };
    const auto lazy = [fault](Call &c) {
        softmax<float>(c);
        if (c.count < 5)
            return;
        if (fault)
            c.fault = gpu::DeviceFault{gpu::Verdict::MemoryFault, "a fault", {}};
        else
            c.y[9] = 0.5f;
    };
    FakeDevice::Kernel a = honest, b = honest;
    (candidate ? a : b) = lazy;
    const gpu::RunOffAnswer answer = Fixture(a).runOff(b);
    QVERIFY(answer.failed == (candidate ? gpu::Contender::A : gpu::Contender::B));
    QVERIFY(
        answer.failure.verdict == (fault ? gpu::Verdict::MemoryFault : gpu::Verdict::WrongResult));
    QVERIFY(!answer.failure.message.empty());
    QCOMPARE(answer.failure.wrong.has_value(), !fault);
    const gpu::RunOffAnswer read = gpu::runOffAnswerFromJson(toJson(answer));
    QVERIFY(read.failed == answer.failed);
    QVERIFY(read.failure.verdict == answer.failure.verdict);
}

QTEST_APPLESS_MAIN(TestChecker)
#include "tst_checker.moc"
