#include "sampletree.h"

#include "ui/charts/speedupchart.h"
#include "ui/tree/nodemodel.h"

#include <QChartView>
#include <QSignalSpy>
#include <QTest>

using namespace ui;
using gpu::Verdict;

/// The chart's numbers, and that a click on a point finds its node.
class TestSpeedupChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sortsWhatHappened()
    {
        NodeModel model;
        QList<core::NodeSummary> nodes{sample::kernel(1, 0, Verdict::Ok, 1, core::NodeKind::Root),
            sample::idea(2, 1, "i"), sample::kernel(3, 2, Verdict::Ok, 2),
            sample::kernel(4, 2, Verdict::WrongResult), sample::kernel(5, 3, Verdict::Ok, 9),
            sample::kernel(6, 3, Verdict::Ok, 3), sample::kernel(7, 3, Verdict::Ok)};
        nodes[2].round = nodes[3].round = 1;
        nodes[4].round = nodes[5].round = nodes[6].round = 2;
        nodes[4].excluded = true;
        nodes[6].state = core::NodeState::Timing; // has not ended
        model.apply(nodes);
        const SpeedupSeries series = speedupSeries(model);
        QCOMPARE(series.candidates, 5.0);
        QCOMPARE(series.ok.size(), std::size_t(4));
        QCOMPARE(series.failed.size(), std::size_t(1));
        QCOMPARE(series.failed[0].node, core::NodeId(4));
        QCOMPARE(series.failed[0].x, 3.0);
        // 9× is excluded: it is a point, but never the best.
        const std::vector<QPointF> best{{1, 1}, {2, 1}, {2, 2}, {5, 2}, {5, 3}, {5.5, 3}};
        QCOMPARE(series.best, best);
        QCOMPARE(series.roundStarts, (std::vector<double>{1.5, 3.5}));
    }

    void isEmptyWithoutNodes()
    {
        NodeModel model;
        SpeedupChart chart(&model);
        chart.setSelected(7);
        chart.flush();
        QVERIFY(chart.series().ok.empty() && chart.series().best.empty());
    }

    void clicksSelect_data()
    {
        QTest::addColumn<bool>("logarithmic");
        QTest::newRow("logarithmic") << true;
        QTest::newRow("linear") << false;
    }

    void clicksSelect()
    {
        QFETCH(bool, logarithmic);
        NodeModel model;
        SpeedupChart chart(&model);
        chart.resize(500, 320);
        chart.show();
        chart.setLogarithmic(!logarithmic);
        chart.setLogarithmic(logarithmic);
        QCOMPARE(chart.isLogarithmic(), logarithmic);
        model.apply(sample::finishedSearch());
        chart.flush();
        QVERIFY(chart.series().ok.size() > 5 && !chart.series().failed.empty());
        QTest::qWait(50); // the chart lays itself out
        QSignalSpy spy(&chart, &SpeedupChart::nodeRequested);
        auto *view = chart.findChild<QChartView *>();
        for (core::NodeId node :
            {chart.series().ok.back().node, chart.series().failed.front().node}) {
            const QPointF at = chart.positionOf(node);
            QVERIFY(QRectF(chart.rect()).contains(at));
            QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                view->viewport()->mapFrom(&chart, at.toPoint()));
            QCOMPARE(spy.size(), 1);
            QCOMPARE(spy.takeFirst()[0].value<core::NodeId>(), node);
            chart.setSelected(node);
        }
        // Failures stand below every speed, never among them.
        const double lowest = chart.positionOf(1).y();
        for (const SpeedupSeries::Point &point : chart.series().failed)
            QVERIFY(chart.positionOf(point.node).y() > lowest);
    }

    void drawsAtMostTenTimesASecond()
    {
        NodeModel model;
        SpeedupChart chart(&model);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        model.apply({sample::kernel(1, 0, Verdict::Ok, 1, core::NodeKind::Root)});
        QCOMPARE(chart.series().ok.size(), std::size_t(0)); // waits for its timer
        QTRY_COMPARE_WITH_TIMEOUT(chart.series().ok.size(), std::size_t(1), 2000);
    }
};

QTEST_MAIN(TestSpeedupChart)
#include "tst_speedupchart.moc"
