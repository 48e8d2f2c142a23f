#include "fakes.h"

#include "core/search/searchservice.h"
#include "core/session/storedsession.h"

#include <QElapsedTimer>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace core;

namespace {
constexpr int Forever = 60'000; ///< an evaluation that no test waits for, milliseconds

/// A service with fakes behind it, and everything that it said. The fakes live on the engine's
/// thread: tests set them up before the start and read them after the end.
struct Run {
    Run()
    {
        config.problem = QStringLiteral("toy");
        config.rounds = 2;
        config.ideas = 2;
        config.branches = 2;
        config.repairs = 1;
    }

    void start() { start(bench.parts()); }

    void start(EngineParts parts)
    {
        service = std::make_unique<SearchService>(std::move(parts));
        SearchService *from = service.get();
        QObject::connect(from, &SearchService::opened, from, [this](const SearchConfig &) {
            QVERIFY(told.isEmpty()); // before any node
            ++openings;
        });
        QObject::connect(
            from, &SearchService::nodesChanged, from, [this](const QList<NodeSummary> &batch) {
                QCOMPARE(QThread::currentThread(), service->thread());
                for (const NodeSummary &node : batch) {
                    QVERIFY(node.parent == 0 || told.contains(node.parent));
                    told.insert(node.id, node);
                }
            });
        QObject::connect(from, &SearchService::progressChanged, from,
            [this](const SearchProgress &p) { progress = p; });
        QObject::connect(from, &SearchService::noticed, from,
            [this](const Notice &notice) { notices.append(notice.text); });
        QObject::connect(
            from, &SearchService::failed, from, [this](const QString &message, bool environment) {
                failures.append(message);
                environmentFault = environment;
            });
        QObject::connect(from, &SearchService::finished, from,
            [this](const SearchOutcome &outcome) { outcomes.append(outcome); });
    }

    void create()
    {
        if (!service)
            start();
        service->create(file(), config);
    }

    bool ended()
    {
        return QTest::qWaitFor([this] { return !outcomes.isEmpty() || !failures.isEmpty(); });
    }

    bool reached(SearchState state)
    {
        return QTest::qWaitFor([this, state] { return progress.state == state; });
    }

    int countEnded() const
    {
        return int(std::count_if(told.cbegin(), told.cend(),
            [](const NodeSummary &node) { return node.verdict.has_value(); }));
    }

    /// The state that the file was left in; "" if there is no session.
    QString storedState() const
    {
        StoredSession session;
        return session.load(file()) ? session.head.state : QString();
    }

    QString file() const { return dir.filePath(QStringLiteral("s.espalier")); }

    QTemporaryDir dir;
    fakes::Bench bench;
    SearchConfig config;
    int openings = 0;
    QMap<NodeId, NodeSummary> told;
    SearchProgress progress;
    QStringList notices, failures;
    bool environmentFault = false;
    QList<SearchOutcome> outcomes;
    std::unique_ptr<SearchService> service; ///< last: ends before what it fills
};
} // namespace

/// The service that the window and the command line work with: calls go to the engine's thread and
/// return at once, and what the engine says arrives on the caller's.
class TestSearchService : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void searches();
    void callsReturnAtOnce();
    void pausesAndResumes();
    void answersStop();
    void opensAndResumesAStoppedSession();
    void submitsEdits();
    void reportsErrors_data();
    void reportsErrors();
    void reportsALostDevice();
    void stopsWhenDestroyed_data();
    void stopsWhenDestroyed();
    void stopsWhenDestroyedBusy();
};

void TestSearchService::searches()
{
    Run run;
    run.create();
    QCOMPARE(run.service->sessionFile(), run.file());
    QCOMPARE(run.service->config().rounds, 2);
    QVERIFY(run.ended());
    QCOMPARE(run.failures, QStringList());
    QCOMPARE(run.openings, 1);
    QCOMPARE(run.outcomes.first().state, SearchState::Finished);
    // Everything was told before the end: the root, two rounds of two ideas with two branches.
    QCOMPARE(run.told.size(), 1 + 2 * (2 + 4));
    QCOMPARE(run.countEnded(), 1 + 2 * 4);
    QCOMPARE(run.progress.state, SearchState::Finished);
    QCOMPARE(run.told.value(*run.outcomes.first().best).speedup, run.outcomes.first().bestSpeedup);

    QFuture<NodeDetails> details = run.service->details(1);
    details.waitForFinished();
    QCOMPARE(details.result().source, QString::fromStdString(fakes::problem().seedSource));
    QFuture<QString> assembly = run.service->assembly(1, QStringLiteral("ptx"));
    assembly.waitForFinished();
    QCOMPARE(assembly.result(), QStringLiteral("ptx text"));
}

void TestSearchService::callsReturnAtOnce()
{
    Run run;
    QSemaphore go;
    EngineParts parts = run.bench.parts();
    parts.findProblem = [&go](const QString &) {
        go.acquire();
        return gpu::Result<gpu::Problem>(fakes::problem());
    };
    run.start(std::move(parts));
    // Were one of them to wait for the engine, this test would hang.
    run.create();
    run.service->pause();
    run.service->resume();
    run.service->setPinned(1, true);
    const QFuture<NodeDetails> details = run.service->details(1);
    QVERIFY(!details.isFinished());
    go.release();
    QVERIFY(run.ended());
    QCOMPARE(run.told.size(), 13);
    QVERIFY(run.told.value(1).pinned);
    QVERIFY(details.isFinished());
}

void TestSearchService::pausesAndResumes()
{
    Run run;
    run.bench.evaluator.delayMs = 200;
    run.create();
    QVERIFY(QTest::qWaitFor([&] { return run.told.size() > 3; }));
    run.service->pause();
    QVERIFY(run.reached(SearchState::Paused));
    const int before = run.countEnded();
    QVERIFY(before < 9);
    QTest::qWait(300);
    QCOMPARE(run.countEnded(), before);
    QCOMPARE(run.outcomes.size(), 0);
    run.service->resume();
    QVERIFY(run.ended());
    QCOMPARE(run.told.size(), 13);
    QCOMPARE(run.countEnded(), 9);
}

void TestSearchService::answersStop()
{
    Run run;
    run.bench.evaluator.delayMs = Forever;
    run.start();
    run.service->stop(); // nothing to stop
    run.create();
    QVERIFY(run.reached(SearchState::Running));
    QElapsedTimer timer;
    timer.start();
    run.service->stop();
    run.service->stop();
    QVERIFY(run.ended());
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    QTest::qWait(50);
    QCOMPARE(run.outcomes.size(), 1);
    QVERIFY(run.outcomes.first().message.contains(QLatin1String("espalier resume")));
    QCOMPARE(run.failures, QStringList());
    QCOMPARE(run.storedState(), QStringLiteral("stopped"));
}

void TestSearchService::opensAndResumesAStoppedSession()
{
    Run run;
    run.bench.evaluator.delayMs = 5;
    run.create();
    QVERIFY(QTest::qWaitFor([&] { return run.countEnded() >= 2; }));
    run.service->stop();
    QVERIFY(run.ended());
    const QMap<NodeId, NodeSummary> before = run.told;

    run.service.reset();
    run.told.clear();
    run.outcomes.clear();
    run.start();
    run.service->open(run.file());
    QVERIFY(QTest::qWaitFor([&] { return run.told.size() == before.size(); }));
    QCOMPARE(run.openings, 2);
    QCOMPARE(run.service->sessionFile(), run.file());
    QCOMPARE(run.service->config().ideas, 2);
    QTest::qWait(50);
    QVERIFY(run.outcomes.isEmpty()); // nothing runs until it is told to
    run.service->resume();
    QVERIFY(run.ended());
    QCOMPARE(run.told.size(), 13);
    for (const NodeSummary &node : before) {
        if (node.verdict)
            QCOMPARE(run.told.value(node.id).medianUs, node.medianUs);
    }
}

void TestSearchService::submitsEdits()
{
    Run run;
    run.bench.evaluator.delayMs = 5;
    run.create();
    QVERIFY(QTest::qWaitFor([&] { return run.told.value(1).verdict.has_value(); }));
    run.service->evaluateEdit(1, QStringLiteral("/* plan {} */ // ok 4\n")); // while it searches
    run.service->evaluateEdit(999, QStringLiteral("/* plan {} */ // ok 1\n"));
    QVERIFY(run.ended());
    run.service->evaluateEdit(1, QStringLiteral("/* plan {} */ // fail precision\n")); // and after
    const auto edits = [&run] {
        QList<NodeSummary> result;
        for (const NodeSummary &node : std::as_const(run.told)) {
            if (node.kind == NodeKind::Edit && node.verdict)
                result.append(node);
        }
        return result;
    };
    QVERIFY(QTest::qWaitFor([&] { return edits().size() == 2; }));
    QCOMPARE(edits().first().parent, NodeId(1));
    QCOMPARE(edits().first().author, QStringLiteral("human"));
    QCOMPARE(edits().first().speedup, std::optional<double>(25));
    QCOMPARE(edits().last().verdict, gpu::Verdict::Precision);
    QVERIFY(!edits().last().speedup);
    QCOMPARE(run.told.size(), 13 + 2);
    QVERIFY2(run.notices.join(QLatin1Char('\n')).contains(QLatin1String("Node 999 does not exist")),
        qPrintable(run.notices.join(QLatin1Char('\n'))));
}

void TestSearchService::reportsErrors_data()
{
    QTest::addColumn<QString>("fault");
    QTest::addColumn<bool>("environment");
    QTest::addColumn<QString>("message");
    QTest::newRow("policy") << "policy" << false << "There is no policy `x`";
    QTest::newRow("device") << "device" << true << "no device here";
    QTest::newRow("no session") << "open" << false << "does not exist";
    QTest::newRow("session exists") << "exists" << false << "exists already";
}

void TestSearchService::reportsErrors()
{
    QFETCH(QString, fault);
    QFETCH(bool, environment);
    QFETCH(QString, message);
    Run run;
    if (fault == QLatin1String("policy"))
        run.config.policy = QStringLiteral("x");
    run.bench.evaluator.failAtStart = fault == QLatin1String("device");
    if (fault == QLatin1String("exists")) {
        QFile file(run.file());
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    run.start();
    if (fault == QLatin1String("open"))
        run.service->open(run.file());
    else
        run.create();
    QVERIFY(run.ended());
    QTest::qWait(20);
    QCOMPARE(run.outcomes.size(), 0);
    QCOMPARE(run.failures.size(), 1);
    QVERIFY2(run.failures.first().contains(message), qPrintable(run.failures.first()));
    QCOMPARE(run.environmentFault, environment);
}

void TestSearchService::reportsALostDevice()
{
    Run run;
    run.bench.evaluator.failAfter = 3;
    run.create();
    QVERIFY(run.ended());
    QCOMPARE(run.failures, QStringList());
    QCOMPARE(run.outcomes.first().state, SearchState::Failed);
    QVERIFY(run.outcomes.first().environmentFault);
    QCOMPARE(run.outcomes.first().message, QStringLiteral("the device is gone"));
    QCOMPARE(run.storedState(), QStringLiteral("failed"));
}

void TestSearchService::stopsWhenDestroyed_data()
{
    QTest::addColumn<int>("nodes");
    QTest::newRow("before anything") << 0;
    QTest::newRow("measuring the seed") << 1;
    QTest::newRow("in a round") << 6;
}

void TestSearchService::stopsWhenDestroyed()
{
    QFETCH(int, nodes);
    Run run;
    run.bench.evaluator.delayMs = nodes == 1 ? Forever : 200;
    run.create();
    QVERIFY(QTest::qWaitFor([&] { return run.told.size() >= nodes; }));
    const QFuture<NodeDetails> details = run.service->details(1);
    QElapsedTimer timer;
    timer.start();
    run.service.reset();
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(details.isFinished());
    QCOMPARE(run.storedState(), QStringLiteral("stopped"));
    QVERIFY(!QFile::exists(run.file() + QStringLiteral(".lock")));
    QCOMPARE(run.outcomes.size(), 0);
}

void TestSearchService::stopsWhenDestroyedBusy()
{
    // The engine is busy with a result when the service goes: its event loop must not end before
    // the stop that waits behind it.
    class Asker : public fakes::FakeProvider {
    public:
        Asker(Script &script, QSemaphore &busy, QSemaphore &go)
            : FakeProvider(script)
            , m_busy(busy)
            , m_go(go)
        {
        }
        QString refusal(const Request &request) const override
        {
            if (request.kind == Request::Kind::Repair) {
                m_busy.release();
                m_go.acquire();
            }
            return FakeProvider::refusal(request);
        }

    private:
        QSemaphore &m_busy, &m_go;
    };
    Run run;
    QSemaphore busy, go;
    run.bench.evaluator.delayMs = 1;
    run.bench.provider.candidates
        = {{QStringLiteral("r1.i1.b1"), QStringLiteral("fail compile_error")}};
    EngineParts parts = run.bench.parts();
    parts.makeProvider = [&](const QString &, const QString &) {
        return gpu::Result<std::unique_ptr<Provider>>(
            std::make_unique<Asker>(run.bench.provider, busy, go));
    };
    run.start(std::move(parts));
    run.create();
    busy.acquire();
    std::thread later([&go] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        go.release(1000);
    });
    run.service.reset();
    later.join();
    QCOMPARE(run.storedState(), QStringLiteral("stopped"));
}

QTEST_GUILESS_MAIN(TestSearchService)
#include "tst_searchservice.moc"
