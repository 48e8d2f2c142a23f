#include "fakecompiler.h"
#include "linechannel.h"

#include "gpu/protocol/preparation.h"
#include "gpu/protocol/worker.h"
#include "gpu/verify/runoffanswer.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using nlohmann::json;

/// The worker's protocol with a fake compiler, and as runner this very program started with
/// --fake-runner, which does what the candidate's code names: die, hang, be killed, leak.
class TestWorker : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void helloTellsEverything();
    void badRunnerIsMissingDevice();
    void loadsOnceAndEvaluates();
    void badRequests_data();
    void badRequests();
    void candidateEnds_data();
    void candidateEnds();
    void onlyThatCandidateFails();
    void cancelsRunningAndQueued();
    void compares();
    void assembly();
    void compilesWaitForTiming();
    void quitEndsARunningCandidate();
};

static std::string ownPath;

/// Whether no runner of this worker has asked before.
static bool firstTime()
{
    const std::string mark = "/tmp/tst_worker." + std::to_string(getppid());
    const int file = open(mark.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        unlink(mark.c_str());
    else
        close(file);
    return file >= 0;
}

static int fakeRunner()
{
    gpu::LineReader reader(STDIN_FILENO);
    gpu::LineWriter writer(STDOUT_FILENO);
    writer.write({{"event", "hello"},
        {"device",
            {{"kind", "cpu"}, {"id", "cpu"}, {"name", "fake"}, {"architecture", "sm_90"},
                {"sm_count", 2}, {"max_shared", 232448}, {"memory_bytes", 1000}}}});
    std::string line;
    while (reader.read(line) == gpu::LineReader::Outcome::Line) {
        const json request = json::parse(line);
        if (request["op"] == "probe") {
            const bool trivial
                = request["codes"]["small"]["oracle"]["ptx"] == std::string("trivial");
            if (trivial)
                writer.write({{"event", "error"}, {"blame", "caller"}, {"message", "zeros pass"}});
            else
                writer.write({{"event", "probed"}});
            continue;
        }
        const json &codes = request["codes"]["small"];
        const bool runOff = request["op"] == "compare";
        const std::string body = codes[runOff ? "b" : "candidate"]["ptx"];
        writer.write({{"event", "stage"}, {"stage", "check"}, {"done", 0}, {"total", 1}});
        if (body == "crash")
            std::abort();
        if (body == "killed" || (body == "killed-once" && firstTime()))
            raise(SIGKILL);
        if (body == "hang")
            for (;;)
                pause();
        if (body == "slow")
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        writer.write({{"event", "stage"}, {"stage", "time"}, {"done", 0}, {"total", 1}});
        if (reader.read(line) != gpu::LineReader::Outcome::Line)
            return 1;
        if (runOff) {
            gpu::RunOffAnswer answer;
            answer.pairs = codes["a"]["ptx"] == "good" ? 7 : 0;
            writer.write({{"event", "compared"}, {"answer", toJson(answer)}});
            continue;
        }
        gpu::Evaluation evaluation;
        evaluation.verdict = gpu::Verdict::Ok;
        evaluation.message = std::to_string(getpid());
        writer.write({{"event", "result"}, {"evaluation", toJson(evaluation)},
            {"resident_bytes", body == "leak" ? 1'000'000'000'000 : 1000}});
    }
    return 0;
}

namespace {

struct RunningWorker {
    LineChannel channel;
    FakeCompiler *compiler = new FakeCompiler; // owned by the worker
    std::thread thread;
    std::int64_t nextId = 100;
    json hello;
    std::string key;

    explicit RunningWorker(const std::vector<std::string> &runner = {ownPath, "--fake-runner"},
        double silenceSeconds = 1)
    {
        gpu::WorkerOptions options;
        options.version = "1.2.3";
        options.runnerCommand = runner;
        options.runnerLimits.silenceSeconds = silenceSeconds;
        options.runnerLimits.helloSeconds = 5;
        thread = std::thread([this, options] {
            gpu::runWorker(channel.inputFd(), channel.outputFd(),
                std::unique_ptr<gpu::Compiler>(compiler), options);
            channel.closeOutput();
        });
        hello = channel.receive();
    }
    ~RunningWorker()
    {
        channel.closeInput();
        thread.join();
    }
    void load()
    {
        channel.send({{"id", 1}, {"op", "load"}, {"problem", toJson(fakeProblem())}});
        const json loaded = channel.receive();
        key = loaded.value("key", loaded.value("message", "?"));
    }
    std::int64_t send(const std::string &body)
    {
        channel.send({{"id", ++nextId}, {"op", "evaluate"}, {"problem", key},
            {"source", fakeSource(body)}, {"size", "small"}, {"time", true}});
        return nextId;
    }
    gpu::Evaluation evaluate(const std::string &body)
    {
        send(body);
        return gpu::evaluationFromJson(channel.receive().value("evaluation", json::object()));
    }
};

} // namespace

void TestWorker::helloTellsEverything()
{
    const json hello = RunningWorker().hello;
    QCOMPARE(hello["event"].get<std::string>(), std::string("hello"));
    QCOMPARE(hello["protocol"].get<int>(), 1);
    QCOMPARE(hello["version"].get<std::string>(), std::string("1.2.3"));
    QCOMPARE(hello["device"]["id"].get<std::string>(), std::string("cpu"));
    QCOMPARE(hello["device"]["sm_count"].get<int>(), 2);
    QCOMPARE(hello["compiler"].get<std::string>(), std::string("fake 1.0"));
    QVERIFY(hello["missing"].empty());
    QCOMPARE(hello["warnings"][0].get<std::string>(), std::string("no sandbox"));
}

void TestWorker::badRunnerIsMissingDevice()
{
    RunningWorker worker({"/bin/false"});
    QVERIFY(worker.hello["device"].is_null());
    QVERIFY(worker.hello["missing"][0].get<std::string>().find("/bin/false") != std::string::npos);
    worker.channel.send({{"id", 5}, {"op", "load"}, {"problem", toJson(fakeProblem())}});
    QCOMPARE(worker.channel.receive()["blame"].get<std::string>(), std::string("environment"));
}

void TestWorker::loadsOnceAndEvaluates()
{
    RunningWorker worker;
    worker.load();
    QCOMPARE(worker.key.size(), 16u);
    const int compiles = worker.compiler->compiles;
    QCOMPARE(compiles, 4); // oracle and seed at two sizes
    const std::string key = worker.key;
    worker.load();
    QCOMPARE(worker.key, key);
    QCOMPARE(worker.compiler->compiles.load(), compiles);
    worker.send("good");
    std::vector<std::string> stages;
    const json result = worker.channel.receive(&stages);
    QCOMPARE(result["id"].get<int>(), 101);
    const gpu::Evaluation e = gpu::evaluationFromJson(result["evaluation"]);
    QVERIFY(e.verdict == gpu::Verdict::Ok);
    QCOMPARE(e.problem, std::string("fake"));
    QCOMPARE(e.size, std::string("small"));
    QCOMPARE(e.compileMs, 2.0);
    QCOMPARE(stages, (std::vector<std::string>{"queued", "compile", "check", "time"}));
}

void TestWorker::badRequests_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("garbage") << QByteArray("hello") << QByteArray("one JSON object");
    QTest::newRow("unknown operation")
        << QByteArray(R"({"id":3,"op":"dance"})") << QByteArray("dance");
    QTest::newRow("not loaded") << QByteArray(
        R"({"id":3,"op":"evaluate","problem":"x","source":""})")
                                << QByteArray("send `load` first");
    QTest::newRow("no problem") << QByteArray(R"({"id":3,"op":"load"})") << QByteArray("");
}

void TestWorker::badRequests()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, says);
    RunningWorker worker;
    worker.channel.sendText(line.toStdString() + "\n");
    const json error = worker.channel.receive();
    QCOMPARE(error["event"].get<std::string>(), std::string("error"));
    QCOMPARE(error["blame"].get<std::string>(), std::string("caller"));
    QVERIFY2(error["message"].get<std::string>().find(says.toStdString()) != std::string::npos,
        error["message"].get<std::string>().c_str());
    worker.load();
    QVERIFY(worker.evaluate("good").verdict == gpu::Verdict::Ok);
}

void TestWorker::candidateEnds_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("verdict");
    QTest::newRow("good") << QByteArray("good") << QByteArray("ok");
    QTest::newRow("does not compile") << QByteArray("broken") << QByteArray("compile_error");
    QTest::newRow("no compiler") << QByteArray("nonvrtc") << QByteArray("environment_error");
    QTest::newRow("dies") << QByteArray("crash") << QByteArray("crash");
    QTest::newRow("killed from outside") << QByteArray("killed") << QByteArray("environment_error");
    QTest::newRow("killed once") << QByteArray("killed-once") << QByteArray("ok");
    QTest::newRow("hangs") << QByteArray("hang") << QByteArray("timeout");
    QTest::newRow("leaks") << QByteArray("leak") << QByteArray("ok");
}

void TestWorker::candidateEnds()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, verdict);
    RunningWorker worker;
    worker.load();
    const gpu::Evaluation e = worker.evaluate(body.toStdString());
    QCOMPARE(QByteArray(name(e.verdict).data()), verdict);
    QVERIFY(!e.message.empty());
    const gpu::Evaluation next = worker.evaluate("good");
    QVERIFY2(next.verdict == gpu::Verdict::Ok, next.message.c_str());
    if (body == "leak")
        QVERIFY(next.message != e.message); // another process
    if (body == "good")
        QCOMPARE(next.message, e.message);
}

void TestWorker::onlyThatCandidateFails()
{
    RunningWorker worker;
    worker.load();
    std::map<std::int64_t, std::string> wanted;
    for (const auto &[body, verdict] :
        {std::pair("good", "ok"), std::pair("crash", "crash"), std::pair("good", "ok"),
            std::pair("broken", "compile_error"), std::pair("good", "ok")})
        wanted[worker.send(body)] = verdict;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const json result = worker.channel.receive();
        QCOMPARE(result["evaluation"]["verdict"].get<std::string>(),
            wanted[result["id"].get<std::int64_t>()]);
    }
}

void TestWorker::cancelsRunningAndQueued()
{
    RunningWorker worker({ownPath, "--fake-runner"}, 30);
    worker.load();
    const std::int64_t running = worker.send("hang");
    // Compiles end in any order: the other one could have the runner first.
    QVERIFY(worker.channel.waitForStage("check"));
    const std::int64_t queued = worker.send("good");
    worker.channel.send({{"op", "cancel"}, {"id", 7}, {"target", queued}});
    worker.channel.send({{"op", "cancel"}, {"id", 8}, {"target", running}});
    worker.channel.send({{"op", "cancel"}, {"id", 9}, {"target", 4711}});
    std::vector<std::int64_t> cancelled;
    for (int i = 0; i < 2; ++i) {
        const json event = worker.channel.receive();
        QVERIFY2(event["event"] == "cancelled", event.dump().c_str());
        cancelled.push_back(event["id"].get<std::int64_t>());
    }
    QVERIFY(
        cancelled == (std::vector{running, queued}) || cancelled == (std::vector{queued, running}));
    QVERIFY(worker.evaluate("good").verdict == gpu::Verdict::Ok);
}

void TestWorker::compares()
{
    RunningWorker worker;
    worker.load();
    const auto compare = [&worker](const char *a, const char *b, std::vector<std::string> *stages) {
        worker.channel.send(
            {{"id", 60}, {"op", "compare"}, {"problem", worker.key}, {"size", "small"},
                {"a", {{"source", fakeSource(a)}}}, {"b", {{"source", fakeSource(b)}}}});
        return worker.channel.receive(stages);
    };
    std::vector<std::string> stages;
    json answer = compare("good", "good", &stages);
    QCOMPARE(answer["event"].get<std::string>(), std::string("compared"));
    QCOMPARE(answer["id"].get<int>(), 60);
    QCOMPARE(answer["pairs"].get<int>(), 7);
    QCOMPARE(stages, (std::vector<std::string>{"queued", "compile", "check", "time"}));
    answer = compare("good", "broken", nullptr);
    QCOMPARE(answer["failed"].get<std::string>(), std::string("b"));
    QCOMPARE(answer["evaluation"]["verdict"].get<std::string>(), std::string("compile_error"));
    // Who brought it down is not known, so none of the two is blamed.
    for (const char *body : {"crash", "killed", "hang"}) {
        answer = compare("good", body, nullptr);
        QCOMPARE(answer["event"].get<std::string>(), std::string("error"));
        QCOMPARE(answer["blame"].get<std::string>(), std::string("environment"));
        QVERIFY(!answer["message"].get<std::string>().empty());
    }
    answer = compare("good", "good", nullptr);
    QCOMPARE(answer["event"].get<std::string>(), std::string("compared"));
}

void TestWorker::assembly()
{
    RunningWorker worker;
    worker.load();
    json request = {{"id", 50}, {"op", "assembly"}, {"problem", worker.key},
        {"source", fakeSource("good")}, {"size", "small"}, {"form", "ptx"}};
    worker.channel.send(request);
    QCOMPARE(worker.channel.receive()["text"].get<std::string>(), std::string("good"));
    request["form"] = "sass";
    worker.channel.send(request);
    QCOMPARE(worker.channel.receive()["blame"].get<std::string>(), std::string("environment"));
    request["form"] = "poem";
    worker.channel.send(request);
    QCOMPARE(worker.channel.receive()["blame"].get<std::string>(), std::string("caller"));
}

void TestWorker::compilesWaitForTiming()
{
    RunningWorker worker;
    worker.load();
    worker.compiler->milliseconds = 50;
    for (int i = 0; i < 6; ++i)
        worker.send("slow");
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 6; ++i)
        QCOMPARE(worker.channel.receive()["evaluation"]["verdict"].get<std::string>(),
            std::string("ok"));
    // Six checks of 300 ms one after another; compiles overlap them and are not starved.
    QVERIFY2(timer.elapsed() < 20000, qPrintable(QString::number(timer.elapsed())));
}

void TestWorker::quitEndsARunningCandidate()
{
    QElapsedTimer timer;
    {
        RunningWorker worker({ownPath, "--fake-runner"}, 30);
        worker.load();
        worker.send("hang");
        QTest::qWait(200);
        timer.start();
        worker.channel.send({{"op", "quit"}});
    }
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
}

int main(int argc, char **argv)
{
    if (argc > 1 && std::string_view(argv[1]) == "--fake-runner")
        return fakeRunner();
    ownPath = argv[0];
    TestWorker test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_worker.moc"
