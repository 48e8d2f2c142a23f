#include "tests/ui/sampletree.h"
#include "ui/theme.h"
#include "ui/tree/treeview.h"

#include <QApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTest>
#include <QWheelEvent>

using ui::TreeView;

namespace {

QPoint centre(const TreeView &view, core::NodeId id)
{
    return view.viewportRect(id).center().toPoint();
}

void wheel(TreeView &view, const QPoint &at, int delta)
{
    QWheelEvent event(at, view.viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton,
        Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view.viewport(), &event);
}

} // namespace

class TestTreeView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void fitsWhole();
    void clickSelects();
    void doubleClickActivates();
    void keysWalk();
    void wheelZoomsAtCursor();
    void dragPansAndEndsFollowing();
    void followsNewest();
    void spaceCollapses();
    void growthKeepsTheSelectedNodeStill();
    void manyBatchesOneLayout();
    void changeRepaintsOnlyTheNode();
    void archivedNodesLeave();
    void exports();
    void extremes();
    void picture();

private:
    std::unique_ptr<ui::NodeModel> m_model;
    std::unique_ptr<TreeView> m_view;
};

void TestTreeView::init()
{
    m_model = std::make_unique<ui::NodeModel>();
    m_view = std::make_unique<TreeView>(m_model.get());
    m_view->resize(1200, 700);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    m_model->apply(sample::finishedSearch());
    m_view->flush();
}

void TestTreeView::cleanup()
{
    m_view.reset();
    m_model.reset();
}

void TestTreeView::fitsWhole()
{
    QVERIFY(m_view->visibleArea().contains(m_view->scene().bounds()));
    // The demo's finished tree is to be read in the default window without zooming.
    QVERIFY2(m_view->zoom() > 0.75, qPrintable(QString::number(m_view->zoom())));
    m_view->resize(700, 400);
    QVERIFY(m_view->visibleArea().contains(m_view->scene().bounds()));
}

void TestTreeView::clickSelects()
{
    QSignalSpy spy(m_view.get(), &TreeView::selectionChanged);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, centre(*m_view, 4));
    QCOMPARE(m_view->selected(), 4U);
    QCOMPARE(spy.size(), 1);
}

void TestTreeView::doubleClickActivates()
{
    QSignalSpy spy(m_view.get(), &TreeView::activated);
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, centre(*m_view, 4));
    QCOMPARE(spy.size(), 1);
    QCOMPARE(spy[0][0].toUInt(), 4U);
}

void TestTreeView::keysWalk()
{
    m_view->selectRoot();
    QCOMPARE(m_view->selected(), 1U);
    QTest::keyClick(m_view.get(), Qt::Key_Right);
    QCOMPARE(m_view->selected(), 2U);
    QTest::keyClick(m_view.get(), Qt::Key_Down);
    QCOMPARE(m_view->selected(), 5U);
    QTest::keyClick(m_view.get(), Qt::Key_Up);
    QTest::keyClick(m_view.get(), Qt::Key_Up);
    QCOMPARE(m_view->selected(), 2U);
    QTest::keyClick(m_view.get(), Qt::Key_Left);
    QTest::keyClick(m_view.get(), Qt::Key_Left);
    QCOMPARE(m_view->selected(), 1U);
    m_view->selectBest();
    QCOMPARE(m_view->selected(), m_model->best());
    QSignalSpy spy(m_view.get(), &TreeView::activated);
    QTest::keyClick(m_view.get(), Qt::Key_Return);
    QCOMPARE(spy.size(), 1);
}

void TestTreeView::wheelZoomsAtCursor()
{
    m_view->zoomReset();
    for (int step = 0; step < 6; ++step) {
        const QPoint cursor(400 + 37 * step, 300);
        const QPointF before = m_view->visibleArea().topLeft() + QPointF(cursor) / m_view->zoom();
        wheel(*m_view, cursor, 240);
        const QPointF after = m_view->visibleArea().topLeft() + QPointF(cursor) / m_view->zoom();
        QVERIFY(QLineF(before, after).length() * m_view->zoom() < 2);
    }
    for (int i = 0; i < 200; ++i)
        wheel(*m_view, {10, 10}, 1200);
    QCOMPARE(m_view->zoom(), TreeView::MaxZoom);
    for (int i = 0; i < 200; ++i)
        wheel(*m_view, {10, 10}, -1200);
    QCOMPARE(m_view->zoom(), TreeView::MinZoom);
}

void TestTreeView::dragPansAndEndsFollowing()
{
    m_view->zoomReset();
    m_view->zoomIn();
    m_view->zoomIn();
    m_view->setFollowNewest(true);
    QVERIFY(m_view->followsNewest());
    const QPointF before = m_view->visibleArea().topLeft();
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, {600, 350});
    QTest::mouseMove(m_view->viewport(), {650, 350});
    QTest::mouseMove(m_view->viewport(), {700, 380});
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, {700, 380});
    QVERIFY(!m_view->followsNewest());
    QVERIFY(m_view->visibleArea().left() < before.x());
    QCOMPARE(m_view->selected(), 0U);
}

void TestTreeView::followsNewest()
{
    m_view->zoomReset();
    m_view->zoomIn();
    m_view->zoomIn();
    m_view->setFollowNewest(true);
    m_model->apply({sample::kernel(500, 1, gpu::Verdict::Ok, 1.5)});
    m_view->flush();
    QVERIFY(QRectF(m_view->viewport()->rect()).contains(m_view->viewportRect(500)));
}

void TestTreeView::spaceCollapses()
{
    m_view->select(2);
    const double before = m_view->scene().bounds().height();
    m_view->toggleCollapsed();
    QVERIFY(m_view->viewportRect(3).isNull());
    QVERIFY(m_view->scene().hiddenBelow(m_model->slotOf(2)) > 0);
    m_view->toggleCollapsed();
    QVERIFY(!m_view->viewportRect(3).isNull());
    QCOMPARE(m_view->scene().bounds().height(), before);
}

void TestTreeView::growthKeepsTheSelectedNodeStill()
{
    m_view->zoomReset();
    m_view->zoomIn();
    m_view->zoomIn();
    m_view->select(20);
    const QPointF before = m_view->viewportRect(20).center();
    QList<core::NodeSummary> more;
    for (core::NodeId id = 100; id < 130; ++id)
        more << sample::kernel(id, 2, gpu::Verdict::Ok);
    m_model->apply(more);
    m_view->flush();
    QVERIFY(QLineF(before, m_view->viewportRect(20).center()).length() < 2);
}

void TestTreeView::manyBatchesOneLayout()
{
    // Between two frames the view changes nothing: batches are laid out together.
    const QRectF before = m_view->scene().bounds();
    for (core::NodeId id = 1000; id < 1100; ++id)
        m_model->apply({sample::kernel(id, 2, gpu::Verdict::Ok)});
    QCOMPARE(m_view->scene().bounds(), before);
    QTRY_VERIFY(m_view->scene().bounds().height() > before.height());
}

void TestTreeView::changeRepaintsOnlyTheNode()
{
    const QImage before = m_view->viewport()->grab().toImage();
    core::NodeSummary node = *m_model->find(4);
    const QRect box = m_view->viewportRect(4).toAlignedRect().adjusted(-4, -4, 28, 4);
    node.verdict = gpu::Verdict::Crash;
    node.speedup.reset();
    m_model->apply({node});
    m_view->flush();
    const QImage after = m_view->viewport()->grab().toImage();
    QVERIFY(before.copy(box) != after.copy(box));
    QCOMPARE(
        after.copy(0, 0, after.width(), box.top()), before.copy(0, 0, after.width(), box.top()));
}

void TestTreeView::archivedNodesLeave()
{
    core::NodeSummary node = *m_model->find(5);
    node.archived = true;
    m_model->apply({node});
    m_view->flush();
    QVERIFY(m_view->viewportRect(5).isNull());
    node.archived = false;
    m_model->apply({node});
    m_view->flush();
    QVERIFY(!m_view->viewportRect(5).isNull());
}

void TestTreeView::exports()
{
    const QImage image = m_view->renderImage(2);
    QVERIFY(image.width() > 2 * m_view->scene().bounds().width());
    const QByteArray svg = m_view->renderSvg();
    QVERIFY(QSvgRenderer(svg).isValid());
    QVERIFY(svg.contains("5.63"));
    QVERIFY(m_view->renderImage(1000).width() <= 16000);
}

void TestTreeView::extremes()
{
    m_model->clear();
    QCOMPARE(m_view->selected(), 0U);
    m_view->fit();
    m_view->selectRoot();
    m_view->selectBest();
    m_view->toggleCollapsed();
    QTest::keyClick(m_view.get(), Qt::Key_Right);
    QVERIFY(!m_view->grab().isNull());
    auto nasty = sample::idea(1, 0, "");
    nasty.title = QString(5000, QChar(u'W'));
    auto infinite = sample::kernel(2, 1, gpu::Verdict::Ok, 1);
    infinite.speedup = std::numeric_limits<double>::infinity();
    infinite.medianUs = std::numeric_limits<double>::quiet_NaN();
    m_model->apply({nasty, infinite});
    m_view->flush();
    QVERIFY(!m_view->grab().isNull());
    m_view->resize(1, 1);
    QVERIFY(!m_view->grab().isNull());
}

void TestTreeView::picture()
{
    const QString folder = qEnvironmentVariable("ESPALIER_PICTURES");
    for (const auto scheme : {ui::ColorScheme::Light, ui::ColorScheme::Dark}) {
        ui::applyColorScheme(*qApp, scheme);
        QCoreApplication::processEvents();
        m_view->select(m_model->best());
        const QImage image = m_view->grab().toImage();
        const ui::Theme theme = ui::Theme::fromPalette(qApp->palette());
        QCOMPARE(theme.isDark(), scheme == ui::ColorScheme::Dark);
        QCOMPARE(image.pixelColor(2, 2), theme.color(ui::Role::Canvas));
        if (!folder.isEmpty())
            image.save(folder
                + (theme.isDark() ? QStringLiteral("/tree-dark.png")
                                  : QStringLiteral("/tree-light.png")));
    }
}

QTEST_MAIN(TestTreeView)
#include "tst_treeview.moc"
