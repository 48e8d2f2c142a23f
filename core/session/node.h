#pragma once

#include "gpu/bench/statistics.h"

#include <QDateTime>
#include <QList>
#include <QMetaType>
#include <QString>

#include <optional>

/// The engine: no widgets. Values in this header cross threads by copy.
namespace core {

/// Index of a node in its session, from 1; the root is 1. 0: none.
using NodeId = quint32;

enum class NodeKind { Root, Idea, Implementation, Repair, Tune, Edit, Merge };

/// What is being done for a node now. A node that is Done has a verdict, or is an idea whose
/// branches are all Done, or is Lost.
enum class NodeState {
    Asking, ///< waiting for a model's reply
    Queued, ///< waiting for the worker
    Compiling,
    Checking,
    Timing,
    Done,
    Lost ///< the reply could not be used or never came; `message` says why
};

struct TokenUsage {
    qint64 input = 0, cached = 0, reasoning = 0, output = 0;
    double costUsd = 0;
};

/// What the tree, lists and charts need of a node. Cheap to copy.
struct NodeSummary {
    NodeId id = 0, parent = 0;
    NodeKind kind = NodeKind::Root;
    NodeState state = NodeState::Queued;
    int round = 0; ///< the root is round 0
    QString author; ///< model name, "human", or "seed"
    QString title;
    QString category; ///< idea category, inherited by its implementations
    QString message; ///< verdict's or loss's message
    std::optional<gpu::Verdict> verdict; ///< nullopt while running and for ideas
    QString precisionClass;
    std::optional<double> medianUs, lowUs, highUs;
    std::optional<double> speedup; ///< root's median over this one's; for ideas their best child's
    int checksPassed = 0, checksTotal = 0; ///< live while checking
    bool pinned = false, excluded = false, archived = false;
    /// The best node, if it won the run-offs although this one's own median is lower; else 0.
    NodeId beatenBy = 0;
};

/// Two nodes timed in turn (A B A B …), which decides between close medians.
struct RunOff {
    NodeId a = 0, b = 0;
    gpu::RatioResult times; ///< B's time over A's
    int pairs = 0; ///< of samples
    QString message; ///< what happened, if there was no comparison

    /// With `node`, one of the two, as B.
    RunOff seenFrom(NodeId node) const;
};
/// How B did against A: "0.970 (0.960 to 0.980) of its time: faster"; or the message.
QString text(const RunOff &runOff);

/// Everything stored about one node.
struct NodeDetails {
    NodeSummary summary;
    QString ideaText;
    QString source; ///< the .cu file; empty for ideas
    QString prompt, reply, reasoning, requestKind;
    TokenUsage usage;
    QDateTime created, finished;
    std::optional<gpu::Evaluation> evaluation;
    QList<RunOff> runOffs; ///< with this node as B
};

QString verdictName(gpu::Verdict verdict);
QString comparisonName(gpu::Comparison comparison);
QString name(NodeKind kind);
QString name(NodeState state);
std::optional<NodeKind> nodeKindFromName(const QString &name);
std::optional<NodeState> nodeStateFromName(const QString &name);

} // namespace core

Q_DECLARE_METATYPE(core::NodeSummary)
Q_DECLARE_METATYPE(core::NodeDetails)
