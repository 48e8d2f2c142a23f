#pragma once

#include "ui/tree/nodemodel.h"

#include <QPointF>
#include <QRectF>
#include <QSet>
#include <QSizeF>

#include <vector>

namespace ui {

/// Where every node of a model stands, growing from left to right: one column a depth, nodes of a
/// column sorted from top to bottom. Answers what is in view by binary search. Scene units are
/// pixels at 1×.
class TreeScene {
public:
    using Slot = NodeModel::Slot;

    static constexpr double ColumnGap = 30;
    static QSizeF sizeOf(const core::NodeSummary &node);

    /// Lays the model out again. Children of `collapsed` nodes and archived nodes are left out.
    void rebuild(const NodeModel &model, const QSet<core::NodeId> &collapsed);

    QRectF bounds() const { return m_bounds; }
    bool isEmpty() const { return m_columns.empty(); }
    bool contains(Slot slot) const { return slot < m_rects.size() && !m_rects[slot].isNull(); }
    const QRectF &rect(Slot slot) const { return m_rects[slot]; }
    /// Children as drawn: none if collapsed.
    const std::vector<Slot> &shownChildren(Slot slot) const { return m_shownChildren[slot]; }
    /// How many nodes a collapsed node hides.
    int hiddenBelow(Slot slot) const { return m_hidden[slot]; }
    /// NoSlot if there is none at `point`.
    Slot nodeAt(const QPointF &point) const;
    /// The node of the same column above (-1) or below (+1); NoSlot at the end.
    Slot neighbour(Slot slot, int direction) const;

    /// Calls `visit(slot)` for every node that touches `area`, column by column.
    template <class Visit> void eachNode(const QRectF &area, Visit visit) const
    {
        for (const Column &column : m_columns) {
            if (column.x > area.right() || column.x + column.width < area.left())
                continue;
            for (auto i = lowerBound(column, area.top()); i < column.nodes.size(); ++i) {
                if (m_rects[column.nodes[i]].top() > area.bottom())
                    break;
                visit(column.nodes[i]);
            }
        }
    }

    /// Calls `visit(slot)` for every parent with an edge that touches `area`, also where both ends
    /// are outside it.
    template <class Visit> void eachParent(const QRectF &area, Visit visit) const
    {
        for (std::size_t d = 0; d + 1 < m_columns.size(); ++d) {
            const Column &column = m_columns[d], &next = m_columns[d + 1];
            if (column.x > area.right() || next.x < area.left())
                continue;
            for (auto i = firstParent(column, area.top()); i < column.parents.size(); ++i) {
                const Slot parent = column.parents[i];
                if (spanTop(parent) > area.bottom())
                    break;
                visit(parent);
            }
        }
    }

private:
    struct Column {
        double x = 0, width = 0;
        std::vector<Slot> nodes, parents; ///< parents: those with shown children
    };

    std::size_t lowerBound(const Column &column, double top) const;
    std::size_t firstParent(const Column &column, double top) const;
    double spanTop(Slot parent) const;
    double spanBottom(Slot parent) const;

    QRectF m_bounds;
    std::vector<QRectF> m_rects; ///< null: not shown
    std::vector<quint32> m_depth;
    std::vector<int> m_hidden;
    std::vector<std::vector<Slot>> m_shownChildren;
    std::vector<Column> m_columns;
};

} // namespace ui
