#include "ui/tree/treescene.h"

#include "ui/tree/layout.h"

#include <algorithm>

namespace ui {

namespace {

constexpr QSizeF IdeaSize(206, 46), KernelSize(144, 33);

int countBelow(const NodeModel &model, NodeModel::Slot slot)
{
    int count = 0;
    std::vector<NodeModel::Slot> stack{slot};
    while (!stack.empty()) {
        const auto &children = model.children(stack.back());
        stack.pop_back();
        count += static_cast<int>(children.size());
        stack.insert(stack.end(), children.begin(), children.end());
    }
    return count;
}

} // namespace

QSizeF TreeScene::sizeOf(const core::NodeSummary &node)
{
    return node.kind == core::NodeKind::Idea ? IdeaSize : KernelSize;
}

void TreeScene::rebuild(const NodeModel &model, const QSet<core::NodeId> &collapsed)
{
    const auto size = static_cast<std::size_t>(model.size());
    m_rects.assign(size, QRectF());
    m_depth.assign(size, 0);
    m_hidden.assign(size, 0);
    m_shownChildren.resize(size);
    m_columns.clear();
    m_bounds = QRectF();

    TreeShape shape;
    shape.parent.reserve(size);
    shape.breadth.reserve(size);
    std::vector<Slot> slotOfIndex;
    std::vector<quint32> indexOfSlot(size, TreeShape::None);
    const auto add = [&](Slot slot, quint32 parent) {
        indexOfSlot[slot] = shape.add(parent, static_cast<float>(sizeOf(model.at(slot)).height()));
        slotOfIndex.push_back(slot);
    };
    for (const Slot root : model.roots()) {
        if (!model.at(root).archived)
            add(root, TreeShape::None);
    }
    // Breadth first: within a depth, nodes come out from top to bottom.
    for (std::size_t i = 0; i < slotOfIndex.size(); ++i) {
        const Slot slot = slotOfIndex[i];
        auto &shown = m_shownChildren[slot];
        shown.clear();
        if (!collapsed.isEmpty() && collapsed.contains(model.at(slot).id)) {
            m_hidden[slot] = countBelow(model, slot);
            continue;
        }
        for (const Slot child : model.children(slot)) {
            if (model.at(child).archived)
                continue;
            shown.push_back(child);
            add(child, indexOfSlot[slot]);
        }
    }

    const TidyLayout layout = tidyLayout(shape, {7, 16});
    for (std::size_t i = 0; i < slotOfIndex.size(); ++i) {
        const Slot slot = slotOfIndex[i];
        const quint32 depth = layout.depth[i];
        m_depth[slot] = depth;
        if (depth >= m_columns.size())
            m_columns.resize(depth + 1);
        Column &column = m_columns[depth];
        column.width = std::max(column.width, sizeOf(model.at(slot)).width());
        column.nodes.push_back(slot);
        if (!m_shownChildren[slot].empty())
            column.parents.push_back(slot);
    }
    double x = 0;
    for (Column &column : m_columns) {
        column.x = x;
        x += column.width + ColumnGap;
    }
    for (std::size_t i = 0; i < slotOfIndex.size(); ++i) {
        const Slot slot = slotOfIndex[i];
        const QSizeF box = sizeOf(model.at(slot));
        m_rects[slot] = QRectF(QPointF(m_columns[layout.depth[i]].x,
                                   static_cast<double>(layout.centre[i]) - box.height() / 2),
            box);
    }
    m_bounds = QRectF(0, 0, std::max(0.0, x - ColumnGap), static_cast<double>(layout.breadth));
}

std::size_t TreeScene::lowerBound(const Column &column, double top) const
{
    const auto first = std::partition_point(column.nodes.begin(), column.nodes.end(),
        [&](Slot slot) { return m_rects[slot].bottom() < top; });
    return static_cast<std::size_t>(first - column.nodes.begin());
}

double TreeScene::spanTop(Slot parent) const
{
    return std::min(
        m_rects[parent].center().y(), m_rects[m_shownChildren[parent].front()].center().y());
}

double TreeScene::spanBottom(Slot parent) const
{
    return std::max(
        m_rects[parent].center().y(), m_rects[m_shownChildren[parent].back()].center().y());
}

std::size_t TreeScene::firstParent(const Column &column, double top) const
{
    const auto first = std::partition_point(column.parents.begin(), column.parents.end(),
        [&](Slot slot) { return spanBottom(slot) < top; });
    return static_cast<std::size_t>(first - column.parents.begin());
}

TreeScene::Slot TreeScene::nodeAt(const QPointF &point) const
{
    Slot found = NodeModel::NoSlot;
    eachNode(QRectF(point, QSizeF(0, 0)), [&](Slot slot) {
        if (m_rects[slot].contains(point))
            found = slot;
    });
    return found;
}

TreeScene::Slot TreeScene::neighbour(Slot slot, int direction) const
{
    if (!contains(slot))
        return NodeModel::NoSlot;
    const auto &nodes = m_columns[m_depth[slot]].nodes;
    const auto here = std::partition_point(nodes.begin(), nodes.end(),
        [&](Slot other) { return m_rects[other].top() < m_rects[slot].top(); });
    const auto wanted = (here - nodes.begin()) + direction;
    if (wanted < 0 || wanted >= static_cast<std::ptrdiff_t>(nodes.size()))
        return NodeModel::NoSlot;
    return nodes[static_cast<std::size_t>(wanted)];
}

} // namespace ui
