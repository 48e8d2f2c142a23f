#pragma once

#include "core/session/node.h"

#include <QList>
#include <QRandomGenerator>

/// Trees for the window's tests, as the engine would send them.
namespace sample {

inline core::NodeSummary node(core::NodeId id, core::NodeId parent, core::NodeKind kind)
{
    core::NodeSummary n;
    n.id = id;
    n.parent = parent;
    n.kind = kind;
    n.state = core::NodeState::Done;
    n.title = QStringLiteral("Node %1").arg(id);
    n.author = QStringLiteral("example-model");
    return n;
}

inline core::NodeSummary kernel(core::NodeId id, core::NodeId parent, gpu::Verdict verdict,
    double speedup = 1, core::NodeKind kind = core::NodeKind::Implementation)
{
    core::NodeSummary n = node(id, parent, kind);
    n.verdict = verdict;
    if (verdict == gpu::Verdict::Ok) {
        n.speedup = speedup;
        n.medianUs = 4200 / speedup;
        n.lowUs = *n.medianUs * 0.99;
        n.highUs = *n.medianUs * 1.015;
        n.precisionClass = QStringLiteral("fp32");
    } else {
        n.message = QStringLiteral("the message of node %1").arg(id);
    }
    return n;
}

inline core::NodeSummary idea(core::NodeId id, core::NodeId parent, const char *title)
{
    core::NodeSummary n = node(id, parent, core::NodeKind::Idea);
    n.title = QString::fromUtf8(title);
    n.category = QStringLiteral("memory access");
    return n;
}

/// Three rounds of three ideas with two implementations each, as the demo ends.
inline QList<core::NodeSummary> finishedSearch()
{
    using gpu::Verdict;
    QList<core::NodeSummary> n;
    const auto round = [&n](int number) { n.last().round = number; };
    n << kernel(1, 0, Verdict::Ok, 1, core::NodeKind::Root);
    n.last().title = QStringLiteral("softmax: the seed kernel");
    n.last().author = QStringLiteral("seed");
    struct Branch {
        Verdict verdict;
        double speedup;
    };
    struct Round {
        core::NodeId seed;
        const char *titles[3];
        Branch branches[6];
    };
    const Round rounds[] = {
        {1,
            {"One block a row with a shared-memory tree reduction",
                "Coalesce by giving neighbouring threads neighbouring columns",
                "Online softmax: one pass over the row"},
            {{Verdict::Ok, 2.31}, {Verdict::WrongResult, 0}, {Verdict::Ok, 1.84},
                {Verdict::CompileError, 0}, {Verdict::Ok, 3.12}, {Verdict::Ok, 0.82}}},
        {0,
            {"Warp shuffles instead of shared memory", "Vector loads of four floats",
                "Keep the row in registers between the passes"},
            {{Verdict::Ok, 3.58}, {Verdict::OutOfBounds, 0}, {Verdict::Ok, 4.07},
                {Verdict::Ok, 3.95}, {Verdict::MemoryFault, 0}, {Verdict::Ok, 5.21}}},
        {0,
            {"exp2 with a pre-multiplied scale", "Two rows a block to hide latency",
                "Half-precision staging"},
            {{Verdict::Ok, 5.63}, {Verdict::Ok, 5.48}, {Verdict::Timeout, 0}, {Verdict::Ok, 4.9},
                {Verdict::Precision, 0}, {Verdict::ImpossibleTime, 0}}},
    };
    core::NodeId next = 2, seed = 1;
    int number = 0;
    for (const Round &r : rounds) {
        ++number;
        core::NodeId best = 0;
        double bestSpeedup = 0;
        for (int i = 0; i < 3; ++i) {
            const core::NodeId ideaId = next++;
            n << idea(ideaId, seed, r.titles[i]);
            round(number);
            const qsizetype ideaAt = n.size() - 1;
            for (int b = 0; b < 2; ++b) {
                const Branch branch = r.branches[2 * i + b];
                n << kernel(next, ideaId, branch.verdict, branch.speedup);
                round(number);
                if (branch.speedup > bestSpeedup) {
                    bestSpeedup = branch.speedup;
                    best = next;
                }
                if (branch.speedup > n[ideaAt].speedup.value_or(0))
                    n[ideaAt].speedup = branch.speedup;
                ++next;
                if (branch.verdict == Verdict::CompileError) {
                    n << kernel(next, next - 1, Verdict::Ok, 2.02, core::NodeKind::Repair);
                    round(number);
                    ++next;
                }
                if (branch.verdict == Verdict::OutOfBounds) {
                    n << kernel(next, next - 1, Verdict::WrongResult, 0, core::NodeKind::Repair);
                    round(number);
                    ++next;
                }
            }
        }
        seed = best;
    }
    return n;
}

/// `count` nodes; each chooses its parent among the `window` before it.
inline QList<core::NodeSummary> randomTree(int count, int window, quint32 seed = 1)
{
    QRandomGenerator random(seed);
    constexpr gpu::Verdict verdicts[] = {gpu::Verdict::Ok, gpu::Verdict::Ok,
        gpu::Verdict::CompileError, gpu::Verdict::WrongResult, gpu::Verdict::Crash};
    QList<core::NodeSummary> nodes;
    nodes.reserve(count);
    for (int i = 1; i <= count; ++i) {
        const int low = std::max(1, i - window);
        const auto parent = i == 1 ? 0U : static_cast<core::NodeId>(random.bounded(low, i));
        nodes << kernel(static_cast<core::NodeId>(i), parent, verdicts[random.bounded(5)],
            0.5 + random.bounded(5.0),
            i == 1 ? core::NodeKind::Root : core::NodeKind::Implementation);
        if (i > 1 && random.bounded(4) == 0)
            nodes.last() = idea(static_cast<core::NodeId>(i), parent, "An idea in a few words");
    }
    return nodes;
}

} // namespace sample
