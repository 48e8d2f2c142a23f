#include "ui/tree/minimap.h"

#include "ui/theme.h"
#include "ui/tree/treeview.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <cmath>

namespace ui {

namespace {
constexpr double MaxWidth = 190, MaxHeight = 130, Padding = 6, Margin = 12;
}

MiniMap::MiniMap(TreeView *view)
    : QWidget(view->viewport())
    , m_view(view)
{
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tr("Overview of the tree"));
    hide();
}

void MiniMap::invalidate()
{
    m_picture = QPixmap();
    update();
}

double MiniMap::scaleToMap() const
{
    const QRectF bounds = m_view->scene().bounds();
    return std::min((MaxWidth - 2 * Padding) / std::max(1.0, bounds.width()),
        (MaxHeight - 2 * Padding) / std::max(1.0, bounds.height()));
}

void MiniMap::updatePlace()
{
    const QRectF bounds = m_view->scene().bounds();
    if (m_view->scene().isEmpty()
        || m_view->visibleArea().adjusted(-2, -2, 2, 2).contains(bounds)) {
        hide();
        return;
    }
    const double scale = scaleToMap();
    const QSize size(static_cast<int>(std::ceil(bounds.width() * scale + 2 * Padding)),
        static_cast<int>(std::ceil(bounds.height() * scale + 2 * Padding)));
    const QSize area = m_view->viewport()->size();
    setGeometry(QRect(QPoint(area.width() - size.width() - static_cast<int>(Margin),
                          area.height() - size.height() - static_cast<int>(Margin)),
        size));
    show();
    update();
}

void MiniMap::paintEvent(QPaintEvent *)
{
    const double scale = scaleToMap(), ratio = devicePixelRatioF();
    const Theme theme = Theme::fromPalette(palette());
    if (m_picture.isNull() || m_picture.size() != size() * ratio) {
        m_picture = QPixmap(size() * ratio);
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(theme.color(Role::Surface));
        QPainter painter(&m_picture);
        painter.translate(Padding, Padding);
        painter.scale(scale, scale);
        m_view->paintScene(painter, m_view->scene().bounds(), scale);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    painter.setPen(theme.color(Role::Border));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    const QRectF seen = m_view->visibleArea();
    QRectF frame(seen.topLeft() * scale, seen.size() * scale);
    frame.translate(Padding, Padding);
    frame &= QRectF(rect()).adjusted(1, 1, -2, -2);
    QColor fill = theme.color(Role::Accent);
    painter.setPen(QPen(fill, 1.5));
    fill.setAlphaF(0.12F);
    painter.setBrush(fill);
    painter.drawRect(frame);
}

void MiniMap::centerViewAt(const QPointF &position)
{
    const QPointF scenePoint = (position - QPointF(Padding, Padding)) / scaleToMap();
    m_view->centerOnPoint(scenePoint);
}

void MiniMap::mousePressEvent(QMouseEvent *event)
{
    centerViewAt(event->position());
}

void MiniMap::mouseMoveEvent(QMouseEvent *event)
{
    centerViewAt(event->position());
}

} // namespace ui
