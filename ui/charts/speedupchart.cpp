#include "ui/charts/speedupchart.h"

#include "ui/theme.h"
#include "ui/tree/nodemodel.h"
#include "ui/verdictstyle.h"

#include <QChart>
#include <QChartView>
#include <QCheckBox>
#include <QEvent>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QScatterSeries>
#include <QToolTip>
#include <QVBoxLayout>
#include <QValueAxis>

#include <cmath>

namespace ui {

namespace {
constexpr int RedrawMs = 100;

QList<QPointF> toPoints(const std::vector<SpeedupSeries::Point> &points)
{
    QList<QPointF> list;
    list.reserve(qsizetype(points.size()));
    for (const SpeedupSeries::Point &point : points)
        list.append({point.x, point.speedup});
    return list;
}
} // namespace

SpeedupChart::SpeedupChart(NodeModel *model, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_chart(new QChart)
    , m_view(new QChartView(m_chart, this))
    , m_log(new QCheckBox(tr("&Logarithmic"), this))
    , m_x(new QValueAxis(m_chart))
    , m_linear(new QValueAxis(m_chart))
    , m_logarithmic(new QLogValueAxis(m_chart))
    , m_rounds(new QLineSeries(m_chart))
    , m_best(new QLineSeries(m_chart))
    , m_unity(new QLineSeries(m_chart))
    , m_ok(new QScatterSeries(m_chart))
    , m_failed(new QScatterSeries(m_chart))
    , m_mark(new QScatterSeries(m_chart))
{
    m_chart->legend()->hide();
    m_chart->setMargins({4, 4, 8, 2});
    m_chart->setBackgroundRoundness(0);
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Speed-up over the seed of every candidate"));
    m_x->setTitleText(tr("candidate, in the order they were made"));
    m_x->setLabelFormat(QStringLiteral("%d"));
    static_cast<QValueAxis *>(m_linear)->setLabelFormat(QStringLiteral("%.1f"));
    auto *logarithmic = static_cast<QLogValueAxis *>(m_logarithmic);
    logarithmic->setBase(2);
    logarithmic->setLabelFormat(QStringLiteral("%.2g"));
    for (QAbstractAxis *axis : {m_linear, m_logarithmic})
        axis->setTitleText(tr("speed-up"));
    m_chart->addAxis(m_x, Qt::AlignBottom);
    m_chart->addAxis(m_logarithmic, Qt::AlignLeft);
    // In the order they are painted.
    for (QXYSeries *series :
        std::initializer_list<QXYSeries *>{m_rounds, m_unity, m_best, m_failed, m_ok, m_mark}) {
        m_chart->addSeries(series);
        series->attachAxis(m_x);
        series->attachAxis(m_logarithmic);
    }
    m_ok->setMarkerSize(9);
    m_failed->setMarkerSize(8);
    m_failed->setMarkerShape(QScatterSeries::MarkerShapeRectangle);
    m_mark->setMarkerSize(16);
    for (QScatterSeries *series : {m_ok, m_failed, m_mark}) {
        connect(series, &QXYSeries::clicked, this, [this](const QPointF &value) {
            if (const core::NodeId node = nodeAt(value))
                Q_EMIT nodeRequested(node);
        });
        connect(series, &QXYSeries::hovered, this, &SpeedupChart::pointHovered);
    }
    m_log->setChecked(true);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *top = new QHBoxLayout;
    top->setContentsMargins(8, 2, 8, 0);
    top->addStretch(1);
    top->addWidget(m_log);
    layout->addLayout(top);
    layout->addWidget(m_view, 1);
    setMinimumHeight(160);

    m_timer.setSingleShot(true);
    m_timer.setInterval(RedrawMs);
    connect(&m_timer, &QTimer::timeout, this, &SpeedupChart::rebuild);
    const auto touch = [this] {
        m_stale = true;
        // A hidden chart draws once when it is shown.
        if (isVisible() && !m_timer.isActive())
            m_timer.start();
    };
    connect(model, &NodeModel::applied, this, touch);
    connect(model, &QAbstractItemModel::modelReset, this, touch);
    connect(m_log, &QCheckBox::toggled, this, &SpeedupChart::setLogarithmic);
    applyTheme();
    rebuild();
}

SpeedupChart::~SpeedupChart()
{
    // The axis that is not in the chart now is nobody else's.
    delete (isLogarithmic() ? m_linear : m_logarithmic);
}

bool SpeedupChart::isLogarithmic() const
{
    return m_log->isChecked();
}

void SpeedupChart::flush()
{
    m_timer.stop();
    if (m_stale)
        rebuild();
}

void SpeedupChart::rebuild()
{
    m_stale = false;
    m_data = speedupSeries(*m_model);
    rescale();
}

void SpeedupChart::rescale()
{
    double low = 1, high = 1;
    for (const SpeedupSeries::Point &point : m_data.ok) {
        low = std::min(low, point.speedup);
        high = std::max(high, point.speedup);
    }
    // Room below for the strip of those without a speed.
    double strip = 0;
    if (isLogarithmic()) {
        strip = low / 1.7;
        m_low = strip / 1.35;
        m_high = high * 1.3;
    } else {
        const double room = std::max(0.5, high * 0.14);
        strip = -room;
        m_low = -room * 1.8;
        m_high = high * 1.1;
    }
    const auto span = [this](QAbstractAxis *axis) { axis->setRange(m_low, m_high); };
    span(isLogarithmic() ? m_logarithmic : m_linear);
    const double end = std::max(4.0, m_data.candidates) + 0.8;
    m_x->setRange(0.2, end);
    m_x->setTickType(QValueAxis::TicksDynamic);
    m_x->setTickAnchor(0);
    m_x->setTickInterval(std::max(1.0, std::ceil(end / 8)));
    QList<QPointF> failed;
    for (const SpeedupSeries::Point &point : m_data.failed)
        failed.append({point.x, strip});
    m_ok->replace(toPoints(m_data.ok));
    m_failed->replace(failed);
    m_best->replace(QList<QPointF>(m_data.best.begin(), m_data.best.end()));
    m_unity->replace(QList<QPointF>{{0.2, 1}, {end, 1}});
    // One line up and down between the rounds; it turns outside the plot, where it is cut off.
    const double above = m_high + (m_high - m_low);
    const double below = isLogarithmic() ? m_low / 2 : m_low - (m_high - m_low);
    QList<QPointF> rounds;
    bool up = true;
    for (double x : m_data.roundStarts) {
        rounds << QPointF(x, up ? below : above) << QPointF(x, up ? above : below);
        up = !up;
    }
    m_rounds->replace(rounds);
    markSelected();
}

void SpeedupChart::setLogarithmic(bool on)
{
    if (m_log->isChecked() != on) {
        m_log->setChecked(on); // comes back here
        return;
    }
    QAbstractAxis *wanted = on ? m_logarithmic : m_linear;
    QAbstractAxis *other = on ? m_linear : m_logarithmic;
    for (QAbstractSeries *series : m_chart->series())
        series->detachAxis(other);
    m_chart->removeAxis(other);
    m_chart->addAxis(wanted, Qt::AlignLeft);
    for (QAbstractSeries *series : m_chart->series())
        series->attachAxis(wanted);
    applyTheme();
    rescale();
}

void SpeedupChart::setSelected(core::NodeId node)
{
    m_selected = node;
    markSelected();
}

void SpeedupChart::markSelected()
{
    QList<QPointF> marks;
    for (const SpeedupSeries::Point &point : m_data.ok)
        if (point.node == m_selected)
            marks.append({point.x, point.speedup});
    for (std::size_t i = 0; i < m_data.failed.size(); ++i)
        if (m_data.failed[i].node == m_selected)
            marks.append(m_failed->at(int(i)));
    m_mark->replace(marks);
}

core::NodeId SpeedupChart::nodeAt(const QPointF &value) const
{
    for (const auto *points : {&m_data.ok, &m_data.failed})
        for (const SpeedupSeries::Point &point : *points)
            if (point.x == value.x())
                return point.node;
    return 0;
}

QPointF SpeedupChart::positionOf(core::NodeId node) const
{
    QXYSeries *series = m_ok;
    for (const auto *points : {&m_data.ok, &m_data.failed}) {
        for (std::size_t i = 0; i < points->size(); ++i)
            if ((*points)[i].node == node)
                return m_view->mapTo(this,
                    m_view->mapFromScene(
                        m_chart->mapToScene(m_chart->mapToPosition(series->at(int(i)), series))));
        series = m_failed;
    }
    return {};
}

QString SpeedupChart::tip(core::NodeId node) const
{
    const core::NodeSummary *summary = m_model->find(node);
    if (!summary)
        return {};
    return QStringLiteral("#%1 %2 %3\n%4")
        .arg(node)
        .arg(statusText(*summary), speedupText(summary->speedup), summary->title);
}

void SpeedupChart::pointHovered(const QPointF &value, bool on)
{
    const core::NodeId node = on ? nodeAt(value) : 0;
    if (node)
        QToolTip::showText(QCursor::pos(), tip(node), this);
    else
        QToolTip::hideText();
}

void SpeedupChart::applyTheme()
{
    const Theme theme = Theme::fromPalette(palette());
    m_chart->setBackgroundBrush(theme.color(Role::Surface));
    m_chart->setBackgroundPen(Qt::NoPen);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    for (QAbstractAxis *axis : {static_cast<QAbstractAxis *>(m_x), m_linear, m_logarithmic}) {
        axis->setLabelsColor(theme.color(Role::TextMuted));
        axis->setLabelsFont(small);
        axis->setTitleFont(small);
        axis->setTitleBrush(theme.color(Role::TextMuted));
        axis->setLinePenColor(theme.color(Role::Border));
        axis->setGridLineColor(theme.color(Role::Border));
    }
    m_x->setGridLineVisible(false);
    m_unity->setPen(QPen(theme.color(Role::TextFaint), 1, Qt::DashLine));
    m_rounds->setPen(QPen(theme.color(Role::Border), 1));
    m_best->setPen(QPen(theme.color(Role::VerdictOk), 2));
    m_ok->setColor(theme.color(Role::Accent));
    m_ok->setBorderColor(theme.color(Role::Surface));
    m_failed->setColor(theme.color(Role::VerdictWrong));
    m_failed->setBorderColor(theme.color(Role::Surface));
    m_mark->setColor(Qt::transparent);
    m_mark->setBorderColor(theme.color(Role::Text));
    m_mark->setPen(QPen(theme.color(Role::Text), 2));
}

void SpeedupChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
    QWidget::changeEvent(event);
}

void SpeedupChart::showEvent(QShowEvent *event)
{
    flush();
    QWidget::showEvent(event);
}

} // namespace ui
