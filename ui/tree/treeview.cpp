#include "ui/tree/treeview.h"

#include "ui/tree/minimap.h"
#include "ui/verdictstyle.h"

#include <QApplication>
#include <QBuffer>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSvgGenerator>
#include <QToolTip>

#include <cmath>

namespace ui {

namespace {

constexpr int FrameMs = 16, PulseMs = 50, PulsePeriodMs = 1400;
constexpr double Margin = 28; ///< around the tree, pixels on the screen
constexpr double MaxFitZoom = 1.2, ZoomStep = 1.25;
constexpr double ExportMargin = 24;

} // namespace

TreeView::TreeView(NodeModel *model, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_model(model)
    , m_painter(*model, m_scene)
    , m_miniMap(new MiniMap(this))
{
    setObjectName(QStringLiteral("treeView"));
    setAccessibleName(tr("Search tree"));
    setAccessibleDescription(
        tr("Arrows walk the tree; the Nodes list shows the same nodes as text."));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    m_frameTimer.setSingleShot(true);
    m_frameTimer.setInterval(FrameMs);
    m_pulseTimer.setInterval(PulseMs);
    connect(&m_frameTimer, &QTimer::timeout, this, &TreeView::flush);
    connect(&m_pulseTimer, &QTimer::timeout, this, [this] {
        m_phase = std::fmod(m_phase + double(PulseMs) / PulsePeriodMs, 1);
        for (const NodeModel::Slot slot : m_running)
            viewport()->update(
                viewportRect(m_model->at(slot).id).toAlignedRect().adjusted(-3, -3, 3, 3));
    });
    connect(model, &NodeModel::applied, this, &TreeView::applied);
    connect(model, &QAbstractItemModel::modelReset, this, &TreeView::modelReset);
    refreshTheme();
    modelReset();
}

void TreeView::applied(const QList<core::NodeId> &added, const QList<core::NodeId> &changed)
{
    if (!added.isEmpty()) {
        m_newest = added.last();
        m_needsLayout = true;
    }
    m_changed.append(changed);
    if (!m_frameTimer.isActive())
        m_frameTimer.start();
}

void TreeView::modelReset()
{
    m_collapsed.clear();
    m_changed.clear();
    m_selected = m_best = m_newest = 0;
    m_hovered = NodeModel::NoSlot;
    m_mode = Mode::Fit;
    m_needsLayout = true;
    m_painter.setBest(0);
    flush();
    Q_EMIT selectionChanged(0);
}

void TreeView::flush()
{
    m_frameTimer.stop();
    const core::NodeId best = m_model->best();
    const bool bestMoved = best != m_best;
    m_best = best;
    if (bestMoved)
        m_painter.setBest(best);
    // Archiving changes what is laid out.
    for (const core::NodeId id : std::as_const(m_changed)) {
        const NodeModel::Slot slot = m_model->slotOf(id);
        if (m_model->at(slot).archived == m_scene.contains(slot))
            m_needsLayout = true;
    }
    if (m_needsLayout) {
        relayout();
    } else if (bestMoved) {
        markAllDirty();
    } else {
        for (const core::NodeId id : std::as_const(m_changed)) {
            const QRect box = viewportRect(id).toAlignedRect().adjusted(-4, -4, 28, 4);
            m_dirty += box;
            viewport()->update(box);
        }
    }
    if (!m_changed.isEmpty() || bestMoved)
        m_miniMap->invalidate();
    m_changed.clear();
    refreshPulse();
}

void TreeView::relayout()
{
    // The picture keeps still around what the user looks at.
    NodeModel::Slot anchor = m_hovered;
    if (!m_scene.contains(anchor))
        anchor = selectedSlot();
    const bool anchored = m_scene.contains(anchor);
    const QPointF before = anchored ? m_scene.rect(anchor).topLeft() : QPointF();
    m_scene.rebuild(*m_model, m_collapsed);
    m_needsLayout = false;
    if (m_mode == Mode::Fit) {
        applyFit();
    } else {
        updateScrollBars();
        if (anchored && m_scene.contains(anchor))
            moveOrigin(m_origin - (m_scene.rect(anchor).topLeft() - before) * m_scale);
        if (m_mode == Mode::Follow)
            ensureVisible(m_newest);
    }
    m_miniMap->invalidate();
    m_miniMap->updatePlace();
    markAllDirty();
}

void TreeView::setMode(Mode mode)
{
    const bool followed = followsNewest();
    m_mode = mode;
    if (followed != followsNewest())
        Q_EMIT followNewestChanged(followsNewest());
}

void TreeView::applyFit()
{
    const QSizeF area = viewport()->size();
    const QRectF bounds = m_scene.bounds();
    if (bounds.isEmpty())
        m_scale = 1;
    else
        m_scale = std::clamp(std::min((area.width() - 2 * Margin) / bounds.width(),
                                 (area.height() - 2 * Margin) / bounds.height()),
            MinZoom, MaxFitZoom);
    updateScrollBars();
    markAllDirty();
}

void TreeView::updateScrollBars()
{
    m_adjusting = true;
    const QSizeF content = m_scene.bounds().size() * m_scale;
    const QSize area = viewport()->size();
    const auto adjust = [](QScrollBar *bar, double length, int view) {
        const int low = -static_cast<int>(Margin);
        const int high = static_cast<int>(std::ceil(length + Margin)) - view;
        bar->setRange(low, std::max(low, high));
        bar->setPageStep(view);
        bar->setSingleStep(40);
    };
    adjust(horizontalScrollBar(), content.width(), area.width());
    adjust(verticalScrollBar(), content.height(), area.height());
    m_adjusting = false;
    moveOrigin(m_origin);
}

void TreeView::moveOrigin(const QPointF &origin)
{
    m_adjusting = true;
    const QSizeF content = m_scene.bounds().size() * m_scale;
    const QSize area = viewport()->size();
    const auto place = [](QScrollBar *bar, double wanted, double length, int view) {
        if (length + 2 * Margin <= view) // it fits: centred
            return (view - length) / 2;
        bar->setValue(static_cast<int>(std::lround(-wanted)));
        return static_cast<double>(-bar->value());
    };
    m_origin = QPointF(
        std::round(place(horizontalScrollBar(), origin.x(), content.width(), area.width())),
        std::round(place(verticalScrollBar(), origin.y(), content.height(), area.height())));
    m_adjusting = false;
    markAllDirty();
    m_miniMap->updatePlace();
    Q_EMIT viewChanged();
}

void TreeView::scrollContentsBy(int, int)
{
    if (m_adjusting)
        return;
    setMode(Mode::Free);
    moveOrigin(QPointF(-horizontalScrollBar()->value(), -verticalScrollBar()->value()));
}

void TreeView::setScale(double scale, const QPointF &anchor)
{
    const QPointF fixed = toScene(anchor);
    m_scale = std::clamp(scale, MinZoom, MaxZoom);
    setMode(Mode::Free);
    updateScrollBars();
    moveOrigin(anchor - fixed * m_scale);
}

void TreeView::fit()
{
    setMode(Mode::Fit);
    applyFit();
}

void TreeView::zoomIn()
{
    setScale(m_scale * ZoomStep, QRectF(viewport()->rect()).center());
}
void TreeView::zoomOut()
{
    setScale(m_scale / ZoomStep, QRectF(viewport()->rect()).center());
}
void TreeView::zoomReset()
{
    setScale(1, QRectF(viewport()->rect()).center());
}

void TreeView::setFollowNewest(bool on)
{
    if (on == followsNewest())
        return;
    setMode(on ? Mode::Follow : Mode::Free);
    if (on)
        ensureVisible(m_newest);
}

void TreeView::centerOnPoint(const QPointF &scenePoint)
{
    setMode(Mode::Free);
    moveOrigin(QRectF(viewport()->rect()).center() - scenePoint * m_scale);
}

void TreeView::centerOn(core::NodeId id)
{
    const NodeModel::Slot slot = m_model->slotOf(id);
    if (m_scene.contains(slot))
        centerOnPoint(m_scene.rect(slot).center());
}

void TreeView::ensureVisible(core::NodeId id)
{
    const QRectF box = viewportRect(id);
    const QRectF area = QRectF(viewport()->rect()).adjusted(Margin, Margin, -Margin, -Margin);
    if (box.isNull() || area.contains(box))
        return;
    QPointF shift;
    if (box.right() > area.right())
        shift.setX(area.right() - box.right());
    if (box.left() + shift.x() < area.left())
        shift.setX(area.left() - box.left());
    if (box.bottom() > area.bottom())
        shift.setY(area.bottom() - box.bottom());
    if (box.top() + shift.y() < area.top())
        shift.setY(area.top() - box.top());
    moveOrigin(m_origin + shift);
}

QPointF TreeView::toScene(const QPointF &viewportPoint) const
{
    return (viewportPoint - m_origin) / m_scale;
}

QRectF TreeView::visibleArea() const
{
    return QRectF(toScene({0, 0}), QSizeF(viewport()->size()) / m_scale);
}

QRectF TreeView::viewportRect(core::NodeId id) const
{
    const NodeModel::Slot slot = m_model->slotOf(id);
    if (!m_scene.contains(slot))
        return {};
    const QRectF &box = m_scene.rect(slot);
    return QRectF(box.topLeft() * m_scale + m_origin, box.size() * m_scale);
}

NodeModel::Slot TreeView::selectedSlot() const
{
    return m_model->slotOf(m_selected);
}

void TreeView::select(core::NodeId id)
{
    if (m_needsLayout)
        flush();
    if (id == m_selected || (id != 0 && !m_model->find(id)))
        return;
    m_selected = id;
    if (m_mode != Mode::Fit)
        ensureVisible(id);
    viewport()->update();
    Q_EMIT selectionChanged(id);
}

void TreeView::selectRoot()
{
    if (!m_model->roots().empty())
        select(m_model->at(m_model->roots().front()).id);
}

void TreeView::selectBest()
{
    select(m_model->best());
}

void TreeView::toggleCollapsed()
{
    const NodeModel::Slot slot = selectedSlot();
    if (slot == NodeModel::NoSlot || m_model->children(slot).empty())
        return;
    if (!m_collapsed.remove(m_selected))
        m_collapsed.insert(m_selected);
    m_needsLayout = true;
    flush();
}

bool TreeView::walk(int key)
{
    const NodeModel::Slot slot = selectedSlot();
    if (!m_scene.contains(slot)) {
        selectRoot();
        return true;
    }
    NodeModel::Slot next = NodeModel::NoSlot;
    switch (key) {
    case Qt::Key_Left:
        next = m_model->parentSlot(slot);
        break;
    case Qt::Key_Right:
        if (!m_scene.shownChildren(slot).empty())
            next = m_scene.shownChildren(slot).front();
        break;
    case Qt::Key_Up:
        next = m_scene.neighbour(slot, -1);
        break;
    case Qt::Key_Down:
        next = m_scene.neighbour(slot, 1);
        break;
    default:
        return false;
    }
    if (next != NodeModel::NoSlot)
        select(m_model->at(next).id);
    return true;
}

void TreeView::keyPressEvent(QKeyEvent *event)
{
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        event->ignore();
        return;
    }
    if (walk(event->key()))
        return;
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_selected)
        Q_EMIT activated(m_selected);
    else
        event->ignore();
}

void TreeView::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ShiftModifier) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    setScale(m_scale * std::pow(1.0015, event->angleDelta().y()), event->position());
    event->accept();
}

void TreeView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::RightButton)
        return;
    m_pressed = event->position().toPoint();
    m_maybePan = true;
}

void TreeView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint position = event->position().toPoint();
    if (m_maybePan && !m_panning
        && (position - m_pressed).manhattanLength() > QApplication::startDragDistance()) {
        m_panning = true;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_panning) {
        setMode(Mode::Free);
        moveOrigin(m_origin + (position - m_pressed));
        m_pressed = position;
        return;
    }
    setHovered(m_scene.nodeAt(toScene(event->position())));
}

void TreeView::mouseReleaseEvent(QMouseEvent *event)
{
    const bool wasClick = m_maybePan && !m_panning && event->button() == Qt::LeftButton;
    m_maybePan = m_panning = false;
    viewport()->unsetCursor();
    if (!wasClick)
        return;
    const NodeModel::Slot slot = m_scene.nodeAt(toScene(event->position()));
    if (slot != NodeModel::NoSlot)
        select(m_model->at(slot).id);
}

void TreeView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const NodeModel::Slot slot = m_scene.nodeAt(toScene(event->position()));
    if (slot != NodeModel::NoSlot && event->button() == Qt::LeftButton)
        Q_EMIT activated(m_model->at(slot).id);
}

void TreeView::contextMenuEvent(QContextMenuEvent *event)
{
    core::NodeId id = m_selected;
    QPoint where = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        where = viewport()->mapToGlobal(viewportRect(id).center().toPoint());
    } else {
        const NodeModel::Slot slot = m_scene.nodeAt(toScene(event->pos()));
        id = slot == NodeModel::NoSlot ? 0 : m_model->at(slot).id;
        if (id)
            select(id);
    }
    Q_EMIT contextMenuRequested(id, where);
}

void TreeView::setHovered(NodeModel::Slot slot)
{
    if (slot == m_hovered)
        return;
    m_hovered = slot;
    viewport()->update();
    Q_EMIT hovered(slot == NodeModel::NoSlot ? 0 : m_model->at(slot).id);
}

bool TreeView::showToolTip(const QPoint &position)
{
    const NodeModel::Slot slot = m_scene.nodeAt(toScene(position));
    if (slot == NodeModel::NoSlot) {
        QToolTip::hideText();
        return true;
    }
    const core::NodeSummary &node = m_model->at(slot);
    QStringList lines{
        QStringLiteral("<b>%1</b>")
            .arg((node.title.isEmpty() ? kindText(node.kind) : node.title).toHtmlEscaped())};
    lines << tr("#%1 · %2 · round %3 · %4")
                 .arg(QString::number(node.id), kindText(node.kind), QString::number(node.round),
                     node.author.toHtmlEscaped());
    QString status = statusText(node);
    if (node.speedup)
        status += QStringLiteral(" · ") + speedupText(node.speedup);
    if (node.medianUs)
        status += QStringLiteral(" · ") + timeText(*node.medianUs);
    lines << status;
    if (!node.message.isEmpty())
        lines << node.message.left(300).toHtmlEscaped();
    QToolTip::showText(viewport()->mapToGlobal(position), lines.join(QStringLiteral("<br>")),
        viewport(), viewportRect(node.id).toAlignedRect());
    return true;
}

bool TreeView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip)
        return showToolTip(static_cast<QHelpEvent *>(event)->pos());
    if (event->type() == QEvent::Leave)
        setHovered(NodeModel::NoSlot);
    return QAbstractScrollArea::viewportEvent(event);
}

void TreeView::resizeEvent(QResizeEvent *)
{
    if (m_mode == Mode::Fit)
        applyFit();
    else
        updateScrollBars();
}

void TreeView::markAllDirty()
{
    m_dirty = viewport()->rect();
    viewport()->update();
}

void TreeView::paintScene(QPainter &painter, const QRectF &area, double scale) const
{
    m_painter.paint(painter, area, scale);
}

void TreeView::renderCache()
{
    const double ratio = viewport()->devicePixelRatioF();
    const QSize pixels = viewport()->size() * ratio;
    if (m_cache.size() != pixels || m_cache.devicePixelRatio() != ratio) {
        m_cache = QPixmap(pixels);
        m_cache.setDevicePixelRatio(ratio);
        m_dirty = viewport()->rect();
    }
    if (m_dirty.isEmpty())
        return;
    QPainter painter(&m_cache);
    painter.setClipRegion(m_dirty);
    painter.fillRect(m_dirty.boundingRect(), m_theme.color(Role::Canvas));
    const QRectF part = m_dirty.boundingRect();
    painter.translate(m_origin);
    painter.scale(m_scale, m_scale);
    m_painter.paint(painter, QRectF(toScene(part.topLeft()), part.size() / m_scale), m_scale);
    m_dirty = QRegion();
}

void TreeView::paintEvent(QPaintEvent *event)
{
    renderCache();
    QPainter painter(viewport());
    const double ratio = m_cache.devicePixelRatio();
    const QRect part = event->rect();
    painter.drawPixmap(part, m_cache, QRect(part.topLeft() * ratio, part.size() * ratio));
    painter.translate(m_origin);
    painter.scale(m_scale, m_scale);
    for (const NodeModel::Slot slot : m_running)
        m_painter.paintPulse(painter, slot, m_phase);
    if (m_hovered != selectedSlot())
        m_painter.paintRing(painter, m_hovered, m_scale, false);
    m_painter.paintRing(painter, selectedSlot(), m_scale, true);
}

void TreeView::refreshPulse()
{
    m_running.clear();
    constexpr std::size_t MostPulsing = 200; // beyond that it is flicker
    m_scene.eachNode(m_scene.bounds(), [this](NodeModel::Slot slot) {
        if (m_running.size() < MostPulsing && familyOf(m_model->at(slot)) == Family::Running)
            m_running.push_back(slot);
    });
    if (m_running.empty() || !isVisible())
        m_pulseTimer.stop();
    else if (!m_pulseTimer.isActive())
        m_pulseTimer.start();
}

void TreeView::refreshTheme()
{
    m_theme = Theme::fromPalette(palette());
    m_painter.setTheme(m_theme);
    m_painter.setFont(font());
    m_miniMap->invalidate();
    markAllDirty();
}

void TreeView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        refreshTheme();
    QAbstractScrollArea::changeEvent(event);
}

void TreeView::showEvent(QShowEvent *event)
{
    QAbstractScrollArea::showEvent(event);
    refreshPulse();
}

void TreeView::hideEvent(QHideEvent *event)
{
    m_pulseTimer.stop();
    QAbstractScrollArea::hideEvent(event);
}

QImage TreeView::renderImage(double scale) const
{
    const QRectF area
        = m_scene.bounds().adjusted(-ExportMargin, -ExportMargin, ExportMargin, ExportMargin);
    // A raster of more than 16,000 pixels a side is refused by Qt's painters.
    const double most = 16000 / std::max({area.width(), area.height(), 1.0});
    const double used = std::min(scale, most);
    QImage image((area.size() * used).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(m_theme.color(Role::Canvas));
    QPainter painter(&image);
    painter.scale(used, used);
    painter.translate(-area.topLeft());
    m_painter.paint(painter, area, used);
    return image;
}

QByteArray TreeView::renderSvg() const
{
    const QRectF area
        = m_scene.bounds().adjusted(-ExportMargin, -ExportMargin, ExportMargin, ExportMargin);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(tr("Espalier search tree"));
    generator.setSize(area.size().toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), area.size()));
    QPainter painter(&generator);
    painter.fillRect(QRectF(QPointF(0, 0), area.size()), m_theme.color(Role::Canvas));
    painter.translate(-area.topLeft());
    m_painter.paint(painter, area, 1);
    painter.end();
    return buffer.data();
}

} // namespace ui
