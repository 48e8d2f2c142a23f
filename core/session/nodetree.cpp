#include "core/session/nodetree.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {
/// Medians of two evaluations differ by this much without meaning anything: clocks and caches
/// change between them.
constexpr double CloseWithin = 0.10;
/// How many of those that are close to the fastest may challenge it.
constexpr int MostChallengers = 3;
} // namespace

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
    refreshBeaten(changed);
    return changed;
}

QList<NodeId> NodeTree::addRunOff(const RunOff &runOff)
{
    if (!contains(runOff.a) || !contains(runOff.b))
        return {};
    QList<NodeId> changed{runOff.a, runOff.b};
    m_runOffs.append(runOff);
    refreshBeaten(changed);
    return changed;
}

bool NodeTree::mayLead(const NodeSummary &node) const
{
    return node.kind != NodeKind::Idea && node.speedup && !node.excluded && !node.archived;
}

std::optional<NodeId> NodeTree::winner(NodeId a, NodeId b) const
{
    for (const RunOff &runOff : m_runOffs) {
        if (std::minmax(runOff.a, runOff.b) != std::minmax(a, b))
            continue;
        const gpu::Comparison comparison = runOff.times.comparison;
        return comparison == gpu::Comparison::Faster ? runOff.b
            : comparison == gpu::Comparison::Slower  ? runOff.a
                                                     : 0;
    }
    return std::nullopt;
}

NodeTree::Standing NodeTree::standing() const
{
    double leastUs = std::numeric_limits<double>::infinity();
    for (const NodeRecord &node : m_nodes) {
        if (mayLead(node.summary))
            leastUs = std::min(leastUs, *node.summary.medianUs);
    }
    QList<NodeId> close;
    for (const NodeRecord &node : m_nodes) {
        if (mayLead(node.summary) && *node.summary.medianUs <= leastUs * (1 + CloseWithin))
            close.append(node.summary.id);
    }
    std::stable_sort(close.begin(), close.end(),
        [this](NodeId a, NodeId b) { return *at(a).summary.medianUs < *at(b).summary.medianUs; });
    Standing standing;
    for (const NodeId id : close.first(std::min<qsizetype>(close.size(), 1 + MostChallengers))) {
        if (standing.leader == 0) {
            standing.leader = id;
            continue;
        }
        const std::optional<NodeId> won = winner(standing.leader, id);
        if (!won) {
            standing.next = Pair(standing.leader, id);
            break;
        }
        if (*won == id)
            standing.leader = id;
    }
    return standing;
}

void NodeTree::refreshBeaten(QList<NodeId> &changed)
{
    if (m_runOffs.isEmpty())
        return;
    const NodeId leader = standing().leader;
    for (NodeRecord &node : m_nodes) {
        NodeSummary &s = node.summary;
        const bool beaten = leader != 0 && mayLead(s) && *s.medianUs < *at(leader).summary.medianUs;
        const NodeId by = beaten ? leader : 0;
        if (s.beatenBy == by)
            continue;
        s.beatenBy = by;
        if (!changed.contains(s.id))
            changed.append(s.id);
    }
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
    const NodeId leader = standing().leader;
    return leader == 0 ? std::nullopt : std::optional(leader);
}

std::optional<NodeTree::Pair> NodeTree::nextRunOff() const
{
    return standing().next;
}

QList<NodeSummary> NodeTree::comparable() const
{
    QList<NodeSummary> result;
    for (const NodeRecord &node : m_nodes) {
        if (node.summary.kind != NodeKind::Idea && node.summary.speedup)
            result.append(node.summary);
    }
    const NodeId leader = standing().leader;
    std::stable_sort(
        result.begin(), result.end(), [leader](const NodeSummary &a, const NodeSummary &b) {
            if ((a.id == leader) != (b.id == leader))
                return a.id == leader;
            return *a.medianUs < *b.medianUs;
        });
    return result;
}

} // namespace core
