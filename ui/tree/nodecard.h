#pragma once

#include "core/session/node.h"
#include "ui/theme.h"

#include <QFont>
#include <QHash>
#include <QRectF>
#include <QStringList>

class QPainter;

namespace ui {

/// Draws one node as a card, in scene units. Keeps broken and elided titles, which cost more than
/// the drawing.
class NodeCard {
public:
    enum class Detail { Glyph, Text };

    struct Marks {
        bool best = false, onPath = false;
        int hiddenBelow = 0; ///< shown as a badge
    };

    NodeCard();

    void setTheme(const Theme &theme) { m_theme = theme; }
    void setFont(const QFont &font);
    void draw(QPainter &painter, const QRectF &box, const core::NodeSummary &node,
        const Marks &marks, Detail detail) const;

    static double cornerRadius(const core::NodeSummary &node);

private:
    void drawFrame(QPainter &painter, const QRectF &box, const core::NodeSummary &node,
        const Marks &marks) const;
    void drawIdea(QPainter &painter, const QRectF &box, const core::NodeSummary &node) const;
    void drawKernel(QPainter &painter, const QRectF &box, const core::NodeSummary &node,
        const Marks &marks) const;
    void drawBadge(QPainter &painter, const QRectF &box, int count) const;
    const QStringList &titleLines(const core::NodeSummary &node, double width) const;

    struct Title {
        QString text;
        double width = 0;
        QStringList lines;
    };

    Theme m_theme;
    QFont m_titleFont, m_valueFont, m_smallFont;
    mutable QHash<core::NodeId, Title> m_titles;
};

} // namespace ui
