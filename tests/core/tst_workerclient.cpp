#include "core/evaluation/commandtemplate.h"
#include "core/evaluation/workerclient.h"
#include "fakes.h"

#include <QCoreApplication>
#include <QTest>

using namespace core;

/// A client of the fake worker and all it said.
class Client {
public:
    explicit Client(const QString &arguments = {}, WorkerLimits limits = quick())
        : client(
            QCoreApplication::applicationDirPath() + QStringLiteral("/fakeworker ") + arguments,
            limits)
    {
        QObject::connect(&client, &Evaluator::started, &client, [this] { ++starts; });
        QObject::connect(&client, &Evaluator::evaluated, &client,
            [this](quint64 ticket, const gpu::Evaluation &e) { results.insert(ticket, e); });
        QObject::connect(&client, &Evaluator::assembled, &client,
            [this](quint64, const QString &text, const QString &) { assembly = text; });
        QObject::connect(&client, &Evaluator::compared, &client,
            [this](quint64, const gpu::RunOffAnswer &a, const QString &e) {
                answer = a;
                compareError = e;
            });
        QObject::connect(
            &client, &Evaluator::cancelled, &client, [this](quint64 t) { cancelled.append(t); });
        QObject::connect(&client, &Evaluator::warned, &client,
            [this](const QString &text) { warnings.append(text); });
        QObject::connect(
            &client, &Evaluator::failed, &client, [this](const QString &text, gpu::Blame b) {
                failure = text;
                blame = b;
            });
        QObject::connect(&client, &Evaluator::stageChanged, &client, [this] { ++stages; });
    }

    static WorkerLimits quick()
    {
        WorkerLimits limits;
        limits.helloMs = 3000;
        limits.backOffMs = 5;
        return limits;
    }

    quint64 evaluate(const char *source)
    {
        return client.evaluate({QString::fromLatin1(source), QStringLiteral("small"), {}});
    }

    bool done(qsizetype count)
    {
        return QTest::qWaitFor(
            [&] { return results.size() >= count || !failure.isEmpty(); }, 10000);
    }

    bool failed()
    {
        return QTest::qWaitFor([&] { return !failure.isEmpty(); }, 10000);
    }

    WorkerClient client;
    int starts = 0, stages = 0;
    QMap<quint64, gpu::Evaluation> results;
    QList<quint64> cancelled;
    QStringList warnings;
    std::optional<gpu::RunOffAnswer> answer;
    QString assembly, failure, compareError;
    gpu::Blame blame = gpu::Blame::Candidate;
};

class TestWorkerClient : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void splitsCommands_data();
    void splitsCommands();
    void evaluates_data();
    void evaluates();
    void compares();
    void isolatesTheCulprit();
    void givesUpAWorkerThatKeepsDying();
    void cancels();
    void tellsFaultyWorkers_data();
    void tellsFaultyWorkers();
    void endsAHungWorker();
    void startsAgainAfterShutDown();
};

void TestWorkerClient::splitsCommands_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("words"); // joined by |; ! for an error
    QTest::newRow("plain") << "ssh host  worker"
                           << "ssh|host|worker";
    QTest::newRow("quotes") << "'a b' \"c d\" e\\ f"
                            << "a b|c d|e f";
    QTest::newRow("joined") << "a'b'\"c\""
                            << "abc";
    QTest::newRow("empty word") << "a '' b"
                                << "a||b";
    QTest::newRow("escapes") << "\"\\$x \\n\" '\\n'"
                             << "$x \\n|\\n";
    QTest::newRow("nothing expands") << "$HOME *"
                                     << "$HOME|*";
    QTest::newRow("open quote") << "a 'b"
                                << "!";
    QTest::newRow("empty") << "   "
                           << "!";
}

void TestWorkerClient::splitsCommands()
{
    QFETCH(QString, command);
    QFETCH(QString, words);
    const gpu::Result<QStringList> result = splitCommand(command);
    QCOMPARE(result ? result->join(QLatin1Char('|')) : QStringLiteral("!"), words);
}

void TestWorkerClient::evaluates_data()
{
    QTest::addColumn<QString>("mode");
    QTest::newRow("plain") << "";
    QTest::newRow("lines in pieces") << "--split";
    QTest::newRow("noise between the lines") << "--garbage";
}

void TestWorkerClient::evaluates()
{
    QFETCH(QString, mode);
    Client c(mode);
    const quint64 early = c.evaluate("// ok 12.5"); // before the worker is there
    c.client.start(fakes::problem());
    const quint64 bad = c.evaluate("// fail wrong_result");
    QVERIFY(c.done(2));
    QVERIFY2(c.failure.isEmpty(), qPrintable(c.failure));
    QCOMPARE(c.results[early].verdict, gpu::Verdict::Ok);
    QCOMPARE(c.results[early].time->medianUs, 12.5);
    QCOMPARE(c.results[early].deviceKind, std::string("cpu"));
    QCOMPARE(c.results[bad].verdict, gpu::Verdict::WrongResult);
    QCOMPARE(c.starts, 1);
    QVERIFY(c.stages >= 2);
    c.client.assemble({QStringLiteral("x"), QStringLiteral("small"), {}}, QStringLiteral("ptx"));
    QVERIFY(QTest::qWaitFor([&] { return c.assembly == QLatin1String(".version 9.0"); }));
}

void TestWorkerClient::compares()
{
    Client c;
    c.client.start(fakes::problem());
    const auto compare = [&c](const char *a, const char *b) {
        c.answer.reset();
        c.client.compare({QString::fromLatin1(a), QStringLiteral("small"), {}},
            {QString::fromLatin1(b), QStringLiteral("small"), {{"ROWS", 2}}});
        return QTest::qWaitFor([&] { return c.answer.has_value(); }, 10000);
    };
    QVERIFY(compare("// ok 20", "// ok 18"));
    QVERIFY(c.answer->times.comparison == gpu::Comparison::Faster);
    QCOMPARE(c.answer->times.ratio.low, 0.9);
    QCOMPARE(c.answer->pairs, 9u);
    QVERIFY(c.compareError.isEmpty());
    // Kills the worker twice: said, and nobody is blamed.
    QVERIFY(compare("// ok 20", "// die"));
    QVERIFY(c.compareError.contains(QLatin1String("died twice")));
    QVERIFY(compare("// ok 20", "// ok 30"));
    QVERIFY(c.answer->times.comparison == gpu::Comparison::Slower);
}

void TestWorkerClient::isolatesTheCulprit()
{
    Client c;
    c.client.start(fakes::problem());
    const quint64 before = c.evaluate("// slow 20 // ok 1");
    const quint64 killer = c.evaluate("// die");
    const quint64 after = c.evaluate("// ok 2");
    QVERIFY(c.done(3));
    QVERIFY2(c.failure.isEmpty(), qPrintable(c.failure));
    QCOMPARE(c.results[before].verdict, gpu::Verdict::Ok);
    QCOMPARE(c.results[after].verdict, gpu::Verdict::Ok);
    QCOMPARE(c.results[killer].verdict, gpu::Verdict::EnvironmentError);
    const QString message = QString::fromStdString(c.results[killer].message);
    QVERIFY2(message.contains(QLatin1String("died twice")), qPrintable(message));
    QVERIFY2(message.contains(QLatin1String("dying as told")), qPrintable(message));
    QCOMPARE(c.warnings.size(), 2);
    QCOMPARE(c.starts, 1);
}

void TestWorkerClient::givesUpAWorkerThatKeepsDying()
{
    WorkerLimits limits = Client::quick();
    limits.culprits = 1;
    Client c({}, limits);
    c.client.start(fakes::problem());
    for (int i = 0; i < 4; ++i)
        c.evaluate("// die");
    QVERIFY(c.failed());
    QVERIFY(c.failure.contains(QLatin1String("keeps failing")));
    QCOMPARE(c.blame, gpu::Blame::Environment);
}

void TestWorkerClient::cancels()
{
    Client c;
    c.client.start(fakes::problem());
    const quint64 slow = c.evaluate("// slow 50 // ok 1");
    const quint64 other = c.evaluate("// ok 2");
    QTest::qWait(20);
    c.client.cancel(slow);
    QVERIFY(c.done(1));
    QCOMPARE(c.cancelled, QList<quint64>{slow});
    QVERIFY(c.results.contains(other));
    QVERIFY(!c.results.contains(slow));
}

void TestWorkerClient::tellsFaultyWorkers_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("message");
    QTest::addColumn<bool>("callers");
    QTest::newRow("exits") << "--exit"
                           << "exited with code 7" << false;
    QTest::newRow("says nothing") << "--silent"
                                  << "waiting for its hello" << false;
    QTest::newRow("endless line") << "--flood"
                                  << "a line of over 1 MiB" << false;
    QTest::newRow("other protocol") << "--old"
                                    << "speaks protocol 0" << false;
    QTest::newRow("no compiler") << "--no-compiler"
                                 << "NVRTC is missing" << false;
    QTest::newRow("refuses the problem") << "--refuse"
                                         << "zeros pass" << true;
}

void TestWorkerClient::tellsFaultyWorkers()
{
    QFETCH(QString, mode);
    QFETCH(QString, message);
    QFETCH(bool, callers);
    WorkerLimits limits = Client::quick();
    limits.helloMs = mode == QLatin1String("--silent") ? 100 : 5000;
    limits.restarts = 1;
    limits.lineBytes = 1 << 20;
    Client c(mode, limits);
    c.client.start(fakes::problem());
    QVERIFY(c.failed());
    QVERIFY2(c.failure.contains(message), qPrintable(c.failure));
    QCOMPARE(c.blame, callers ? gpu::Blame::Caller : gpu::Blame::Environment);
}

void TestWorkerClient::endsAHungWorker()
{
    WorkerLimits limits = Client::quick();
    limits.silenceMs = 100;
    Client c({}, limits);
    c.client.start(fakes::problem());
    const quint64 hung = c.evaluate("// slow 60000");
    QVERIFY(c.done(1));
    QCOMPARE(c.results[hung].verdict, gpu::Verdict::EnvironmentError);

    WorkerClient none(QStringLiteral("/nonexistent/worker"), Client::quick());
    QString failure;
    QObject::connect(
        &none, &Evaluator::failed, &none, [&](const QString &text) { failure = text; });
    none.start(fakes::problem());
    QVERIFY(
        QTest::qWaitFor([&] { return failure.contains(QLatin1String("could not be started")); }));
}

void TestWorkerClient::startsAgainAfterShutDown()
{
    Client c;
    c.client.start(fakes::problem());
    QVERIFY(QTest::qWaitFor([&] { return c.starts == 1; }));
    c.client.shutDown();
    c.client.start(fakes::problem());
    c.evaluate("// ok 3");
    QVERIFY(c.done(1));
    QCOMPARE(c.starts, 2);
}

QTEST_GUILESS_MAIN(TestWorkerClient)
#include "tst_workerclient.moc"
