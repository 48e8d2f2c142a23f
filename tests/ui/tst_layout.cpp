#include "ui/tree/layout.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

#include <map>

using ui::TreeShape;

namespace {

constexpr float Epsilon = 0.05F;

/// "0 0 1 1" : the parents of nodes 1, 2, …; node 0 is a root.
TreeShape shapeOf(const QString &parents, float breadth = 10)
{
    TreeShape shape;
    shape.add(TreeShape::None, breadth);
    for (const QString &p : parents.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        shape.add(p.toUInt(), breadth);
    return shape;
}

TreeShape randomShape(int count, int window, quint32 seed)
{
    QRandomGenerator random(seed);
    TreeShape shape;
    shape.add(TreeShape::None, 30);
    for (int i = 1; i < count; ++i) {
        shape.add(static_cast<quint32>(random.bounded(std::max(0, i - window), i)),
            random.bounded(2) ? 30.0F : 44.0F);
    }
    return shape;
}

/// Gaps, order and centring, the three things a tidy tree promises.
void checkTidy(const TreeShape &shape, const ui::TidyLayout &layout, const ui::TidyGaps &gaps)
{
    // Breadth-first order of each depth, which is top to bottom if children keep their order.
    std::map<quint32, std::vector<quint32>> rows;
    std::vector<std::vector<quint32>> children(shape.parent.size());
    std::vector<quint32> queue;
    for (quint32 v = 0; v < shape.parent.size(); ++v) {
        if (shape.parent[v] == TreeShape::None)
            queue.push_back(v);
        else
            children[shape.parent[v]].push_back(v);
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
        rows[layout.depth[queue[i]]].push_back(queue[i]);
        for (const quint32 child : children[queue[i]])
            queue.push_back(child);
    }
    QCOMPARE(queue.size(), shape.parent.size());
    for (const auto &[depth, row] : rows) {
        for (std::size_t i = 1; i < row.size(); ++i) {
            const quint32 a = row[i - 1], b = row[i];
            const bool siblings = shape.parent[a] == shape.parent[b];
            const float least = (shape.breadth[a] + shape.breadth[b]) / 2
                + (siblings ? gaps.siblings : gaps.cousins);
            QVERIFY2(layout.centre[b] - layout.centre[a] >= least - Epsilon,
                qPrintable(QStringLiteral("nodes %1 and %2").arg(a).arg(b)));
        }
    }
    for (std::size_t v = 0; v < children.size(); ++v) {
        if (children[v].empty())
            continue;
        const float middle
            = (layout.centre[children[v].front()] + layout.centre[children[v].back()]) / 2;
        QVERIFY(std::abs(layout.centre[v] - middle) < Epsilon);
        QCOMPARE(layout.depth[children[v].front()], layout.depth[v] + 1);
    }
}

} // namespace

class TestLayout : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void empty();
    void knownDrawing();
    void tidy_data();
    void tidy();
    void mirrorImage();
    void oldNodesKeepTheirOrder();
    void deepChainAndWideStar();
};

void TestLayout::empty()
{
    const auto layout = ui::tidyLayout({});
    QVERIFY(layout.centre.empty());
    QCOMPARE(layout.breadth, 0.0F);
}

void TestLayout::knownDrawing()
{
    // A root with two leaves: 10 wide each, a gap of 8 between them.
    const auto layout = ui::tidyLayout(shapeOf(QStringLiteral("0 0")));
    QCOMPARE(layout.centre[1], 5.0F);
    QCOMPARE(layout.centre[2], 23.0F);
    QCOMPARE(layout.centre[0], 14.0F);
    QCOMPARE(layout.breadth, 28.0F);
}

void TestLayout::tidy_data()
{
    QTest::addColumn<TreeShape>("shape");
    QTest::newRow("one") << shapeOf({});
    QTest::newRow("small subtree between large ones")
        << shapeOf(QStringLiteral("0 0 0 0 1 1 1 1 1 4 4 4 4 4"));
    QTest::newRow("threads cross") << shapeOf(QStringLiteral("0 0 0 1 4 5 6 3 8 9 10 10 10"));
    TreeShape forest = shapeOf(QStringLiteral("0 0 1"));
    forest.add(TreeShape::None, 10);
    forest.add(4, 10);
    QTest::newRow("two roots") << forest;
    for (int window : {3, 20, 400}) {
        for (quint32 seed = 1; seed <= 3; ++seed) {
            QTest::addRow("random, window %d, seed %u", window, seed)
                << randomShape(2000, window, seed);
        }
    }
}

void TestLayout::tidy()
{
    QFETCH(TreeShape, shape);
    const ui::TidyGaps gaps{7, 16};
    checkTidy(shape, ui::tidyLayout(shape, gaps), gaps);
}

void TestLayout::mirrorImage()
{
    // A symmetric tree is drawn symmetrically, the small subtrees in the middle included.
    const auto layout = ui::tidyLayout(shapeOf(QStringLiteral("0 0 0 1 1 1 1 3 3 3 3")));
    QVERIFY(std::abs(layout.centre[1] + layout.centre[3] - 2 * layout.centre[2]) < Epsilon);
    QVERIFY(std::abs(layout.centre[0] - layout.breadth / 2) < Epsilon);
}

void TestLayout::oldNodesKeepTheirOrder()
{
    TreeShape shape = randomShape(500, 50, 7);
    const auto before = ui::tidyLayout(shape);
    shape.add(100, 30);
    const auto after = ui::tidyLayout(shape);
    for (std::size_t a = 0; a < 500; a += 7) {
        for (std::size_t b = a + 1; b < 500; b += 5) {
            if (before.depth[a] == before.depth[b]) {
                QCOMPARE(before.centre[a] < before.centre[b], after.centre[a] < after.centre[b]);
            }
        }
    }
}

void TestLayout::deepChainAndWideStar()
{
    constexpr quint32 Count = 100000;
    TreeShape chain, star;
    for (quint32 i = 0; i < Count; ++i) {
        chain.add(i == 0 ? TreeShape::None : i - 1, 30);
        star.add(i == 0 ? TreeShape::None : 0, 30);
    }
    const auto deep = ui::tidyLayout(chain);
    QCOMPARE(deep.depth.back(), Count - 1);
    QCOMPARE(deep.breadth, 30.0F);
    const auto wide = ui::tidyLayout(star);
    QVERIFY(std::abs(wide.breadth - ((Count - 1) * 38.0F - 8)) < 4);
}

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
