#include "enginerun.h"

#include <QSignalSpy>

using namespace core;
using Run = EngineRun;

class TestEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runsRoundsFromTheBest();
    void repairsWithTheLogInHand();
    void losesUnusableReplies();
    void pausesAndResumes();
    void stopsAndResumesToTheSameNodes_data();
    void stopsAndResumesToTheSameNodes();
    void keepsBudgets();
    void honoursPinsAndExclusions();
    void seedsFromANodeAfterTheEnd();
    void endsWhenTheRecordingEnds();
    void evaluatesEditsWithoutASearch();
    void failsWithTheDevice();
    void refusesBadConfigurations_data();
    void refusesBadConfigurations();
};

void TestEngine::runsRoundsFromTheBest()
{
    Run run;
    QVERIFY(run.search());
    QVERIFY2(run.outcome, qPrintable(run.failure));
    QVERIFY2(run.outcome->state == SearchState::Finished, qPrintable(run.outcome->message));
    // root, 2 rounds of 2 ideas with 2 branches each
    QCOMPARE(run.engine->tree().all().size(), 1 + 2 * (2 + 4));
    // The fastest of round 1 is i2.b2 at 82 us; it seeds round 2.
    QCOMPARE(run.at("r2.i1").parent, run.at("r1.i2.b2").id);
    QCOMPARE(run.outcome->bestSpeedup.value(), 100.0 / 72);
    QCOMPARE(run.at("r2.i2").speedup.value(), 100.0 / 72);
    QCOMPARE(run.at("r1.i1").state, NodeState::Done);
    QCOMPARE(run.at("r1.i1.b1").author, QStringLiteral("fake-1"));
    QCOMPARE(run.at("r1.i1.b1").category, QStringLiteral("fusion"));
    // Each prompt shows the seed's source; the second round's knows the first's ideas.
    const QString second = run.bench.provider.prompts.at(run.bench.provider.asked.indexOf(u"r2"));
    QVERIFY(second.contains(QLatin1String("// ok 82")));
    QVERIFY(second.contains(QLatin1String("Round 1, Thing 1 (fusion): best implementation 1.18x")));
    QVERIFY(!second.contains(QLatin1String("{{")));
    // Every attempt is stored with its prompt and reply.
    const NodeDetails details = run.engine->details(run.at("r1.i2.b1").id);
    QVERIFY(details.prompt.contains(QLatin1String("Thing 2")));
    QVERIFY(details.reply.contains(QLatin1String("```cuda")));
    QCOMPARE(details.usage.output, 50);
    QVERIFY(details.evaluation.has_value());
}

void TestEngine::repairsWithTheLogInHand()
{
    Run run;
    run.config.rounds = 1;
    run.config.repairs = 2;
    run.bench.provider.candidates
        = {{QStringLiteral("r1.i1.b1"), QStringLiteral("fail compile_error")},
            {QStringLiteral("r1.i1.b1.a1"), QStringLiteral("fail wrong_result")},
            {QStringLiteral("r1.i1.b2"), QStringLiteral("fail compile_error")},
            {QStringLiteral("r1.i1.b2.a1"), QStringLiteral("fail compile_error")},
            {QStringLiteral("r1.i1.b2.a2"), QStringLiteral("fail compile_error")},
            {QStringLiteral("r1.i2.b1"), QStringLiteral("fail environment_error")}};
    QVERIFY(run.search());
    QCOMPARE(run.at("r1.i1.b1.a1").parent, run.at("r1.i1.b1").id);
    QCOMPARE(run.at("r1.i1.b1.a2").parent, run.at("r1.i1.b1.a1").id);
    QCOMPARE(run.at("r1.i1.b1.a2").kind, NodeKind::Repair);
    QCOMPARE(run.at("r1.i1.b1.a2").verdict, gpu::Verdict::Ok);
    // Bounded; and the environment's fault is not the candidate's to repair.
    QVERIFY(run.engine->tree().find({1, 1, 2, 3, 0}) == 0);
    QVERIFY(run.engine->tree().find({1, 2, 1, 1, 0}) == 0);
    QCOMPARE(run.at("r1.i1").state, NodeState::Done);
    const NodeDetails repair = run.engine->details(run.at("r1.i1.b1.a2").id);
    QVERIFY(repair.prompt.contains(QLatin1String("**wrong_result**: as the test wants it")));
    QVERIFY(!run.at("r1.i1.b1").speedup);
}

void TestEngine::losesUnusableReplies()
{
    Run run;
    run.config.rounds = 1;
    run.config.ideas = 12; // the reply holds nine
    run.bench.provider.candidates = {{QStringLiteral("r1.i1.b1"), QStringLiteral("raw no code")},
        {QStringLiteral("r1.i1.b2"), QStringLiteral("raw \n```cuda\n/* plan {} */ int")},
        {QStringLiteral("r1.i2.b1"), QStringLiteral("FAIL")},
        {QStringLiteral("r1.i3.b1"), QStringLiteral("ok 25")},
        {QStringLiteral("r1.i3.b2"), QStringLiteral("ok 25")}};
    QVERIFY(run.search());
    QCOMPARE(run.outcome->state, SearchState::Finished);
    QCOMPARE(run.at("r1.i1.b1").state, NodeState::Lost);
    QVERIFY(run.at("r1.i1.b2").message.contains(QLatin1String("truncated")));
    QCOMPARE(run.at("r1.i1").state, NodeState::Done);
    QCOMPARE(run.at("r1.i2.b1").message, QStringLiteral("the server is down"));
    QCOMPARE(run.at("r1.i10").state, NodeState::Lost);
    QVERIFY(run.at("r1.i12").message.contains(QLatin1String("9 of the 12")));
    QVERIFY(run.at("r1.i3.b1").message.isEmpty() != run.at("r1.i3.b2").message.isEmpty());
}

void TestEngine::pausesAndResumes()
{
    Run run;
    run.bench.evaluator.delayMs = 20;
    run.engine->create(run.file(), run.config);
    QVERIFY(QTest::qWaitFor([&] { return run.engine->tree().all().size() > 3; }));
    run.engine->pause();
    QVERIFY(QTest::qWaitFor([&] { return run.engine->state() == SearchState::Paused; }));
    const QStringList before = run.nodes();
    QTest::qWait(60);
    QCOMPARE(run.nodes(), before);
    run.engine->resume();
    QVERIFY(run.ended());
    QCOMPARE(run.engine->tree().all().size(), 13);
    QCOMPARE(run.bench.evaluator.started, 1);
}

void TestEngine::stopsAndResumesToTheSameNodes_data()
{
    QTest::addColumn<int>("afterNodes");
    QTest::addColumn<int>("afterEvaluations");
    for (const int nodes : {1, 2, 4, 8, 9, 13})
        QTest::addRow("at %d nodes", nodes) << nodes << 0;
    for (const int evaluations : {1, 2, 4, 6, 9})
        QTest::addRow("at %d evaluations", evaluations) << 1 << evaluations;
}

void TestEngine::stopsAndResumesToTheSameNodes()
{
    QFETCH(int, afterNodes);
    QFETCH(int, afterEvaluations);
    const auto script = [](Run &run) {
        run.bench.provider.candidates
            = {{QStringLiteral("r1.i1.b1"), QStringLiteral("fail compile_error")},
                {QStringLiteral("r2.i2.b1"), QStringLiteral("raw nothing")}};
    };
    Run whole;
    script(whole);
    QVERIFY(whole.search());

    Run run;
    script(run);
    run.bench.evaluator.delayMs = 2;
    run.engine->create(run.file(), run.config);
    QVERIFY(QTest::qWaitFor([&] {
        return run.engine->tree().all().size() >= afterNodes
            && run.bench.evaluator.sources.size() >= afterEvaluations;
    }));
    QElapsedTimer timer;
    timer.start();
    run.engine->stop();
    QVERIFY(run.outcome);
    QVERIFY(timer.elapsed() < 200);
    run.engine.reset();
    run.outcome.reset();
    run.start();
    run.engine->open(run.file());
    QCOMPARE(run.failure, QString());
    run.engine->resume();
    QVERIFY(run.ended());
    QCOMPARE(run.nodes(), whole.nodes());
    // No stored reply is asked for again.
    QStringList asked = run.bench.provider.asked;
    const qsizetype questions = asked.size();
    asked.removeDuplicates();
    QVERIFY(questions - asked.size() <= 4); // only those in flight at the stop
}

void TestEngine::keepsBudgets()
{
    Run tokens;
    tokens.config.budgetTokens = 400; // two questions of 150, and the third in flight
    QVERIFY(tokens.search());
    QVERIFY(tokens.outcome->message.contains(QLatin1String("budget of 400 tokens")));
    QVERIFY(tokens.engine->tree().lastRound() == 1);

    Run minutes;
    minutes.config.budgetMinutes = 0.0005;
    minutes.bench.evaluator.delayMs = 100;
    QVERIFY(minutes.search());
    QVERIFY(minutes.outcome->message.contains(QLatin1String("minutes")));
}

void TestEngine::honoursPinsAndExclusions()
{
    Run run;
    run.config.rounds = 1;
    QVERIFY(run.search());
    const NodeId fastest = run.at("r1.i2.b2").id, slow = run.at("r1.i1.b1").id;
    run.engine->setExcluded(fastest, true);
    QCOMPARE(*run.engine->tree().best(), run.at("r1.i2.b1").id);
    run.engine->setPinned(slow, true);
    const SeedChoice choice = BestPolicy().choose(run.engine->tree().comparable(), 2);
    QCOMPARE(choice.seeds.first(), slow);
    QVERIFY(!choice.seeds.contains(fastest));
    // Kept in the file.
    run.engine.reset();
    run.start();
    run.engine->open(run.file());
    QVERIFY(run.at("r1.i1.b1").pinned);
    QVERIFY(run.at("r1.i2.b2").excluded);
}

void TestEngine::seedsFromANodeAfterTheEnd()
{
    Run run;
    QVERIFY(run.search());
    run.outcome.reset();
    const NodeId seed = run.at("r1.i1.b1").id;
    run.engine->seedFrom(seed);
    QVERIFY(run.ended());
    QCOMPARE(run.engine->tree().lastRound(), 3);
    QCOMPARE(run.at("r3.i1").parent, seed);
    QCOMPARE(run.at("r3.i2").parent, seed);
}

void TestEngine::endsWhenTheRecordingEnds()
{
    Run run;
    run.bench.provider.lastRound = 1;
    QVERIFY(run.search());
    QCOMPARE(run.outcome->state, SearchState::Finished);
    QVERIFY(run.outcome->message.contains(QLatin1String("after round 1 of 2. the recording ends")));
    run.outcome.reset();
    run.engine->seedFrom(run.at("r1.i1.b1").id);
    QVERIFY(run.ended());
    QCOMPARE(run.engine->tree().all().size(), 7);
}

void TestEngine::evaluatesEditsWithoutASearch()
{
    Run run;
    QVERIFY(run.search());
    run.engine.reset();
    run.start();
    run.engine->open(run.file());
    run.engine->evaluateEdit(run.at("r1.i1.b1").id, QStringLiteral("/* plan {} */ // ok 5\n"));
    QVERIFY(QTest::qWaitFor([&] { return hasEnded(run.at("e1")); }));
    QCOMPARE(run.at("e1").kind, NodeKind::Edit);
    QCOMPARE(run.at("e1").author, QStringLiteral("human"));
    QCOMPARE(run.at("e1").speedup.value(), 20.0);
    QCOMPARE(run.engine->state(), SearchState::Idle);
    QString assembly;
    run.engine->assembly(1, QStringLiteral("ptx"), [&](const QString &text) { assembly = text; });
    QVERIFY(QTest::qWaitFor([&] { return !assembly.isEmpty(); }));
}

void TestEngine::failsWithTheDevice()
{
    Run none;
    none.bench.evaluator.failAtStart = true;
    QVERIFY(none.search());
    QCOMPARE(none.failure, QStringLiteral("no device here"));

    Run lost;
    lost.bench.evaluator.failAfter = 3;
    QVERIFY(lost.search());
    QCOMPARE(lost.outcome->state, SearchState::Failed);
    QVERIFY(lost.outcome->environmentFault);
    // Nobody is blamed, and what waited goes on once the device is back.
    for (const NodeRecord &node : lost.engine->tree().all())
        QVERIFY(node.summary.verdict != gpu::Verdict::EnvironmentError);
    lost.bench.evaluator.failAfter = -1;
    lost.outcome.reset();
    lost.engine->resume();
    QVERIFY(lost.ended());
    QCOMPARE(lost.outcome->state, SearchState::Finished);
    QCOMPARE(lost.engine->tree().all().size(), 13);

    // Nor does an edit wait for ever.
    lost.bench.evaluator.failAfter = 0;
    lost.engine->evaluateEdit(1, QStringLiteral("/* plan {} */ // ok 7\n"));
    QVERIFY(QTest::qWaitFor([&] { return hasEnded(lost.at("e1")); }));
    QCOMPARE(lost.at("e1").verdict, gpu::Verdict::EnvironmentError);
    QCOMPARE(lost.engine->state(), SearchState::Failed);
    lost.bench.evaluator.failAfter = -1;
    lost.engine->evaluateEdit(1, QStringLiteral("/* plan {} */ // ok 6\n"));
    QVERIFY(QTest::qWaitFor([&] { return hasEnded(lost.at("e2")); }));
    QCOMPARE(lost.at("e2").verdict, gpu::Verdict::Ok);
}

void TestEngine::refusesBadConfigurations_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("message");
    QTest::newRow("policy") << "policy"
                            << "There is no policy `x`. Known ones: best.";
    QTest::newRow("size") << "size"
                          << "x";
    QTest::newRow("device") << "device"
                            << "CPU device only";
    QTest::newRow("ideas") << "ideas"
                           << "at least 1";
}

void TestEngine::refusesBadConfigurations()
{
    QFETCH(QString, key);
    QFETCH(QString, message);
    Run run;
    if (key == QLatin1String("policy"))
        run.config.policy = QStringLiteral("x");
    else if (key == QLatin1String("size"))
        run.config.size = QStringLiteral("x");
    else if (key == QLatin1String("device"))
        run.config.device = QStringLiteral("cuda:0");
    else
        run.config.ideas = 0;
    QVERIFY(run.search());
    QVERIFY2(run.failure.contains(message), qPrintable(run.failure));
    QVERIFY(!QFile::exists(run.file()));
}

QTEST_GUILESS_MAIN(TestEngine)
#include "tst_engine.moc"
