#include "ui/tree/nodecard.h"

#include "ui/verdictstyle.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>

namespace ui {

namespace {

constexpr int TitlePixels = 12, ValuePixels = 13, SmallPixels = 11;
constexpr double KernelGlyph = 15, IdeaGlyph = 17;

QFont sized(QFont font, int pixels, QFont::Weight weight)
{
    font.setPixelSize(pixels);
    font.setWeight(weight);
    return font;
}

/// A sign for how a kernel came to be, where it is not simply a branch of an idea.
QString kindSign(core::NodeKind kind)
{
    switch (kind) {
    case core::NodeKind::Repair:
        return QStringLiteral("\u21bb");
    case core::NodeKind::Edit:
        return QStringLiteral("\u270e");
    case core::NodeKind::Tune:
        return QStringLiteral("\u2699");
    case core::NodeKind::Merge:
        return QStringLiteral("\u22c8");
    default:
        return {};
    }
}

QString mainText(const core::NodeSummary &node, Family family)
{
    if (family == Family::Faster || family == Family::Slower) {
        if (node.kind == core::NodeKind::Root)
            return QCoreApplication::translate("ui::NodeCard", "Seed");
        const QString speedup = speedupText(node.speedup);
        return speedup.isEmpty() ? statusText(node) : speedup;
    }
    if (node.state == core::NodeState::Checking && node.checksTotal > 0) {
        return QStringLiteral("%1 %2/%3")
            .arg(stateText(node.state))
            .arg(node.checksPassed)
            .arg(node.checksTotal);
    }
    return statusText(node);
}

} // namespace

NodeCard::NodeCard()
{
    setFont(QFont());
}

void NodeCard::setFont(const QFont &font)
{
    m_titleFont = sized(font, TitlePixels, QFont::Medium);
    m_valueFont = sized(font, ValuePixels, QFont::Bold);
    m_smallFont = sized(font, SmallPixels, QFont::Normal);
    m_titles.clear();
}

double NodeCard::cornerRadius(const core::NodeSummary &node)
{
    return node.kind == core::NodeKind::Idea ? 16 : 6;
}

void NodeCard::draw(QPainter &painter, const QRectF &box, const core::NodeSummary &node,
    const Marks &marks, Detail detail) const
{
    const bool faded = node.excluded;
    if (faded)
        painter.setOpacity(0.5);
    drawFrame(painter, box, node, marks);
    const bool idea = node.kind == core::NodeKind::Idea;
    if (detail == Detail::Glyph) {
        const double side = idea ? IdeaGlyph * 1.5 : KernelGlyph * 1.3;
        QRectF glyph(0, 0, side, side);
        glyph.moveCenter(idea ? box.center() : QPointF(box.left() + 20, box.center().y()));
        paintGlyph(painter, glyph, familyOf(node), m_theme);
        if (!idea && node.speedup && node.verdict == gpu::Verdict::Ok) {
            painter.setFont(m_valueFont);
            painter.setPen(m_theme.color(Role::Text));
            painter.drawText(box.adjusted(38, 0, -6, 0), Qt::AlignVCenter | Qt::AlignLeft,
                speedupText(node.speedup));
        }
    } else if (idea) {
        drawIdea(painter, box, node);
    } else {
        drawKernel(painter, box, node, marks);
    }
    if (marks.hiddenBelow > 0)
        drawBadge(painter, box, marks.hiddenBelow);
    if (faded)
        painter.setOpacity(1);
}

void NodeCard::drawFrame(
    QPainter &painter, const QRectF &box, const core::NodeSummary &node, const Marks &marks) const
{
    const bool idea = node.kind == core::NodeKind::Idea;
    QColor border = m_theme.color(marks.onPath ? Role::VerdictOk : Role::Border);
    QPen pen(border, marks.best ? 2.2 : marks.onPath ? 1.5 : 1);
    if (node.excluded || node.state == core::NodeState::Asking)
        pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(m_theme.color(idea ? Role::SurfaceAlt : Role::Surface));
    const double radius = cornerRadius(node);
    painter.drawRoundedRect(box, radius, radius);
    if (node.pinned) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Role::Accent));
        painter.drawEllipse(QPointF(box.right() - 5, box.top() + 5), 3, 3);
    }
}

const QStringList &NodeCard::titleLines(const core::NodeSummary &node, double width) const
{
    Title &title = m_titles[node.id];
    if (title.text == node.title && title.width == width && !title.lines.isEmpty())
        return title.lines;
    title = {node.title, width, {}};
    const QString text = node.title.isEmpty() ? kindText(node.kind) : node.title;
    QTextLayout layout(text, m_titleFont);
    layout.beginLayout();
    QTextLine first = layout.createLine();
    first.setLineWidth(width);
    const int cut = first.textLength();
    layout.endLayout();
    title.lines << text.left(cut).trimmed();
    if (cut < text.size()) {
        title.lines << QFontMetricsF(m_titleFont)
                           .elidedText(text.mid(cut).trimmed(), Qt::ElideRight, width);
    }
    return title.lines;
}

void NodeCard::drawIdea(QPainter &painter, const QRectF &box, const core::NodeSummary &node) const
{
    QRectF glyph(box.left() + 12, 0, IdeaGlyph, IdeaGlyph);
    glyph.moveCenter(QPointF(glyph.center().x(), box.center().y()));
    paintGlyph(painter, glyph, familyOf(node), m_theme);
    const double left = glyph.right() + 8, width = box.right() - 12 - left;
    const QStringList &lines = titleLines(node, width);
    const double lineHeight = TitlePixels + 4;
    double y = box.center().y() - lineHeight * static_cast<double>(lines.size()) / 2;
    painter.setFont(m_titleFont);
    painter.setPen(
        m_theme.color(node.state == core::NodeState::Lost ? Role::TextMuted : Role::Text));
    for (const QString &line : lines) {
        painter.drawText(
            QRectF(left, y, width, lineHeight), Qt::AlignLeft | Qt::AlignVCenter, line);
        y += lineHeight;
    }
}

void NodeCard::drawKernel(
    QPainter &painter, const QRectF &box, const core::NodeSummary &node, const Marks &marks) const
{
    const Family family = familyOf(node);
    QRectF glyph(box.left() + 9, 0, KernelGlyph, KernelGlyph);
    glyph.moveCenter(QPointF(glyph.center().x(), box.center().y()));
    paintGlyph(painter, glyph, family, m_theme);
    QRectF text = box.adjusted(31, 0, -9, 0);

    const QString sign = marks.best ? QStringLiteral("\u2605") : kindSign(node.kind);
    if (!sign.isEmpty()) {
        painter.setFont(m_titleFont);
        painter.setPen(m_theme.color(marks.best ? Role::VerdictOk : Role::TextFaint));
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, sign);
        text.setRight(text.right() - 16);
    }
    const bool timed = node.medianUs && node.verdict == gpu::Verdict::Ok;
    const QFont &font = timed ? m_valueFont : m_titleFont;
    const QFontMetricsF metrics(font);
    const QString main = metrics.elidedText(mainText(node, family), Qt::ElideRight, text.width());
    painter.setFont(font);
    painter.setPen(m_theme.color(timed ? Role::Text : Role::TextMuted));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, main);
    if (!timed)
        return;
    text.setLeft(text.left() + metrics.horizontalAdvance(main) + 5);
    const QString time = timeText(*node.medianUs);
    if (QFontMetricsF(m_smallFont).horizontalAdvance(time) > text.width())
        return;
    painter.setFont(m_smallFont);
    painter.setPen(m_theme.color(Role::TextMuted));
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, time);
}

void NodeCard::drawBadge(QPainter &painter, const QRectF &box, int count) const
{
    painter.setFont(m_smallFont);
    const QString text = QStringLiteral("+%1").arg(count);
    const double width = QFontMetricsF(m_smallFont).horizontalAdvance(text) + 12;
    const QRectF badge(box.right() - 6, box.center().y() - 9, width, 18);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(Role::Accent));
    painter.drawRoundedRect(badge, 9, 9);
    painter.setPen(m_theme.color(Role::OnVerdict));
    painter.drawText(badge, Qt::AlignCenter, text);
}

} // namespace ui
