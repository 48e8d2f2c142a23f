#pragma once

#include "ui/tree/nodecard.h"
#include "ui/tree/treescene.h"

#include <QSet>

class QPainter;

namespace ui {

/// Paints a tree; the same for screen, mini-map, PNG and SVG. The painter's transform maps scene
/// units; what is drawn of a node depends on its width on the screen (level of detail).
class TreePainter {
public:
    TreePainter(const NodeModel &model, const TreeScene &scene);

    void setTheme(const Theme &theme);
    void setFont(const QFont &font) { m_card.setFont(font); }
    /// The best node and the path to it, drawn with more weight.
    void setBest(core::NodeId best);

    /// Edges and nodes that touch `area`. `scale`: device-independent pixels a scene unit.
    void paint(QPainter &painter, const QRectF &area, double scale) const;
    /// The ring of a selected or hovered node.
    void paintRing(QPainter &painter, NodeModel::Slot slot, double scale, bool strong) const;
    /// A running node's pulse; `phase` from 0 to 1.
    void paintPulse(QPainter &painter, NodeModel::Slot slot, double phase) const;

private:
    enum class Level { Merged, Blocks, Glyphs, Full };

    static Level levelAt(double scale);
    void paintCurves(QPainter &painter, const QRectF &area, double scale) const;
    void paintLines(QPainter &painter, const QRectF &area, double scale, Level level) const;
    void paintBlocks(QPainter &painter, const QRectF &area) const;
    void paintMerged(QPainter &painter, const QRectF &area, double scale) const;
    void paintCards(QPainter &painter, const QRectF &area, Level level) const;

    const NodeModel &m_model;
    const TreeScene &m_scene;
    NodeCard m_card;
    Theme m_theme;
    core::NodeId m_best = 0;
    QSet<NodeModel::Slot> m_path;
};

} // namespace ui
