#include "core/session/nodetree.h"

namespace core {

bool hasEnded(const NodeSummary &node)
{
    return node.state == NodeState::Done || node.state == NodeState::Lost;
}

void NodeTree::clear()
{
    *this = {};
}

void NodeTree::add(const NodeRecord &node)
{
    Q_ASSERT(node.summary.id == nextId());
    m_nodes.append(node);
    m_children.append(QList<NodeId>{});
    if (contains(node.summary.parent))
        m_children[node.summary.parent - 1].append(node.summary.id);
    m_byPath.insert(text(node.path), node.summary.id);
    m_lastRound = std::max(m_lastRound, node.path.round);
    m_edits = std::max(m_edits, node.path.edit);
    update(node);
}

std::optional<double> NodeTree::speedup(const NodeRecord &node) const
{
    const NodeRecord &root = m_nodes.first();
    const bool comparable = node.summary.verdict == gpu::Verdict::Ok
        && root.summary.verdict == gpu::Verdict::Ok && node.summary.medianUs
        && root.summary.medianUs && *node.summary.medianUs > 0
        && node.deviceKind == root.deviceKind;
    if (!comparable)
        return std::nullopt;
    return *root.summary.medianUs / *node.summary.medianUs;
}

QList<NodeId> NodeTree::update(const NodeRecord &node)
{
    const NodeId id = node.summary.id;
    QList<NodeId> changed{id};
    NodeRecord &stored = m_nodes[id - 1];
    const std::optional<double> ideasBest = stored.summary.speedup;
    stored = node;
    if (node.summary.kind == NodeKind::Idea)
        stored.summary.speedup = ideasBest;
    else
        stored.summary.speedup = speedup(stored);
    if (const NodeId idea = ideaOf(id); idea != 0 && idea != id)
        refreshIdea(idea, changed);
    return changed;
}

void NodeTree::refreshIdea(NodeId idea, QList<NodeId> &changed)
{
    std::optional<double> best;
    QList<NodeId> waiting = children(idea);
    while (!waiting.isEmpty()) {
        const NodeId id = waiting.takeLast();
        const NodeRecord &node = at(id);
        if (node.summary.kind == NodeKind::Idea)
            continue; // a later round that grew from one of these
        if (node.summary.speedup && (!best || *node.summary.speedup > *best))
            best = node.summary.speedup;
        waiting.append(children(id));
    }
    NodeSummary &summary = m_nodes[idea - 1].summary;
    if (summary.speedup == best)
        return;
    summary.speedup = best;
    changed.append(idea);
}

NodeId NodeTree::ideaOf(NodeId id) const
{
    while (contains(id) && at(id).summary.kind != NodeKind::Idea)
        id = at(id).summary.parent;
    return contains(id) ? id : 0;
}

bool NodeTree::branchesEnded(NodeId idea, NodeId except) const
{
    QList<NodeId> waiting = children(idea);
    while (!waiting.isEmpty()) {
        const NodeId id = waiting.takeLast();
        const NodeSummary &node = at(id).summary;
        if (node.kind != NodeKind::Implementation && node.kind != NodeKind::Repair)
            continue;
        if (id != except && !hasEnded(node))
            return false;
        waiting.append(children(id));
    }
    return true;
}

std::optional<NodeId> NodeTree::best() const
{
    std::optional<NodeId> best;
    for (const NodeRecord &node : m_nodes) {
        const NodeSummary &s = node.summary;
        if (s.kind == NodeKind::Idea || !s.speedup || s.excluded || s.archived)
            continue;
        if (!best || *s.speedup > *at(*best).summary.speedup)
            best = s.id;
    }
    return best;
}

QList<NodeSummary> NodeTree::comparable() const
{
    QList<NodeSummary> result;
    for (const NodeRecord &node : m_nodes) {
        if (node.summary.kind != NodeKind::Idea && node.summary.speedup)
            result.append(node.summary);
    }
    return result;
}

} // namespace core
