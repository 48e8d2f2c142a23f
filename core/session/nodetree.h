#pragma once

#include "core/session/sessionstore.h"

#include <QHash>
#include <QList>

#include <utility>

namespace core {

/// The nodes of a session in memory, with what follows from others' results: speed-ups, and whether
/// an idea's branches have ended. Not thread-safe; the engine's.
class NodeTree {
public:
    void clear();
    /// Ids must come in order, without gaps.
    void add(const NodeRecord &node);
    /// Returns the ids of all that changed. One of nodes that do not exist is passed over.
    QList<NodeId> addRunOff(const RunOff &runOff);
    /// Replaces a node and works out anew what depends on it; returns the ids of all that changed.
    QList<NodeId> update(const NodeRecord &node);

    bool contains(NodeId id) const { return id >= 1 && id <= NodeId(m_nodes.size()); }
    const NodeRecord &at(NodeId id) const { return m_nodes.at(id - 1); }
    const QList<NodeRecord> &all() const { return m_nodes; }
    const QList<NodeId> &children(NodeId id) const { return m_children.at(id - 1); }
    NodeId nextId() const { return NodeId(m_nodes.size()) + 1; }
    /// 0 if there is none.
    NodeId find(const NodePath &path) const { return m_byPath.value(text(path)); }
    /// The idea a node was made from, itself included; 0 for the root and edits of it.
    NodeId ideaOf(NodeId id) const;
    /// Whether all implementations of an idea, and their repairs, have ended; `except` counts as
    /// ended.
    bool branchesEnded(NodeId idea, NodeId except) const;

    int lastRound() const { return m_lastRound; }
    int editCount() const { return m_edits; }
    /// The fastest node that is ok, of the root's device kind; among close ones the one that won
    /// the run-offs so far.
    std::optional<NodeId> best() const;
    /// Nodes whose speeds may be compared with the root's: the best one, then by median.
    QList<NodeSummary> comparable() const;
    const QList<RunOff> &runOffs() const { return m_runOffs; }
    using Pair = std::pair<NodeId, NodeId>;
    /// The run-off that `best` hangs on: the leader so far, and the next one that is close.
    std::optional<Pair> nextRunOff() const;

private:
    struct Standing {
        NodeId leader = 0;
        std::optional<Pair> next;
    };
    Standing standing() const;
    /// The winner of the two; 0 if that was not decided, nullopt if they did not run.
    std::optional<NodeId> winner(NodeId a, NodeId b) const;
    bool mayLead(const NodeSummary &node) const;
    void refreshBeaten(QList<NodeId> &changed);
    std::optional<double> speedup(const NodeRecord &node) const;
    void refreshIdea(NodeId idea, QList<NodeId> &changed);

    QList<NodeRecord> m_nodes;
    QList<QList<NodeId>> m_children;
    QHash<QString, NodeId> m_byPath;
    QList<RunOff> m_runOffs;
    int m_lastRound = 0;
    int m_edits = 0;
};

/// Done or Lost.
bool hasEnded(const NodeSummary &node);

} // namespace core
