#include "core/search/engine.h"

#include <QCryptographicHash>

// The part of the engine that decides what to do next and what follows from a result. Every result
// is stored together with the nodes that it calls for, in one transaction.

namespace core {

namespace {
/// Whether another attempt with the log in hand may help.
bool isRepairable(gpu::Verdict verdict)
{
    switch (verdict) {
    case gpu::Verdict::Ok:
    case gpu::Verdict::EnvironmentError:
    case gpu::Verdict::ImpossibleTime:
    case gpu::Verdict::Unsupported:
        return false;
    default:
        return true;
    }
}

QString hashOf(const QString &source)
{
    return QString::fromLatin1(
        QCryptographicHash::hash(source.toUtf8(), QCryptographicHash::Sha256).toHex());
}

NodeState stateAt(const QString &stage)
{
    if (stage == QLatin1String("compile"))
        return NodeState::Compiling;
    if (stage == QLatin1String("check") || stage == QLatin1String("recheck"))
        return NodeState::Checking;
    if (stage == QLatin1String("time"))
        return NodeState::Timing;
    return NodeState::Queued;
}

} // namespace

NodeId Engine::twinOf(const QString &source) const
{
    return m_sources.value(hashOf(source));
}

void Engine::rememberSource(const QString &source, NodeId node)
{
    if (twinOf(source) == 0)
        m_sources.insert(hashOf(source), node);
}

void Engine::addToTree(const NodeRecord &node, const QString &source)
{
    m_tree.add(node);
    const NodeId id = node.summary.id;
    m_publisher.nodeChanged(id);
    if (!source.isEmpty())
        rememberSource(source, id);
    if (hasEnded(node.summary))
        return;
    // One question brings all ideas of a round: the first idea's node stands for it. An idea that
    // has its text has nothing before it but its branches.
    const bool waitsForBranches
        = node.summary.kind == NodeKind::Idea && node.summary.state != NodeState::Asking;
    const bool asksWithFirst = node.summary.kind == NodeKind::Idea && node.path.idea > 1;
    if (!waitsForBranches && !asksWithFirst)
        m_open.insert(id);
}

void Engine::scheduleAdvance()
{
    if (m_advanceScheduled)
        return;
    m_advanceScheduled = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_advanceScheduled = false;
            advance();
        },
        Qt::QueuedConnection);
}

void Engine::advance()
{
    if (!m_store.isOpen() || m_state == SearchState::Failed)
        return;
    // A person's edit is measured whatever the search does.
    if (m_device == Device::Ready) {
        for (const NodeId id : std::set<NodeId>(m_open)) {
            if (m_tree.at(id).summary.kind == NodeKind::Edit && !dispatch(id))
                return;
        }
    }
    const bool searching = m_state == SearchState::Running || m_state == SearchState::Starting
        || m_state == SearchState::Pausing;
    if (!searching && m_editsToRank && m_inFlight.isEmpty() && runOff())
        return;
    if (m_state == SearchState::Pausing && m_inFlight.isEmpty() && !m_runOff) {
        m_elapsedBefore = elapsedSeconds();
        m_clock.invalidate();
        m_tick.stop();
        setState(SearchState::Paused);
        stored(m_store.setState(name(SearchState::Paused), {}));
        return;
    }
    if (m_state != SearchState::Running)
        return;
    if (const std::optional<QString> spent = spentBudget()) {
        abandonWork();
        finish(QStringLiteral("The budget of %1 is spent. Continue with a larger one, or look at "
                              "what was found.")
                   .arg(*spent),
            QStringLiteral("finished"));
        return;
    }
    for (const NodeId id : std::set<NodeId>(m_open)) {
        if (!dispatch(id))
            return;
    }
    if (!m_open.empty())
        return;
    const NodeSummary &root = m_tree.at(1).summary;
    if (root.verdict != gpu::Verdict::Ok) {
        failSearch(
            QStringLiteral("The problem's seed kernel is not ok, so there is nothing to start "
                           "from: %1: %2")
                .arg(verdictName(root.verdict.value_or(gpu::Verdict::EnvironmentError)),
                    root.message),
            root.verdict == gpu::Verdict::EnvironmentError);
        return;
    }
    if (runOff())
        return;
    const int round = m_tree.lastRound();
    if (round < m_config.rounds || m_forcedSeed != 0)
        startRound(round + 1);
    else
        finish(QStringLiteral("All %1 rounds are done.").arg(round), QStringLiteral("finished"));
}

void Engine::startRound(int round)
{
    Request request;
    request.round = round;
    if (const QString refusal = m_provider->refusal(request); !refusal.isEmpty()) {
        m_forcedSeed = 0;
        if (!stored(m_store.setMeta(QStringLiteral("forced_seed"), QStringLiteral("0"))))
            return;
        notice(Notice::Level::Warning, refusal);
        finish(QStringLiteral("The search ended after round %1 of %2. %3")
                   .arg(round - 1)
                   .arg(std::max(round, m_config.rounds))
                   .arg(refusal),
            QStringLiteral("finished"));
        return;
    }
    SeedChoice choice;
    if (m_forcedSeed != 0) {
        choice.seeds = {m_forcedSeed};
        choice.reason = QStringLiteral("chosen by hand: #%1").arg(m_forcedSeed);
    } else {
        choice = m_policy->choose(m_tree.comparable(), m_config.seeds);
    }
    if (choice.seeds.isEmpty()) {
        finish(QStringLiteral("The search ended before round %1: %2. Include a node again, then "
                              "resume.")
                   .arg(round)
                   .arg(choice.reason),
            QStringLiteral("finished"));
        return;
    }
    const QList<NodeRecord> ideas = placeholders(round, choice.seeds);
    const gpu::Status status = m_store.together([&]() -> gpu::Status {
        gpu::Status result
            = m_store.addEvent(QStringLiteral("seeds"), round, choice.seeds.first(), choice.reason);
        for (const NodeRecord &idea : ideas) {
            if (result)
                result = m_store.addNode(idea, {}, {});
        }
        if (result)
            result = m_store.setMeta(QStringLiteral("forced_seed"), QStringLiteral("0"));
        return result;
    });
    if (!stored(status))
        return;
    m_forcedSeed = 0;
    for (const NodeRecord &idea : ideas)
        addToTree(idea, {});
    m_publisher.flush(); // what led to the choice is told before it
    notice(Notice::Level::Info,
        QStringLiteral("Round %1 starts from %2.").arg(round).arg(choice.reason),
        choice.seeds.first());
    scheduleAdvance();
}

QList<NodeRecord> Engine::placeholders(int round, const QList<NodeId> &seeds) const
{
    QList<NodeRecord> ideas;
    for (int i = 1; i <= m_config.ideas; ++i) {
        NodeRecord idea;
        idea.path.round = round;
        idea.path.idea = i;
        idea.summary.id = m_tree.nextId() + NodeId(i) - 1;
        // Several seeds share a round's ideas in turn.
        idea.summary.parent = seeds.at((i - 1) % seeds.size());
        idea.summary.kind = NodeKind::Idea;
        idea.summary.state = NodeState::Asking;
        idea.summary.round = round;
        idea.summary.title = QStringLiteral("Idea %1").arg(i);
        ideas.append(idea);
    }
    return ideas;
}

QList<NodeId> Engine::ideasOf(int round) const
{
    QList<NodeId> ideas;
    for (int i = 1;; ++i) {
        const NodeId id = m_tree.find({round, i, 0, 0, 0});
        if (id == 0)
            return ideas;
        ideas.append(id);
    }
}

bool Engine::dispatch(NodeId id)
{
    if (m_inFlight.contains(id))
        return true;
    const NodeRecord node = m_tree.at(id);
    if (node.summary.state == NodeState::Asking)
        ask(node);
    else if (m_device == Device::Ready)
        evaluate(node);
    return m_state != SearchState::Failed;
}

void Engine::evaluate(const NodeRecord &node)
{
    const gpu::Result<QString> source = m_store.source(node.summary.id);
    if (!source) {
        stored(source.error());
        return;
    }
    m_inFlight.insert(node.summary.id);
    m_evaluations.insert(m_evaluator->evaluate({*source, m_config.size, {}}), node.summary.id);
}

std::optional<NodeRecord> Engine::ideaEndedBy(NodeId ending) const
{
    const NodeId id = m_tree.ideaOf(ending);
    if (id == 0 || id == ending || hasEnded(m_tree.at(id).summary)
        || !m_tree.branchesEnded(id, ending))
        return std::nullopt;
    NodeRecord idea = m_tree.at(id);
    idea.summary.state = NodeState::Done;
    return idea;
}

void Engine::receiveStage(quint64 ticket, const QString &stage, int done, int total)
{
    const NodeId id = m_evaluations.value(ticket);
    if (id == 0)
        return;
    NodeRecord node = m_tree.at(id);
    node.summary.state = stateAt(stage);
    if (node.summary.state == NodeState::Checking) {
        node.summary.checksPassed = done;
        node.summary.checksTotal = total;
    }
    change(node);
}

std::optional<NodeRecord> Engine::repairOf(const NodeRecord &node)
{
    const NodeSummary &failed = node.summary;
    const bool isCandidate
        = failed.kind == NodeKind::Implementation || failed.kind == NodeKind::Repair;
    if (!isCandidate || !failed.verdict || !isRepairable(*failed.verdict)
        || node.path.attempt >= m_config.repairs)
        return std::nullopt;
    NodeRecord repair;
    repair.path = node.path;
    ++repair.path.attempt;
    repair.summary.id = m_tree.nextId();
    repair.summary.parent = failed.id;
    repair.summary.kind = NodeKind::Repair;
    repair.summary.state = NodeState::Asking;
    repair.summary.round = failed.round;
    repair.summary.category = failed.category;
    repair.summary.title = QStringLiteral("%1, branch %2, repair %3")
                               .arg(m_tree.at(m_tree.ideaOf(failed.id)).summary.title)
                               .arg(repair.path.branch)
                               .arg(repair.path.attempt);
    if (!m_provider || !m_provider->refusal(requestFor(repair)).isEmpty())
        return std::nullopt;
    return repair;
}

void Engine::receiveEvaluation(quint64 ticket, const gpu::Evaluation &evaluation)
{
    const NodeId id = m_evaluations.take(ticket);
    if (id == 0)
        return;
    m_inFlight.remove(id);
    NodeRecord node = m_tree.at(id);
    NodeSummary &s = node.summary;
    s.state = NodeState::Done;
    s.verdict = evaluation.verdict;
    const QString message = QString::fromStdString(evaluation.message);
    s.message = s.message.isEmpty() ? message : s.message + QLatin1Char(' ') + message;
    s.precisionClass = QString::fromStdString(evaluation.precision.precisionClass);
    node.deviceKind = QString::fromStdString(evaluation.deviceKind);
    // Only `ok` has a speed, whatever a worker sends.
    if (evaluation.verdict == gpu::Verdict::Ok && evaluation.time) {
        s.medianUs = evaluation.time->medianUs;
        s.lowUs = evaluation.time->lowUs;
        s.highUs = evaluation.time->highUs;
    }
    s.checksTotal = std::max(s.checksTotal, static_cast<int>(evaluation.checks.size()));
    s.checksPassed = static_cast<int>(std::count_if(evaluation.checks.begin(),
        evaluation.checks.end(), [](const gpu::CheckResult &check) { return check.passed; }));
    m_editsToRank |= s.kind == NodeKind::Edit;
    const std::optional<NodeRecord> repair = repairOf(node);
    const std::optional<NodeRecord> idea = repair ? std::nullopt : ideaEndedBy(id);
    const gpu::Status status = m_store.together([&]() -> gpu::Status {
        gpu::Status result = m_store.addEvaluation(id, evaluation);
        if (result)
            result = m_store.updateNode(node);
        if (result && repair)
            result = m_store.addNode(*repair, {}, {});
        if (result && idea)
            result = m_store.updateNode(*idea);
        return result;
    });
    if (!stored(status))
        return;
    change(node);
    if (repair)
        addToTree(*repair, {});
    if (idea)
        change(*idea);
    scheduleAdvance();
}

} // namespace core
