#include "fakecompiler.h"
#include "fakedevice.h"
#include "linechannel.h"

#include "gpu/protocol/preparation.h"
#include "gpu/protocol/runner.h"

#include <QTest>

#include <thread>

using nlohmann::json;

/// The runner's own protocol, over pipes, with devices whose kernels are C++ functions.
class TestRunner : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void evaluatesAndStaysUp();
    void comparesAndStaysUp();
    void probeRefusesTrivialProblems();
    void saysWhatDeviceIsMissing();
    void survivesForeignLines();
};

namespace {

gpu::Result<std::unique_ptr<gpu::Device>> makeDevice()
{
    auto device = std::make_unique<FakeDevice>();
    const auto apply = [](double (*f)(double)) {
        return [f](FakeDevice::Call &call) {
            for (std::size_t i = 0; i < call.y.size(); ++i)
                call.y[i] = static_cast<float>(f(static_cast<double>(call.in["x"][i])));
        };
    };
    device->kernels["oracle"] = [](FakeDevice::Call &call) {
        // The oracle's output is fp64.
        for (std::size_t i = 0; i < call.y.size() / 2; ++i) {
            const double value = 2 * static_cast<double>(call.in["x"][i]);
            std::memcpy(call.y.data() + 2 * i, &value, sizeof value);
        }
    };
    device->kernels["flat"] = [](FakeDevice::Call &call) { std::ranges::fill(call.y, 0.f); };
    device->kernels["seed"] = apply([](double x) { return 2 * x; });
    device->kernels["good"] = device->kernels["seed"];
    device->kernels["bad"] = apply([](double x) { return 3 * x; });
    return std::unique_ptr<gpu::Device>(std::move(device));
}

json request(const char *op, const gpu::Problem &problem, const std::string &body)
{
    FakeCompiler compiler;
    const auto code = [&](const std::string &source) {
        gpu::CompileRequest compile;
        compile.source = source;
        compile.kernels = {"k"};
        return toJson(compiler.compile(compile, 1));
    };
    json codes = json::object();
    for (const char *const size : {"small", "odd"})
        codes[size] = {{"oracle", code(problem.oracleSource)}, {"seed", code(problem.seedSource)},
            {"candidate", code(fakeSource(body))}};
    return {{"op", op}, {"key", "k"}, {"problem", toJson(problem)}, {"sizes", {"small", "odd"}},
        {"codes", codes},
        {"candidate", {{"source", fakeSource(body)}, {"tunables", json::object()}}},
        {"time", true}};
}

json runOffRequest(const char *a, const char *b)
{
    json whole = request("compare", fakeProblem(), a);
    const json other = request("compare", fakeProblem(), b);
    whole["sizes"] = {"small"};
    whole["a"] = whole["candidate"];
    whole["b"] = other["candidate"];
    whole["codes"]["small"]["a"] = whole["codes"]["small"]["candidate"];
    whole["codes"]["small"]["b"] = other["codes"]["small"]["candidate"];
    return whole;
}

struct RunningRunner {
    LineChannel channel;
    int code = -1;
    std::thread thread;

    explicit RunningRunner(decltype(makeDevice) *device = makeDevice)
        : thread([this, device] {
            code = gpu::runRunner(channel.inputFd(), channel.outputFd(), device);
            channel.closeOutput();
        })
    {
    }
    ~RunningRunner()
    {
        channel.closeInput();
        if (thread.joinable())
            thread.join();
    }
};

} // namespace

void TestRunner::evaluatesAndStaysUp()
{
    RunningRunner runner;
    const json hello = runner.channel.receive();
    QCOMPARE(hello["event"].get<std::string>(), std::string("hello"));
    QCOMPARE(hello["device"]["name"].get<std::string>(), std::string("fake"));
    runner.channel.send(request("probe", fakeProblem(), "good"));
    QCOMPARE(runner.channel.receive()["event"].get<std::string>(), std::string("probed"));
    for (const auto &[body, verdict] : {std::pair("good", "ok"), std::pair("bad", "wrong_result"),
             std::pair("missing", "unsupported"), std::pair("good", "ok")}) {
        std::vector<std::string> stages;
        runner.channel.send(request("evaluate", fakeProblem(), body));
        runner.channel.send({{"op", "go"}});
        const json result = runner.channel.receive(&stages);
        QCOMPARE(result["event"].get<std::string>(), std::string("result"));
        QCOMPARE(result["evaluation"]["verdict"].get<std::string>(), std::string(verdict));
        QVERIFY(result["resident_bytes"].get<double>() > 1e6);
        if (verdict == std::string("ok")) {
            QCOMPARE(stages.front(), std::string("check"));
            QCOMPARE(stages.back(), std::string("recheck"));
            QCOMPARE(result["evaluation"]["checks"].size(), 4u);
        }
    }
}

void TestRunner::comparesAndStaysUp()
{
    RunningRunner runner;
    runner.channel.receive();
    for (const auto &[a, b, failed] : {std::tuple("good", "seed", ""),
             std::tuple("good", "bad", "b"), std::tuple("bad", "good", "a"),
             std::tuple("missing", "good", "a"), std::tuple("good", "seed", "")}) {
        std::vector<std::string> stages;
        runner.channel.send(runOffRequest(a, b));
        runner.channel.send({{"op", "go"}});
        const json result = runner.channel.receive(&stages);
        QCOMPARE(result["event"].get<std::string>(), std::string("compared"));
        const json answer = result["answer"];
        QCOMPARE(answer.value("failed", ""), std::string(failed));
        if (!*failed) {
            QCOMPARE(answer["comparison"].get<std::string>(), std::string("same"));
            QCOMPARE(stages, std::vector<std::string>{"time"});
        }
    }
}

void TestRunner::probeRefusesTrivialProblems()
{
    RunningRunner runner;
    runner.channel.receive();
    gpu::Problem problem = fakeProblem();
    problem.oracleSource = fakeSource("flat");
    problem.seedSource = fakeSource("flat");
    runner.channel.send(request("probe", problem, "good"));
    const json refused = runner.channel.receive();
    QCOMPARE(refused["event"].get<std::string>(), std::string("error"));
    QCOMPARE(refused["blame"].get<std::string>(), std::string("caller"));
    QVERIFY(refused["message"].get<std::string>().find("zeros") != std::string::npos);
}

void TestRunner::saysWhatDeviceIsMissing()
{
    RunningRunner runner(+[]() -> gpu::Result<std::unique_ptr<gpu::Device>> {
        return gpu::environmentError("no such device");
    });
    const json error = runner.channel.receive();
    QCOMPARE(error["event"].get<std::string>(), std::string("error"));
    QCOMPARE(error["message"].get<std::string>(), std::string("no such device"));
    runner.thread.join();
    QCOMPARE(runner.code, 3);
}

void TestRunner::survivesForeignLines()
{
    RunningRunner runner;
    runner.channel.receive();
    runner.channel.sendText("garbage\n\n[1,2]\n{\"op\":\"dance\"}\n{\"op\":\"evaluate\"}\n");
    QCOMPARE(runner.channel.receive()["event"].get<std::string>(), std::string("error"));
    runner.channel.send(request("probe", fakeProblem(), "good"));
    QCOMPARE(runner.channel.receive()["event"].get<std::string>(), std::string("probed"));
}

QTEST_APPLESS_MAIN(TestRunner)
#include "tst_runner.moc"
