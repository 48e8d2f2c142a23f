#include "ui/tree/treepainter.h"

#include "ui/verdictstyle.h"

#include <QPainter>
#include <QPainterPath>

#include <array>
#include <cmath>

namespace ui {

namespace {

// A kernel card's width on the screen, in pixels, at which the next level begins.
constexpr double BlocksFrom = 2, GlyphsFrom = 40, FullFrom = 74;

using Buckets = std::array<QList<QRectF>, static_cast<std::size_t>(Family::Count)>;

void drawBuckets(QPainter &painter, const Buckets &buckets, const Theme &theme)
{
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (buckets[i].isEmpty())
            continue;
        painter.setBrush(theme.color(roleOf(static_cast<Family>(i))));
        painter.drawRects(buckets[i]);
    }
}

} // namespace

TreePainter::TreePainter(const NodeModel &model, const TreeScene &scene)
    : m_model(model)
    , m_scene(scene)
{
}

void TreePainter::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_card.setTheme(theme);
}

void TreePainter::setBest(core::NodeId best)
{
    m_best = best;
    m_path.clear();
    const QList<core::NodeId> path = m_model.path(best);
    for (const core::NodeId id : path)
        m_path.insert(m_model.slotOf(id));
}

TreePainter::Level TreePainter::levelAt(double scale)
{
    const double width = TreeScene::sizeOf({}).width() * scale;
    return width < BlocksFrom ? Level::Merged
        : width < GlyphsFrom  ? Level::Blocks
        : width < FullFrom    ? Level::Glyphs
                              : Level::Full;
}

void TreePainter::paint(QPainter &painter, const QRectF &area, double scale) const
{
    const Level level = levelAt(scale);
    painter.save();
    // Without antialiasing, blocks and straight lines are several times faster to draw.
    painter.setRenderHint(QPainter::Antialiasing, level >= Level::Glyphs);
    if (level >= Level::Glyphs)
        paintCurves(painter, area, scale);
    else
        paintLines(painter, area, scale, level);
    if (level == Level::Merged)
        paintMerged(painter, area, scale);
    else if (level == Level::Blocks)
        paintBlocks(painter, area);
    else
        paintCards(painter, area, level);
    painter.restore();
}

void TreePainter::paintCurves(QPainter &painter, const QRectF &area, double) const
{
    const auto curve = [this](QPainterPath &path, NodeModel::Slot parent, NodeModel::Slot child) {
        const QRectF from = m_scene.rect(parent), to = m_scene.rect(child);
        const QPointF start(from.right(), from.center().y()), end(to.left(), to.center().y());
        const double bend = end.x() - TreeScene::ColumnGap / 2;
        path.moveTo(start);
        path.lineTo(end.x() - TreeScene::ColumnGap, start.y());
        path.cubicTo(QPointF(bend, start.y()), QPointF(bend, end.y()), end);
    };
    painter.setBrush(Qt::NoBrush);
    QPainterPath plain, best;
    m_scene.eachParent(area, [&](NodeModel::Slot parent) {
        for (const NodeModel::Slot child : m_scene.shownChildren(parent)) {
            const QRectF &to = m_scene.rect(child), &from = m_scene.rect(parent);
            if (std::max(to.bottom(), from.bottom()) < area.top()
                || std::min(to.top(), from.top()) > area.bottom())
                continue;
            const bool onPath = m_path.contains(child) && m_path.contains(parent);
            curve(onPath ? best : plain, parent, child);
        }
    });
    painter.setPen(QPen(m_theme.color(Role::Edge), 1.3));
    painter.drawPath(plain);
    painter.setPen(QPen(m_theme.color(Role::VerdictOk), 2.2));
    painter.drawPath(best);
}

void TreePainter::paintLines(QPainter &painter, const QRectF &area, double scale, Level level) const
{
    QList<QLineF> lines;
    // Spans of neighbouring parents that fall into one pixel are drawn once.
    const double pixel = 1 / scale;
    double lastX = -1e30, lastBottom = -1e30;
    m_scene.eachParent(area, [&](NodeModel::Slot parent) {
        const auto &children = m_scene.shownChildren(parent);
        const QRectF &from = m_scene.rect(parent), &first = m_scene.rect(children.front());
        const double x = first.left() - TreeScene::ColumnGap / 2;
        const double top = first.center().y();
        const double bottom = m_scene.rect(children.back()).center().y();
        if (x == lastX && bottom - lastBottom < pixel / 2)
            return;
        lastX = x;
        lastBottom = bottom;
        lines.append(QLineF(from.right(), from.center().y(), x, from.center().y()));
        lines.append(QLineF(x, std::max(top, area.top()), x, std::min(bottom, area.bottom())));
        if (level == Level::Merged)
            return;
        for (const NodeModel::Slot child : children) {
            const QRectF &to = m_scene.rect(child);
            if (to.bottom() >= area.top() && to.top() <= area.bottom())
                lines.append(QLineF(x, to.center().y(), to.left(), to.center().y()));
        }
    });
    QPen pen(m_theme.color(Role::Edge), 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.drawLines(lines);
}

void TreePainter::paintBlocks(QPainter &painter, const QRectF &area) const
{
    Buckets buckets;
    m_scene.eachNode(area, [&](NodeModel::Slot slot) {
        buckets[static_cast<std::size_t>(familyOf(m_model.at(slot)))].append(m_scene.rect(slot));
    });
    drawBuckets(painter, buckets, m_theme);
}

void TreePainter::paintMerged(QPainter &painter, const QRectF &area, double scale) const
{
    Buckets buckets;
    const double pixel = 1 / scale;
    QRectF run; // one pixel row of one column
    Family family = Family::Idea;
    const auto flush = [&] {
        if (!run.isNull())
            buckets[static_cast<std::size_t>(family)].append(run);
    };
    m_scene.eachNode(area, [&](NodeModel::Slot slot) {
        const QRectF &box = m_scene.rect(slot);
        const Family own = familyOf(m_model.at(slot));
        const double row = std::floor(box.center().y() * scale) * pixel;
        if (!run.isNull() && run.top() == row && run.left() == box.left()) {
            if (rankOf(own) > rankOf(family))
                family = own;
            return;
        }
        flush();
        run = QRectF(box.left(), row, std::max(box.width(), 2 * pixel), pixel);
        family = own;
    });
    flush();
    drawBuckets(painter, buckets, m_theme);
}

void TreePainter::paintCards(QPainter &painter, const QRectF &area, Level level) const
{
    const auto detail = level == Level::Full ? NodeCard::Detail::Text : NodeCard::Detail::Glyph;
    m_scene.eachNode(area, [&](NodeModel::Slot slot) {
        const core::NodeSummary &node = m_model.at(slot);
        NodeCard::Marks marks;
        marks.best = node.id == m_best;
        marks.onPath = m_path.contains(slot);
        marks.hiddenBelow = m_scene.hiddenBelow(slot);
        m_card.draw(painter, m_scene.rect(slot), node, marks, detail);
    });
}

void TreePainter::paintRing(
    QPainter &painter, NodeModel::Slot slot, double scale, bool strong) const
{
    if (!m_scene.contains(slot))
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    // At least two pixels outside the card, however small the card is.
    const double margin = std::max(3.0, 2 / scale);
    QPen pen(m_theme.color(strong ? Role::Accent : Role::TextFaint), strong ? 2 : 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    const double radius = NodeCard::cornerRadius(m_model.at(slot)) + margin;
    painter.drawRoundedRect(
        m_scene.rect(slot).adjusted(-margin, -margin, margin, margin), radius, radius);
    painter.restore();
}

void TreePainter::paintPulse(QPainter &painter, NodeModel::Slot slot, double phase) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor color = m_theme.color(Role::Running);
    color.setAlphaF(static_cast<float>(0.25 + 0.55 * (0.5 - 0.5 * std::cos(phase * 6.2831853))));
    painter.setPen(QPen(color, 2));
    painter.setBrush(Qt::NoBrush);
    const double radius = NodeCard::cornerRadius(m_model.at(slot));
    painter.drawRoundedRect(m_scene.rect(slot), radius, radius);
    painter.restore();
}

} // namespace ui
