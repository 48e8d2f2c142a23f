#include "ui/tree/layout.h"

#include <algorithm>
#include <limits>

namespace ui {

namespace {

using Index = std::uint32_t;
constexpr Index None = TreeShape::None;

/// The walk's state. Index n is an invisible node above all roots.
class Walk {
public:
    Walk(const TreeShape &shape, const TidyGaps &gaps)
        : m_shape(shape)
        , m_gaps(gaps)
        , m_top(static_cast<Index>(shape.parent.size()))
        , m_nodes(m_top + 1)
    {
        for (Index v = 0; v <= m_top; ++v)
            m_nodes[v].ancestor = v;
        for (Index v = 0; v < m_top; ++v) {
            const Index p = parentOf(v);
            Node &parent = m_nodes[p];
            m_nodes[v].previous = parent.last;
            if (parent.last == None)
                parent.first = v;
            else
                m_nodes[v].number = m_nodes[parent.last].number + 1;
            parent.last = v;
            if (parent.defaultAncestor == None)
                parent.defaultAncestor = v;
        }
    }

    TidyLayout run()
    {
        // Parents come before children, but a left sibling's subtree may have larger indices
        // than the sibling to its right, so the order is a real post-order.
        for (const Index v : postOrder())
            place(v);
        return collect();
    }

private:
    struct Node {
        Index first = None, last = None, previous = None;
        Index ancestor = None, defaultAncestor = None, thread = None;
        Index number = 0; ///< among its siblings
        float prelim = 0, modifier = 0, change = 0, shift = 0;
    };

    Index parentOf(Index v) const { return m_shape.parent[v] == None ? m_top : m_shape.parent[v]; }
    Index nextLeft(Index v) const
    {
        return m_nodes[v].first != None ? m_nodes[v].first : m_nodes[v].thread;
    }
    Index nextRight(Index v) const
    {
        return m_nodes[v].last != None ? m_nodes[v].last : m_nodes[v].thread;
    }
    float distance(Index left, Index right) const
    {
        const bool siblings = parentOf(left) == parentOf(right);
        return (m_shape.breadth[left] + m_shape.breadth[right]) / 2
            + (siblings ? m_gaps.siblings : m_gaps.cousins);
    }

    std::vector<Index> postOrder() const
    {
        std::vector<Index> order, stack{m_top};
        order.reserve(m_nodes.size());
        // Pre-order with the last child first, reversed, is post-order.
        while (!stack.empty()) {
            const Index v = stack.back();
            stack.pop_back();
            if (v != m_top)
                order.push_back(v);
            const std::size_t mark = stack.size();
            for (Index w = m_nodes[v].last; w != None; w = m_nodes[w].previous)
                stack.push_back(w);
            std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(mark), stack.end());
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

    void place(Index v)
    {
        Node &node = m_nodes[v];
        const Index left = node.previous;
        const float beside = left == None ? 0 : m_nodes[left].prelim + distance(left, v);
        if (node.first == None) {
            node.prelim = beside;
        } else {
            executeShifts(v);
            const float middle = (m_nodes[node.first].prelim + m_nodes[node.last].prelim) / 2;
            node.prelim = left == None ? middle : beside;
            node.modifier = left == None ? 0 : node.prelim - middle;
        }
        if (left != None)
            apportion(v, left);
    }

    void executeShifts(Index v)
    {
        float shift = 0, change = 0;
        for (Index w = m_nodes[v].last; w != None; w = m_nodes[w].previous) {
            Node &child = m_nodes[w];
            child.prelim += shift;
            child.modifier += shift;
            change += child.change;
            shift += child.shift + change;
        }
    }

    /// Pushes v's subtree away from the subtrees left of it, contour by contour.
    void apportion(Index v, Index left)
    {
        Index &defaultAncestor = m_nodes[parentOf(v)].defaultAncestor;
        Index innerRight = v, outerRight = v, innerLeft = left;
        Index outerLeft = m_nodes[parentOf(v)].first;
        float sumInnerRight = m_nodes[v].modifier, sumOuterRight = sumInnerRight;
        float sumInnerLeft = m_nodes[innerLeft].modifier;
        float sumOuterLeft = m_nodes[outerLeft].modifier;
        while (nextRight(innerLeft) != None && nextLeft(innerRight) != None) {
            innerLeft = nextRight(innerLeft);
            innerRight = nextLeft(innerRight);
            outerLeft = nextLeft(outerLeft);
            outerRight = nextRight(outerRight);
            m_nodes[outerRight].ancestor = v;
            const float overlap = m_nodes[innerLeft].prelim + sumInnerLeft
                - m_nodes[innerRight].prelim - sumInnerRight + distance(innerLeft, innerRight);
            if (overlap > 0) {
                const Index ancestor = m_nodes[innerLeft].ancestor;
                moveSubtree(
                    parentOf(ancestor) == parentOf(v) ? ancestor : defaultAncestor, v, overlap);
                sumInnerRight += overlap;
                sumOuterRight += overlap;
            }
            sumInnerLeft += m_nodes[innerLeft].modifier;
            sumInnerRight += m_nodes[innerRight].modifier;
            sumOuterLeft += m_nodes[outerLeft].modifier;
            sumOuterRight += m_nodes[outerRight].modifier;
        }
        if (nextRight(innerLeft) != None && nextRight(outerRight) == None) {
            m_nodes[outerRight].thread = nextRight(innerLeft);
            m_nodes[outerRight].modifier += sumInnerLeft - sumOuterRight;
        }
        if (nextLeft(innerRight) != None && nextLeft(outerLeft) == None) {
            m_nodes[outerLeft].thread = nextLeft(innerRight);
            m_nodes[outerLeft].modifier += sumInnerRight - sumOuterLeft;
            defaultAncestor = v;
        }
    }

    void moveSubtree(Index from, Index to, float shift)
    {
        const float share = shift / static_cast<float>(m_nodes[to].number - m_nodes[from].number);
        m_nodes[to].change -= share;
        m_nodes[to].shift += shift;
        m_nodes[from].change += share;
        m_nodes[to].prelim += shift;
        m_nodes[to].modifier += shift;
    }

    TidyLayout collect()
    {
        executeShifts(m_top);
        TidyLayout result;
        result.centre.resize(m_top);
        result.depth.resize(m_top);
        // Doubles: along a chain of 100,000 nodes rounding would add up.
        std::vector<double> offset(m_top + 1, 0);
        float least = std::numeric_limits<float>::max(), most = 0;
        for (Index v = 0; v < m_top; ++v) {
            const Index p = m_shape.parent[v];
            const double inherited = p == None ? 0 : offset[p];
            result.depth[v] = p == None ? 0 : result.depth[p] + 1;
            result.centre[v] = static_cast<float>(m_nodes[v].prelim + inherited);
            offset[v] = inherited + m_nodes[v].modifier;
            least = std::min(least, result.centre[v] - m_shape.breadth[v] / 2);
        }
        for (Index v = 0; v < m_top; ++v) {
            result.centre[v] -= least;
            most = std::max(most, result.centre[v] + m_shape.breadth[v] / 2);
        }
        result.breadth = most;
        return result;
    }

    const TreeShape &m_shape;
    TidyGaps m_gaps;
    Index m_top;
    std::vector<Node> m_nodes;
};

} // namespace

TidyLayout tidyLayout(const TreeShape &shape, const TidyGaps &gaps)
{
    return Walk(shape, gaps).run();
}

} // namespace ui
