#include "ui/inspector/verdictheader.h"

#include "ui/theme.h"
#include "ui/verdictstyle.h"

#include <QPainter>

namespace ui {

namespace {
constexpr int Margin = 10, Glyph = 30;
}

VerdictHeader::VerdictHeader(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void VerdictHeader::show(const core::NodeSummary &summary)
{
    m_summary = summary;
    m_empty = false;
    setToolTip(summary.title);
    setAccessibleName(QStringLiteral("#%1 %2 %3 %4")
                          .arg(summary.id)
                          .arg(statusText(summary), speedupText(summary.speedup), summary.title));
    update();
}

void VerdictHeader::clear()
{
    m_empty = true;
    setToolTip({});
    setAccessibleName(tr("No node selected"));
    update();
}

QSize VerdictHeader::sizeHint() const
{
    return {200, 2 * Margin + 2 * fontMetrics().height() + 8};
}

void VerdictHeader::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = Theme::fromPalette(palette());
    painter.fillRect(rect(), theme.color(Role::Surface));
    painter.setPen(theme.color(Role::TextMuted));
    if (m_empty) {
        painter.drawText(rect().adjusted(Margin, 0, -Margin, 0), Qt::AlignVCenter | Qt::AlignLeft,
            tr("Select a node in the tree."));
        return;
    }
    const QRectF glyph(Margin, (height() - Glyph) / 2.0, Glyph, Glyph);
    paintGlyph(painter, glyph, familyOf(m_summary), theme);
    const int left = Margin * 2 + Glyph, width = this->width() - left - Margin;
    QFont bold = font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.2);
    painter.setFont(bold);
    painter.setPen(theme.color(roleOf(familyOf(m_summary))));
    const QRect top(left, Margin - 2, width, QFontMetrics(bold).height());
    QString headline = QStringLiteral("#%1  %2").arg(m_summary.id).arg(statusText(m_summary));
    if (m_summary.speedup)
        headline += QStringLiteral("  ") + speedupText(m_summary.speedup);
    painter.drawText(top, Qt::AlignVCenter | Qt::AlignLeft, headline);
    painter.setFont(font());
    painter.setPen(theme.color(Role::Text));
    const QRect bottom(left, top.bottom() + 4, width, fontMetrics().height());
    painter.drawText(bottom, Qt::AlignVCenter | Qt::AlignLeft,
        fontMetrics().elidedText(m_summary.title, Qt::ElideRight, width));
}

} // namespace ui
