#include "core/search/engine.h"

// The part of the engine that decides between close contenders (design §6): before a round starts,
// and at the end, whoever may lead is timed against the leader in turn. What there is to run
// follows from the stored nodes and run-offs alone, as everything else does.

namespace core {

bool Engine::runOff()
{
    if (m_runOff)
        return true;
    if (m_device != Device::Ready)
        return false;
    for (;;) {
        const std::optional<NodeTree::Pair> pair = m_tree.nextRunOff();
        if (!pair) {
            m_editsToRank = false;
            return false;
        }
        const auto [a, b] = *pair;
        const gpu::Result<QString> sourceA = m_store.source(a), sourceB = m_store.source(b);
        if (!sourceA || !sourceB) {
            stored(sourceA ? sourceB.error() : sourceA.error());
            return true;
        }
        if (*sourceA != *sourceB) {
            m_runOff = PendingRunOff{0, a, b};
            m_runOff->ticket = m_evaluator->compare(
                {*sourceA, m_config.size, {}}, {*sourceB, m_config.size, {}});
            m_publisher.touch();
            return true;
        }
        RunOff twins{a, b, {}, 0, QStringLiteral("the same source")};
        twins.times.comparison = gpu::Comparison::Same;
        if (!keep(twins, std::nullopt))
            return true;
    }
}

void Engine::receiveRunOff(quint64 ticket, const gpu::RunOffAnswer &answer, const QString &error)
{
    if (!m_runOff || m_runOff->ticket != ticket)
        return;
    const PendingRunOff pending = *m_runOff;
    m_runOff.reset();
    RunOff runOff{pending.a, pending.b, answer.times, static_cast<int>(answer.pairs), {}};
    std::optional<gpu::Evaluation> failure;
    NodeId failed = 0;
    QString trouble = error;
    if (answer.failed) {
        failed = *answer.failed == gpu::Contender::A ? pending.a : pending.b;
        const QString why = QString::fromStdString(answer.failure.message);
        // A fault of the environment says nothing about the two.
        if (answer.failure.verdict == gpu::Verdict::EnvironmentError) {
            trouble = why;
        } else {
            failure = answer.failure;
            runOff.message = QStringLiteral("#%1 fell out: %2").arg(failed).arg(why);
        }
    }
    if (!trouble.isEmpty())
        runOff.message = QStringLiteral("it could not be held: %1").arg(trouble);
    if (!runOff.message.isEmpty())
        runOff.times = {};
    const QString what = QStringLiteral("Run-off: #%1 against #%2: %3")
                             .arg(runOff.b)
                             .arg(runOff.a)
                             .arg(text(runOff));
    const std::optional<NodeRecord> out
        = failure ? std::optional(disqualified(failed, *failure, what)) : std::nullopt;
    if (!keep(runOff, out))
        return;
    const bool held = runOff.message.isEmpty();
    notice(held ? Notice::Level::Info : Notice::Level::Warning, what, out ? failed : runOff.b);
    scheduleAdvance();
}

NodeRecord Engine::disqualified(
    NodeId id, const gpu::Evaluation &failure, const QString &message) const
{
    NodeRecord node = m_tree.at(id);
    NodeSummary &s = node.summary;
    s.verdict = failure.verdict;
    s.message = message;
    // Only `ok` has a speed.
    s.medianUs = s.lowUs = s.highUs = std::nullopt;
    return node;
}

bool Engine::keep(const RunOff &runOff, const std::optional<NodeRecord> &out)
{
    std::optional<gpu::Evaluation> evaluation;
    if (out) {
        const gpu::Result<gpu::Evaluation> before = m_store.evaluation(out->summary.id);
        if (!before)
            return stored(before.error());
        evaluation = *before;
        evaluation->verdict = *out->summary.verdict;
        evaluation->message = out->summary.message.toStdString();
        evaluation->time.reset();
    }
    const gpu::Status status = m_store.together([&]() -> gpu::Status {
        gpu::Status result = m_store.addRunOff(runOff);
        if (result && out)
            result = m_store.updateNode(*out);
        if (result && evaluation)
            result = m_store.addEvaluation(out->summary.id, *evaluation);
        return result;
    });
    if (!stored(status))
        return false;
    for (const NodeId changed : m_tree.addRunOff(runOff))
        m_publisher.nodeChanged(changed);
    if (out)
        change(*out);
    return true;
}

} // namespace core
