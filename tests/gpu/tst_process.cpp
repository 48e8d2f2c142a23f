#include "gpu/base/process.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <thread>

using gpu::ChildProcess;
using gpu::ProcessLimits;
using gpu::runProcess;
using Outcome = ChildProcess::Outcome;

namespace {
std::vector<std::string> shell(std::string script)
{
    return {"/bin/sh", "-c", std::move(script)};
}

int openDescriptors()
{
    int count = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

/// Alive or a zombie that somebody still has to reap counts as there.
bool exists(pid_t pid)
{
    return ::kill(pid, 0) == 0;
}

pid_t pidFrom(const std::string &text)
{
    return static_cast<pid_t>(std::stol(text));
}
} // namespace

class TestProcess : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runs_data();
    void runs();
    void missingProgramIsAnEnvironmentError();
    void bigInputAndOutputDoNotDeadlock();
    void endsAtTheTimeLimit();
    void killsTheWholeGroup();
    void killsWhatTheChildLeftBehind();
    void cancels();
    void boundsTheOutput();
    void keepsTheTailOfTheErrors();
    void limitsAddressSpace();
    void leaksNothing();
    void speaksLineByLine();
    void reportsTheEndOfTheChild();
    void survivesADeadReader();
    void interruptsFromAnotherThread();
    void readsTheLineOfADeadChildWhoseGrandchildLives();
};

void TestProcess::runs_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("input");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("signal");
    QTest::addColumn<QString>("out");
    QTest::addColumn<QString>("err");
    QTest::newRow("success") << "echo hi"
                             << "" << 0 << 0 << "hi\n"
                             << "";
    QTest::newRow("code") << "echo no >&2; exit 3"
                          << "" << 3 << 0 << ""
                          << "no\n";
    QTest::newRow("signal") << "kill -SEGV $$"
                            << "" << -1 << 11 << ""
                            << "";
    QTest::newRow("input") << "cat"
                           << "a\nb" << 0 << 0 << "a\nb"
                           << "";
    QTest::newRow("unread input") << "exit 0" << QString(1 << 20, QLatin1Char('x')) << 0 << 0 << ""
                                  << "";
    QTest::newRow("closed output") << "exec >&- 2>&-; sleep 0.1; exit 4"
                                   << "" << 4 << 0 << ""
                                   << "";
}

void TestProcess::runs()
{
    QFETCH(QString, script);
    QFETCH(QString, input);
    const auto result = runProcess(shell(script.toStdString()), input.toStdString());
    QVERIFY(result.ok());
    QTEST(result->end.exitCode, "code");
    QTEST(result->end.signal, "signal");
    QTEST(QString::fromStdString(result->out), "out");
    QTEST(QString::fromStdString(result->err), "err");
    QVERIFY(!result->timedOut && !result->cancelled && !result->outTooLong);
}

void TestProcess::missingProgramIsAnEnvironmentError()
{
    const auto result = runProcess({"/nowhere/program"});
    QVERIFY(!result.ok());
    QCOMPARE(result.error().blame, gpu::Blame::Environment);
    QVERIFY(result.error().message.find("/nowhere/program") != std::string::npos);
    QVERIFY(!runProcess({}).ok());
}

void TestProcess::bigInputAndOutputDoNotDeadlock()
{
    const std::string big(8 << 20, 'y');
    const auto result = runProcess(shell("tee /dev/stderr"), big);
    QVERIFY(result.ok());
    QCOMPARE(result->out.size(), big.size());
    QCOMPARE(result->end.exitCode, 0);
}

void TestProcess::endsAtTheTimeLimit()
{
    QElapsedTimer timer;
    timer.start();
    ProcessLimits limits;
    limits.wallSeconds = 0.3;
    const auto result = runProcess(shell("trap '' TERM; while :; do :; done"), {}, limits);
    QVERIFY(result.ok() && result->timedOut);
    QCOMPARE(result->end.signal, SIGKILL);
    QVERIFY(timer.elapsed() < 3000);
}

void TestProcess::killsTheWholeGroup()
{
    ProcessLimits limits;
    limits.wallSeconds = 0.3;
    const auto result = runProcess(shell("sleep 60 & echo $!; wait"), {}, limits);
    QVERIFY(result.ok() && result->timedOut);
    QTRY_VERIFY(!exists(pidFrom(result->out)));
}

void TestProcess::killsWhatTheChildLeftBehind()
{
    QElapsedTimer timer;
    timer.start();
    const auto result = runProcess(shell("sleep 60 & echo $!"));
    QVERIFY(result.ok());
    QCOMPARE(result->end.exitCode, 0);
    QVERIFY(timer.elapsed() < 3000);
    QTRY_VERIFY(!exists(pidFrom(result->out)));
}

void TestProcess::cancels()
{
    std::atomic<bool> cancel{false};
    std::thread later([&cancel] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        cancel = true;
    });
    const auto result = runProcess({"sleep", "60"}, {}, {}, &cancel);
    later.join();
    QVERIFY(result.ok() && result->cancelled && !result->timedOut);
    QCOMPARE(result->end.signal, SIGTERM);
}

void TestProcess::boundsTheOutput()
{
    ProcessLimits limits;
    limits.outBytes = 100000;
    const auto result = runProcess({"yes"}, {}, limits);
    QVERIFY(result.ok() && result->outTooLong);
    QVERIFY(result->out.size() < 1000000);
}

void TestProcess::keepsTheTailOfTheErrors()
{
    ProcessLimits limits;
    limits.errBytes = 1000;
    const auto result = runProcess(shell("seq 1 20000 >&2"), {}, limits);
    QVERIFY(result.ok());
    QCOMPARE(result->err.size(), std::size_t(1000));
    QVERIFY(result->err.ends_with("\n20000\n"));
}

void TestProcess::limitsAddressSpace()
{
    ProcessLimits limits;
    limits.addressSpaceBytes = 512u << 20;
    const auto result = runProcess(shell("ulimit -v"), {}, limits);
    QVERIFY(result.ok());
    QCOMPARE(result->out, std::string("524288\n"));
}

void TestProcess::leaksNothing()
{
    QVERIFY(runProcess({"true"}).ok());
    const int before = openDescriptors();
    for (int i = 0; i < 20; ++i) {
        QVERIFY(runProcess({"true"}).ok());
        QVERIFY(!runProcess({"/nowhere/program"}).ok());
    }
    QCOMPARE(openDescriptors(), before);
    // No zombie: nothing is left to wait for.
    QCOMPARE(::waitpid(-1, nullptr, WNOHANG), pid_t(-1));
    const auto inherited = runProcess(shell("ls /proc/self/fd | wc -l"));
    // 0, 1, 2 and the folder that ls itself reads.
    QCOMPARE(inherited->out, std::string("4\n"));
}

void TestProcess::speaksLineByLine()
{
    auto child = ChildProcess::start({"cat"});
    QVERIFY(child.ok());
    std::string line;
    QCOMPARE((*child)->readLine(line, 0.05), Outcome::TimedOut);
    for (const std::string &text :
        {std::string("one"), std::string(), std::string(3 << 20, 'z'), std::string("end")}) {
        QCOMPARE((*child)->writeLine(text, 10), Outcome::Done);
        QCOMPARE((*child)->readLine(line, 10), Outcome::Done);
        QCOMPARE(line, text);
    }
    QVERIFY((*child)->running());
    (*child)->closeInput();
    QCOMPARE((*child)->readLine(line, 10), Outcome::Ended);
    QCOMPARE((*child)->stop(1).exitCode, 0);
    QVERIFY(!(*child)->running());
}

void TestProcess::reportsTheEndOfTheChild()
{
    auto child = ChildProcess::start(shell("echo a; printf b; echo why >&2; kill -ABRT $$"));
    QVERIFY(child.ok());
    std::string line;
    QCOMPARE((*child)->readLine(line, 10), Outcome::Done);
    QCOMPARE(line, std::string("a"));
    QCOMPARE((*child)->readLine(line, 10), Outcome::Done);
    QCOMPARE(line, std::string("b"));
    QCOMPARE((*child)->readLine(line, 10), Outcome::Ended);
    const gpu::ProcessEnd end = (*child)->stop();
    QCOMPARE(end.signal, SIGABRT);
    QVERIFY(end.text().find("signal 6") != std::string::npos);
    QCOMPARE((*child)->errorText(), std::string("why\n"));
}

void TestProcess::survivesADeadReader()
{
    auto child = ChildProcess::start({"true"});
    QVERIFY(child.ok());
    QTRY_VERIFY(!(*child)->running());
    const std::string big(4 << 20, 'w');
    QCOMPARE((*child)->writeLine(big, 10), Outcome::Ended);
}

void TestProcess::interruptsFromAnotherThread()
{
    auto child = ChildProcess::start({"sleep", "60"});
    QVERIFY(child.ok());
    std::thread later([&child] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        (*child)->interrupt();
    });
    std::string line;
    const Outcome outcome = (*child)->readLine(line, 30);
    later.join();
    QCOMPARE(outcome, Outcome::Interrupted);
}

void TestProcess::readsTheLineOfADeadChildWhoseGrandchildLives()
{
    auto child = ChildProcess::start(shell("sleep 60 & printf last"));
    QVERIFY(child.ok());
    std::string line;
    QCOMPARE((*child)->readLine(line, 10), Outcome::Done);
    QCOMPARE(line, std::string("last"));
    QCOMPARE((*child)->readLine(line, 10), Outcome::Ended);
}

QTEST_APPLESS_MAIN(TestProcess)
#include "tst_process.moc"
