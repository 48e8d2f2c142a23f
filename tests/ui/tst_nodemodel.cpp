#include "tests/ui/sampletree.h"
#include "ui/tree/nodemodel.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

class TestNodeModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomBatches_data();
    void randomBatches();
    void insertsOneRunPerParent();
    void childBeforeParentWaits();
    void sameNodeTwiceInABatch();
    void changesKeepRowsAndIndexes();
    void bestIgnoresExcludedAndFailed();
    void pathRunsFromRoot();
    void clearForgets();
    void showsValues();
};

void TestNodeModel::randomBatches_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 5; ++seed)
        QTest::addRow("seed %d", seed) << seed;
}

void TestNodeModel::randomBatches()
{
    QFETCH(int, seed);
    ui::NodeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QRandomGenerator random(static_cast<quint32>(seed));
    const auto all = sample::randomTree(300, 40, static_cast<quint32>(seed));
    qsizetype sent = 0;
    while (sent < all.size()) {
        QList<core::NodeSummary> batch = all.mid(sent, 1 + random.bounded(30));
        sent += batch.size();
        // Changes of older nodes are mixed in, and the order within a batch is not kept.
        for (int i = 0; i < 5 && sent > 10; ++i) {
            core::NodeSummary older = all[random.bounded(static_cast<int>(sent))];
            older.message = QStringLiteral("changed");
            batch.insert(random.bounded(static_cast<int>(batch.size())), older);
        }
        model.apply(batch);
    }
    QCOMPARE(model.size(), all.size());
    for (const core::NodeSummary &node : all) {
        const QModelIndex index = model.indexOf(node.id);
        QVERIFY(index.isValid());
        QCOMPARE(index.data(ui::NodeModel::NodeIdRole).toUInt(), node.id);
        QCOMPARE(index.parent().data(ui::NodeModel::NodeIdRole).toUInt(), node.parent);
        QCOMPARE(model.index(index.row(), 0, index.parent()), index);
    }
}

void TestNodeModel::insertsOneRunPerParent()
{
    ui::NodeModel model;
    model.apply({sample::node(1, 0, core::NodeKind::Root)});
    QSignalSpy rows(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy applied(&model, &ui::NodeModel::applied);
    QList<core::NodeSummary> batch;
    for (core::NodeId id = 2; id <= 101; ++id)
        batch << sample::node(id, 1, core::NodeKind::Idea);
    model.apply(batch);
    QCOMPARE(rows.size(), 1);
    QCOMPARE(applied.size(), 1);
    QCOMPARE(model.rowCount(model.indexOf(1)), 100);
}

void TestNodeModel::childBeforeParentWaits()
{
    ui::NodeModel model;
    model.apply({sample::node(3, 2, core::NodeKind::Implementation)});
    QCOMPARE(model.size(), 0);
    model.apply({sample::node(2, 1, core::NodeKind::Idea)});
    QCOMPARE(model.size(), 0);
    model.apply({sample::node(1, 0, core::NodeKind::Root)});
    QCOMPARE(model.size(), 3);
    QCOMPARE(model.path(3), (QList<core::NodeId>{1, 2, 3}));
}

void TestNodeModel::sameNodeTwiceInABatch()
{
    ui::NodeModel model;
    auto running = sample::node(1, 0, core::NodeKind::Root);
    running.state = core::NodeState::Compiling;
    model.apply({running, sample::kernel(1, 0, gpu::Verdict::Ok, 1, core::NodeKind::Root)});
    QCOMPARE(model.size(), 1);
    QVERIFY(model.find(1)->verdict.has_value());
}

void TestNodeModel::changesKeepRowsAndIndexes()
{
    ui::NodeModel model;
    model.apply(sample::finishedSearch());
    const QPersistentModelIndex index = model.indexOf(5);
    QSignalSpy rows(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy data(&model, &QAbstractItemModel::dataChanged);
    core::NodeSummary node = *model.find(5);
    node.title = QStringLiteral("another");
    model.apply({node});
    QCOMPARE(rows.size(), 0);
    QCOMPARE(data.size(), 1);
    QCOMPARE(index.data().toString(), QStringLiteral("another"));
}

void TestNodeModel::bestIgnoresExcludedAndFailed()
{
    ui::NodeModel model;
    QCOMPARE(model.best(), 0U);
    auto fast = sample::kernel(3, 1, gpu::Verdict::Ok, 9);
    fast.excluded = true;
    auto wrong = sample::kernel(4, 1, gpu::Verdict::WrongResult);
    wrong.medianUs = 1;
    auto beaten = sample::kernel(5, 1, gpu::Verdict::Ok, 3);
    beaten.beatenBy = 2;
    model.apply({sample::kernel(1, 0, gpu::Verdict::Ok, 1, core::NodeKind::Root),
        sample::kernel(2, 1, gpu::Verdict::Ok, 2), fast, wrong, beaten});
    QCOMPARE(model.best(), 2U);
}

void TestNodeModel::pathRunsFromRoot()
{
    ui::NodeModel model;
    model.apply(sample::finishedSearch());
    const auto path = model.path(model.best());
    QCOMPARE(path.first(), 1U);
    QCOMPARE(path.last(), model.best());
    QCOMPARE(path.size(), 7); // root, then idea and kernel in each of three rounds
    QVERIFY(model.path(999).isEmpty());
}

void TestNodeModel::clearForgets()
{
    ui::NodeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.apply(sample::finishedSearch());
    model.clear();
    QCOMPARE(model.size(), 0);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!model.find(1));
}

void TestNodeModel::showsValues()
{
    ui::NodeModel model;
    model.apply({sample::kernel(1, 0, gpu::Verdict::Ok, 1, core::NodeKind::Root),
        sample::kernel(2, 1, gpu::Verdict::Ok, 2.5),
        sample::kernel(3, 1, gpu::Verdict::OutOfBounds)});
    using M = ui::NodeModel;
    QCOMPARE(model.indexOf(2, M::SpeedupColumn).data().toString(), QStringLiteral("2.50×"));
    QCOMPARE(model.indexOf(2, M::TimeColumn).data().toString(), QStringLiteral("1.68 ms"));
    QCOMPARE(model.indexOf(3, M::StatusColumn).data().toString(), QStringLiteral("out of bounds"));
    QCOMPARE(model.indexOf(3, M::SpeedupColumn).data().toString(), QString());
    QCOMPARE(model.columnCount(), int(M::ColumnCount));
}

QTEST_GUILESS_MAIN(TestNodeModel)
#include "tst_nodemodel.moc"
