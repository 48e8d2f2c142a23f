#include "enginerun.h"

#include "core/session/storedsession.h"

#include <nlohmann/json.hpp>

using namespace core;

/// Close contenders are timed in turn before they seed a round or win. The fake candidates of round
/// 1 take 86 and 85, 83 and 82 us, the seed 100.
class TestRunOffs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void closeOnesRunAgainstTheLeader();
    void winnerLeadsAndSeeds();
    void aThirdMustBeatTheWinner();
    void whoFallsOutIsDisqualified_data();
    void whoFallsOutIsDisqualified();
    void troubleBlamesNobody();
    void twinsAreTheSame();
    void exclusionBringsTheLoserBack();
    void stopsAndResumesWithTheSameRunOffs();
    void pauseWaitsForIt();
    void editsAreRankedWithoutASearch();
    void textAndTurning();
};

static QString key(double a, double b)
{
    return QStringLiteral("ok %1|ok %2").arg(a).arg(b);
}

void TestRunOffs::closeOnesRunAgainstTheLeader()
{
    EngineRun run;
    run.config.rounds = 1;
    QVERIFY(run.search());
    // The seed at 100 us is out of reach of 82.
    QCOMPARE(run.bench.evaluator.compared, (QStringList{key(82, 83), key(82, 85), key(82, 86)}));
    QCOMPARE(*run.outcome->best, run.at("r1.i2.b2").id);
    QVERIFY(
        run.notices.contains(QStringLiteral("Run-off: #%1 against #%2: 1.012 (1.012 to 1.012) of "
                                            "its time: slower")
                                 .arg(run.at("r1.i2.b1").id)
                                 .arg(run.at("r1.i2.b2").id)));
}

void TestRunOffs::winnerLeadsAndSeeds()
{
    const QHash<QString, QString> script{{key(82, 85), QStringLiteral("0.97")}};
    EngineRun both;
    both.bench.evaluator.runOffs = script;
    QVERIFY(both.search());
    QCOMPARE(both.at("r2.i1").parent, both.at("r1.i1.b2").id);
    // Who lost to the loser need not run again.
    QCOMPARE(both.bench.evaluator.compared.first(3),
        (QStringList{key(82, 83), key(82, 85), key(85, 86)}));

    EngineRun run;
    run.config.rounds = 1;
    run.bench.evaluator.runOffs = script;
    QVERIFY(run.search());
    const NodeSummary winner = run.at("r1.i1.b2"), loser = run.at("r1.i2.b2");
    QCOMPARE(loser.beatenBy, winner.id);
    QCOMPARE(*run.outcome->best, winner.id);
    // Told by the stored session as well.
    StoredSession session;
    QVERIFY(session.load(run.file()).ok());
    QCOMPARE(session.tree.at(loser.id).summary.beatenBy, winner.id);
    QCOMPARE(session.tree.best(), run.outcome->best);
    const nlohmann::json document = toJson(session);
    QCOMPARE(document["run_offs"].size(), std::size_t(run.engine->tree().runOffs().size()));
    QCOMPARE(document["nodes"][loser.id - 1]["beaten_by"].get<NodeId>(), winner.id);
    const NodeDetails details = run.engine->details(loser.id);
    QVERIFY(std::any_of(details.runOffs.begin(), details.runOffs.end(), [&](const RunOff &runOff) {
        return runOff.a == winner.id && runOff.b == loser.id
            && runOff.times.comparison == gpu::Comparison::Slower;
    }));
}

void TestRunOffs::aThirdMustBeatTheWinner()
{
    EngineRun run;
    run.config.rounds = 1;
    // 83 beats 82, 85 beats 83; 86 beats nobody.
    run.bench.evaluator.runOffs
        = {{key(82, 83), QStringLiteral("0.95")}, {key(83, 85), QStringLiteral("0.9")}};
    QVERIFY(run.search());
    QCOMPARE(run.bench.evaluator.compared, (QStringList{key(82, 83), key(83, 85), key(85, 86)}));
    QCOMPARE(*run.outcome->best, run.at("r1.i1.b2").id);
    QList<NodeId> order;
    for (const NodeSummary &node : run.engine->tree().comparable())
        order.append(node.id);
    QCOMPARE(order,
        (QList<NodeId>{run.at("r1.i1.b2").id, run.at("r1.i2.b2").id, run.at("r1.i2.b1").id,
            run.at("r1.i1.b1").id, 1}));
}

void TestRunOffs::whoFallsOutIsDisqualified_data()
{
    QTest::addColumn<QString>("who");
    QTest::newRow("leader") << "a";
    QTest::newRow("challenger") << "b";
}

void TestRunOffs::whoFallsOutIsDisqualified()
{
    QFETCH(QString, who);
    EngineRun run;
    run.config.rounds = 1;
    run.bench.evaluator.runOffs = {{key(82, 83), who}};
    QVERIFY(run.search());
    const bool leader = who == QLatin1String("a");
    const NodeSummary out = leader ? run.at("r1.i2.b2") : run.at("r1.i2.b1");
    const NodeSummary other = leader ? run.at("r1.i2.b1") : run.at("r1.i2.b2");
    QCOMPARE(out.verdict, gpu::Verdict::WrongResult);
    QVERIFY(out.message.contains(QLatin1String("fell out: wrong in the run-off")));
    QVERIFY(!out.speedup && !out.medianUs);
    QCOMPARE(*run.outcome->best, other.id);
    const NodeDetails details = run.engine->details(out.id);
    QCOMPARE(details.evaluation->verdict, gpu::Verdict::WrongResult);
    QVERIFY(!details.evaluation->time);
    QCOMPARE(details.evaluation->checks.size(), 1u); // what had passed before stays on record
}

void TestRunOffs::troubleBlamesNobody()
{
    EngineRun run;
    run.config.rounds = 1;
    run.bench.evaluator.runOffs = {{key(82, 83), QStringLiteral("the runner died")}};
    QVERIFY(run.search());
    QCOMPARE(run.at("r1.i2.b1").verdict, gpu::Verdict::Ok);
    QCOMPARE(run.at("r1.i2.b2").verdict, gpu::Verdict::Ok);
    QCOMPARE(*run.outcome->best, run.at("r1.i2.b2").id);
    QCOMPARE(run.bench.evaluator.compared.count(key(82, 83)), 1);
    QVERIFY(run.notices.join(u'\n').contains(QLatin1String("could not be held: the runner died")));
}

void TestRunOffs::twinsAreTheSame()
{
    EngineRun run;
    run.config.rounds = 1;
    run.bench.provider.candidates = {{QStringLiteral("r1.i1.b1"), QStringLiteral("ok 50")},
        {QStringLiteral("r1.i1.b2"), QStringLiteral("ok 50")}};
    QVERIFY(run.search());
    QVERIFY(run.bench.evaluator.compared.isEmpty());
    QCOMPARE(run.engine->tree().runOffs().size(), 1);
    QCOMPARE(run.engine->tree().runOffs().first().message, QStringLiteral("the same source"));
}

void TestRunOffs::exclusionBringsTheLoserBack()
{
    EngineRun run;
    run.config.rounds = 1;
    run.bench.evaluator.runOffs = {{key(82, 83), QStringLiteral("0.9")}};
    QVERIFY(run.search());
    const NodeId winner = run.at("r1.i2.b1").id, loser = run.at("r1.i2.b2").id;
    QCOMPARE(*run.engine->tree().best(), winner);
    run.engine->setExcluded(winner, true);
    QCOMPARE(run.at("r1.i2.b2").beatenBy, 0U);
    QCOMPARE(*run.engine->tree().best(), loser);
    run.engine->setExcluded(winner, false);
    QCOMPARE(*run.engine->tree().best(), winner);
}

void TestRunOffs::stopsAndResumesWithTheSameRunOffs()
{
    for (int after = 1; after <= 3; ++after) {
        EngineRun run;
        run.config.rounds = 1;
        run.bench.evaluator.delayMs = 5;
        run.bench.evaluator.runOffs = {{key(82, 85), QStringLiteral("0.9")}};
        run.engine->create(run.file(), run.config);
        QVERIFY(QTest::qWaitFor([&] { return run.bench.evaluator.compared.size() == after; }));
        run.engine->stop();
        run.engine.reset();
        run.outcome.reset();
        run.start();
        run.engine->open(run.file());
        QCOMPARE(run.engine->tree().runOffs().size(), after - 1);
        run.engine->resume();
        QVERIFY(run.ended());
        QCOMPARE(*run.outcome->best, run.at("r1.i1.b2").id);
        // The one in flight is held again, those stored are not.
        QStringList compared = run.bench.evaluator.compared;
        compared.removeDuplicates();
        QCOMPARE(run.bench.evaluator.compared.size(), compared.size() + 1);
        QCOMPARE(run.engine->tree().runOffs().size(), compared.size());
    }
}

void TestRunOffs::pauseWaitsForIt()
{
    EngineRun run;
    run.bench.evaluator.delayMs = 20;
    run.engine->create(run.file(), run.config);
    QVERIFY(QTest::qWaitFor([&] { return !run.bench.evaluator.compared.isEmpty(); }));
    run.engine->pause();
    QVERIFY(QTest::qWaitFor([&] { return run.engine->state() == SearchState::Paused; }));
    QCOMPARE(run.engine->tree().runOffs().size(), 1);
    QTest::qWait(60);
    QCOMPARE(run.bench.evaluator.compared.size(), 1);
    run.engine->resume();
    QVERIFY(run.ended());
    QVERIFY(run.bench.evaluator.compared.size() > 3);
}

void TestRunOffs::editsAreRankedWithoutASearch()
{
    EngineRun run;
    run.config.rounds = 1;
    QVERIFY(run.search());
    run.engine.reset();
    run.bench.evaluator.compared.clear();
    run.start();
    run.engine->open(run.file());
    QString assembly;
    run.engine->assembly(1, QStringLiteral("ptx"), [&](const QString &text) { assembly = text; });
    QVERIFY(QTest::qWaitFor([&] { return !assembly.isEmpty(); }));
    QVERIFY(run.bench.evaluator.compared.isEmpty()); // looking costs nothing
    run.bench.evaluator.runOffs = {{key(80, 82), QStringLiteral("0.9")}};
    run.engine->evaluateEdit(1, QStringLiteral("/* plan {} */ // ok 80\n"));
    QVERIFY(QTest::qWaitFor([&] { return run.at("e1").beatenBy != 0; }));
    QCOMPARE(*run.engine->tree().best(), run.at("r1.i2.b2").id);
    QCOMPARE(run.engine->state(), SearchState::Idle);
}

void TestRunOffs::textAndTurning()
{
    const RunOff runOff{3, 7, {{0.8, 0.75, 0.84}, gpu::Comparison::Faster}, 20, {}};
    QCOMPARE(text(runOff), QStringLiteral("0.800 (0.750 to 0.840) of its time: faster"));
    const RunOff turned = runOff.seenFrom(3);
    QCOMPARE(turned.a, 7U);
    QCOMPARE(turned.b, 3U);
    QCOMPARE(text(turned), QStringLiteral("1.250 (1.190 to 1.333) of its time: slower"));
    QCOMPARE(text(turned.seenFrom(7)), text(runOff));
}

QTEST_GUILESS_MAIN(TestRunOffs)
#include "tst_runoffs.moc"
