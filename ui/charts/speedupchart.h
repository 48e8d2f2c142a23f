#pragma once

#include "ui/charts/speedupseries.h"

#include <QTimer>
#include <QWidget>

class QAbstractAxis;
class QChart;
class QChartView;
class QCheckBox;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace ui {

class NodeModel;

/// Speed-up over the seed across the search: every candidate a point, the best so far a line, those
/// without a speed in a strip of their own below, a rule between rounds. Drawn anew at most ten
/// times a second.
class SpeedupChart : public QWidget {
    Q_OBJECT
public:
    explicit SpeedupChart(NodeModel *model, QWidget *parent = nullptr);
    ~SpeedupChart() override;

    const SpeedupSeries &series() const { return m_data; }
    bool isLogarithmic() const;
    /// Where a node's point is, in this widget; null if it has none.
    QPointF positionOf(core::NodeId node) const;
    /// Draws what came since the last time, now.
    void flush();

public Q_SLOTS:
    void setSelected(core::NodeId node);
    void setLogarithmic(bool on);

Q_SIGNALS:
    void nodeRequested(core::NodeId node);

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void rebuild();
    void rescale();
    void applyTheme();
    void markSelected();
    core::NodeId nodeAt(const QPointF &value) const;
    void pointHovered(const QPointF &value, bool on);
    QString tip(core::NodeId node) const;

    NodeModel *m_model;
    SpeedupSeries m_data;
    core::NodeId m_selected = 0;
    QTimer m_timer;
    bool m_stale = true;
    double m_low = 0.5, m_high = 2; ///< range of the speed-up axis

    QChart *m_chart;
    QChartView *m_view;
    QCheckBox *m_log;
    QValueAxis *m_x;
    QAbstractAxis *m_linear, *m_logarithmic;
    QLineSeries *m_rounds, *m_best, *m_unity;
    QScatterSeries *m_ok, *m_failed, *m_mark;
};

} // namespace ui
