#include "tests/ui/sampletree.h"
#include "ui/theme.h"
#include "ui/tree/treepainter.h"
#include "ui/verdictstyle.h"

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <set>

namespace {

struct Tree {
    ui::NodeModel model;
    ui::TreeScene scene;
    ui::TreePainter painter{model, scene};

    explicit Tree(const QList<core::NodeSummary> &nodes)
    {
        model.apply(nodes);
        scene.rebuild(model, {});
        painter.setTheme(ui::Theme::fromPalette(QApplication::palette()));
        painter.setBest(model.best());
    }

    QImage render(double scale, QSize size, QPointF from = {}) const
    {
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter p(&image);
        p.scale(scale, scale);
        p.translate(-from);
        painter.paint(p, QRectF(from, QSizeF(size) / scale), scale);
        return image;
    }
};

int paintedPixels(const QImage &image)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += qAlpha(image.pixel(x, y)) != 0;
    }
    return count;
}

} // namespace

class TestTreePainter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rendersAtEveryLevel_data();
    void rendersAtEveryLevel();
    void emptyTree();
    void cullingFindsWhatATestOfAllFinds();
    void edgesCrossingTheViewAreFound();
    void cullingPaintsTheSamePicture();
    void everyFamilyHasItsOwnShape();
    void hitTest();
};

void TestTreePainter::rendersAtEveryLevel_data()
{
    QTest::addColumn<double>("scale");
    for (double scale : {0.002, 0.01, 0.03, 0.2, 0.45, 1.0, 4.0})
        QTest::addRow("%g", scale) << scale;
}

void TestTreePainter::rendersAtEveryLevel()
{
    QFETCH(double, scale);
    const Tree tree(sample::randomTree(2000, 100));
    const QPointF from = tree.scene.rect(0).topLeft() - QPointF(2, 2) / scale;
    QVERIFY(paintedPixels(tree.render(scale, {400, 300}, from)) > 0);
}

void TestTreePainter::emptyTree()
{
    const Tree tree{{}};
    QCOMPARE(paintedPixels(tree.render(1, {50, 50})), 0);
    QVERIFY(tree.scene.bounds().isEmpty());
}

void TestTreePainter::cullingFindsWhatATestOfAllFinds()
{
    const Tree tree(sample::randomTree(3000, 200));
    QRandomGenerator random(3);
    const QRectF bounds = tree.scene.bounds();
    for (int i = 0; i < 50; ++i) {
        const QRectF area(random.bounded(bounds.width()), random.bounded(bounds.height()),
            50 + random.bounded(900.0), 50 + random.bounded(900.0));
        std::set<quint32> found, wanted;
        tree.scene.eachNode(area, [&](quint32 slot) { found.insert(slot); });
        for (quint32 slot = 0; slot < tree.model.size(); ++slot) {
            if (tree.scene.rect(slot).intersects(area))
                wanted.insert(slot);
        }
        for (const quint32 slot : wanted)
            QVERIFY(found.count(slot));
        QVERIFY(found.size() <= wanted.size() + 40);
    }
}

void TestTreePainter::edgesCrossingTheViewAreFound()
{
    // A star: its middle shows neither the parent nor the two end children.
    QList<core::NodeSummary> nodes{sample::node(1, 0, core::NodeKind::Root)};
    for (core::NodeId id = 2; id < 400; ++id)
        nodes << sample::kernel(id, 1, gpu::Verdict::Ok);
    const Tree tree(nodes);
    const QRectF gap(tree.scene.rect(0).right() + 4, 200, 20, 40);
    int parents = 0;
    tree.scene.eachParent(gap, [&](quint32 slot) { parents += slot == 0; });
    QCOMPARE(parents, 1);
    QVERIFY(paintedPixels(tree.render(0.25, {5, 10}, gap.topLeft())) > 0);
}

void TestTreePainter::cullingPaintsTheSamePicture()
{
    const Tree tree(sample::finishedSearch());
    const QSize whole = tree.scene.bounds().size().toSize();
    const QImage all = tree.render(1, whole);
    const QRect part(300, 100, 400, 300);
    QImage tile(part.size(), QImage::Format_ARGB32_Premultiplied);
    tile.fill(Qt::transparent);
    QPainter p(&tile);
    p.translate(-part.topLeft());
    tree.painter.paint(p, QRectF(part), 1);
    p.end();
    // Curves are flattened with the clip in mind, so single edge pixels differ a little.
    int different = 0;
    for (int y = 0; y < part.height(); ++y) {
        for (int x = 0; x < part.width(); ++x) {
            const QColor a = tile.pixelColor(x, y),
                         b = all.pixelColor(part.topLeft() + QPoint(x, y));
            different += std::abs(a.alpha() - b.alpha()) + std::abs(a.green() - b.green()) > 64;
        }
    }
    QVERIFY2(different < 50, qPrintable(QString::number(different)));
}

void TestTreePainter::everyFamilyHasItsOwnShape()
{
    // In one colour: what differs is shape, which is what a colour-blind person has.
    const ui::Theme theme = ui::Theme::fromPalette(QApplication::palette());
    QList<QImage> masks;
    for (int family = 0; family < int(ui::Family::Count); ++family) {
        QImage image(32, 32, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter p(&image);
        ui::paintGlyph(p, QRectF(2, 2, 28, 28), ui::Family(family), theme);
        p.end();
        QImage mask(32, 32, QImage::Format_Grayscale8);
        const QColor sign = theme.color(ui::Role::OnVerdict);
        for (int y = 0; y < 32; ++y) {
            for (int x = 0; x < 32; ++x) {
                const QColor c = image.pixelColor(x, y);
                const bool on = c.alpha() > 128 && std::abs(c.lightness() - sign.lightness()) > 60;
                mask.setPixelColor(x, y, on ? Qt::white : Qt::black);
            }
        }
        for (const QImage &other : masks)
            QVERIFY(mask != other);
        masks << mask;
    }
}

void TestTreePainter::hitTest()
{
    const Tree tree(sample::randomTree(500, 60));
    for (quint32 slot = 0; slot < tree.model.size(); ++slot) {
        QCOMPARE(tree.scene.nodeAt(tree.scene.rect(slot).center()), slot);
        QVERIFY(tree.scene.nodeAt(tree.scene.rect(slot).topLeft() - QPointF(3, 3)) != slot);
    }
    QCOMPARE(tree.scene.nodeAt({-50, -50}), ui::NodeModel::NoSlot);
}

QTEST_MAIN(TestTreePainter)
#include "tst_treepainter.moc"
