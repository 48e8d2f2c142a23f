#include "core/search/engine.h"

#include "core/provider/reply.h"

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

QString verdictName(gpu::Verdict verdict)
{
    const std::string_view text = gpu::name(verdict);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
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

QString outcomeOf(const NodeSummary &idea, const NodeTree &tree)
{
    if (idea.speedup)
        return QStringLiteral("best implementation %1x the seed's speed")
            .arg(*idea.speedup, 0, 'f', 2);
    QStringList verdicts;
    for (const NodeId child : tree.children(idea.id)) {
        const NodeSummary &node = tree.at(child).summary;
        if (node.kind != NodeKind::Implementation)
            continue;
        const QString verdict
            = node.verdict ? verdictName(*node.verdict) : QStringLiteral("no usable reply");
        if (!verdicts.contains(verdict))
            verdicts.append(verdict);
    }
    return QStringLiteral("no implementation worked (%1)").arg(verdicts.join(QLatin1String(", ")));
}
} // namespace

void Engine::addToTree(const NodeRecord &node, const QString &source)
{
    m_tree.add(node);
    const NodeId id = node.summary.id;
    m_publisher.nodeChanged(id);
    if (!source.isEmpty() && !m_sources.contains(hashOf(source)))
        m_sources.insert(hashOf(source), id);
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

Request Engine::requestFor(const NodeRecord &node) const
{
    Request request;
    request.round = node.path.round;
    request.model = m_config.models.isEmpty()
        ? QString()
        : m_config.models.at((node.path.branch + node.path.round) % m_config.models.size());
    if (node.summary.kind == NodeKind::Idea)
        return request;
    request.idea = node.path.idea;
    request.branch = node.path.branch;
    request.attempt = node.path.attempt;
    request.kind = node.summary.kind == NodeKind::Repair ? Request::Kind::Repair
                                                         : Request::Kind::Implementation;
    return request;
}

void Engine::ask(const NodeRecord &node)
{
    Question question{node.summary.id, requestFor(node)};
    question.request.prompt = promptFor(question.request, node);
    if (m_state == SearchState::Failed)
        return;
    m_inFlight.insert(node.summary.id);
    m_questions.insert(m_provider->ask(question.request), question);
    m_publisher.touch();
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

PromptKernel Engine::kernelOf(NodeId id)
{
    const gpu::Result<QString> source = m_store.source(id);
    if (!source) {
        stored(source.error());
        return {};
    }
    const NodeSummary &node = m_tree.at(id).summary;
    return {node.title, *source, node.medianUs};
}

QString Engine::ideasPromptFor(int round)
{
    QList<PromptKernel> seeds;
    QList<NodeId> shown;
    for (const NodeId idea : ideasOf(round)) {
        const NodeId seed = m_tree.at(idea).summary.parent;
        if (!shown.contains(seed)) {
            shown.append(seed);
            seeds.append(kernelOf(seed));
        }
    }
    QList<PromptIdea> history;
    for (const NodeRecord &node : m_tree.all()) {
        const NodeSummary &s = node.summary;
        if (s.kind == NodeKind::Idea && s.round < round && s.state == NodeState::Done)
            history.append({s.round, s.title, s.category, outcomeOf(s, m_tree)});
    }
    return ideasPrompt({m_problem, m_deviceInfo, m_config.size}, seeds, history, m_config.ideas);
}

QString Engine::promptFor(const Request &request, const NodeRecord &node)
{
    if (request.kind == Request::Kind::Ideas)
        return ideasPromptFor(request.round);
    const PromptContext context{m_problem, m_deviceInfo, m_config.size};
    const NodeId idea = m_tree.ideaOf(node.summary.id);
    const NodeSummary ideaNode = m_tree.at(idea).summary;
    const gpu::Result<QString> ideaText = m_store.ideaText(idea);
    if (!ideaText) {
        stored(ideaText.error());
        return {};
    }
    const PromptKernel parent
        = kernelOf(request.kind == Request::Kind::Repair ? node.summary.parent : ideaNode.parent);
    if (request.kind == Request::Kind::Implementation)
        return implementationPrompt(
            context, parent, ideaNode.title, *ideaText, request.branch, m_config.branches);
    const NodeSummary failed = m_tree.at(node.summary.parent).summary;
    const gpu::Result<gpu::Evaluation> evaluation = m_store.evaluation(failed.id);
    if (!evaluation) {
        stored(evaluation.error());
        return {};
    }
    return repairPrompt(context, ideaNode.title, *ideaText,
        {parent.source, verdictName(evaluation->verdict),
            QString::fromStdString(evaluation->message),
            QString::fromStdString(evaluation->compileLog)});
}

CallRecord Engine::callRecord(
    const Question &question, const Reply &reply, const QString &error) const
{
    return {question.request, m_config.provider, reply, error};
}

void Engine::addUsage(const TokenUsage &usage)
{
    m_usage.input += usage.input;
    m_usage.cached += usage.cached;
    m_usage.reasoning += usage.reasoning;
    m_usage.output += usage.output;
    m_usage.costUsd += usage.costUsd;
}

void Engine::receiveReply(quint64 ticket, const Reply &reply)
{
    const auto found = m_questions.constFind(ticket);
    if (found == m_questions.constEnd())
        return;
    const Question question = *found;
    m_questions.erase(found);
    m_inFlight.remove(question.node);
    if (question.request.kind == Request::Kind::Ideas)
        receiveIdeas(question, reply);
    else
        receiveCandidate(question, reply);
    scheduleAdvance();
}

void Engine::receiveFailure(quint64 ticket, const QString &message)
{
    const auto found = m_questions.constFind(ticket);
    if (found == m_questions.constEnd())
        return;
    const Question question = *found;
    m_questions.erase(found);
    m_inFlight.remove(question.node);
    QList<NodeId> lost{question.node};
    if (question.request.kind == Request::Kind::Ideas)
        lost = ideasOf(question.request.round);
    QList<NodeRecord> changed;
    for (const NodeId id : lost) {
        NodeRecord node = m_tree.at(id);
        node.summary.state = NodeState::Lost;
        node.summary.message = message;
        changed.append(node);
    }
    if (const std::optional<NodeRecord> idea = ideaEndedBy(question.node))
        changed.append(*idea);
    const gpu::Status status = m_store.together([&]() -> gpu::Status {
        gpu::Status result = m_store.addCall(question.node, callRecord(question, {}, message));
        for (const NodeRecord &node : changed) {
            if (result)
                result = m_store.updateNode(node);
        }
        return result;
    });
    if (!stored(status))
        return;
    for (const NodeRecord &node : changed)
        change(node);
    notice(Notice::Level::Warning, message, question.node);
    scheduleAdvance();
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

void Engine::receiveIdeas(const Question &question, const Reply &reply)
{
    const QList<ParsedIdea> parsed = parseIdeas(reply.text);
    const QList<NodeId> ids = ideasOf(question.request.round);
    QList<NodeRecord> ideas, branches;
    QStringList texts;
    QString refusal;
    NodeId next = m_tree.nextId();
    for (qsizetype i = 0; i < ids.size(); ++i) {
        NodeRecord idea = m_tree.at(ids.at(i));
        idea.summary.author = reply.model;
        texts.append(i < parsed.size() ? parsed.at(i).text : QString());
        if (i >= parsed.size()) {
            idea.summary.state = NodeState::Lost;
            idea.summary.message = QStringLiteral("The reply held %1 of the %2 ideas asked for.")
                                       .arg(parsed.size())
                                       .arg(ids.size());
            ideas.append(idea);
            continue;
        }
        idea.summary.title = parsed.at(i).title;
        idea.summary.category = parsed.at(i).category;
        idea.summary.state = NodeState::Queued;
        const qsizetype branchesBefore = branches.size();
        for (int b = 1; b <= m_config.branches; ++b) {
            NodeRecord branch;
            branch.path = idea.path;
            branch.path.branch = b;
            branch.summary.id = next;
            branch.summary.parent = idea.summary.id;
            branch.summary.kind = NodeKind::Implementation;
            branch.summary.state = NodeState::Asking;
            branch.summary.round = idea.summary.round;
            branch.summary.title = QStringLiteral("%1, branch %2").arg(idea.summary.title).arg(b);
            branch.summary.category = idea.summary.category;
            const QString refused = m_provider->refusal(requestFor(branch));
            if (!refused.isEmpty()) {
                refusal = refused;
                continue;
            }
            branches.append(branch);
            ++next;
        }
        if (branches.size() == branchesBefore) {
            idea.summary.state = NodeState::Lost;
            idea.summary.message = refusal;
        }
        ideas.append(idea);
    }
    const gpu::Status status = m_store.together([&]() -> gpu::Status {
        gpu::Status result = m_store.addCall(question.node, callRecord(question, reply, {}));
        for (qsizetype i = 0; i < ideas.size(); ++i) {
            if (result)
                result = m_store.updateNode(ideas.at(i));
            if (result)
                result = m_store.setIdea(ideas.at(i).summary.id, texts.at(i));
        }
        for (const NodeRecord &branch : branches) {
            if (result)
                result = m_store.addNode(branch, {}, {});
        }
        return result;
    });
    if (!stored(status))
        return;
    addUsage(reply.usage);
    m_open.erase(question.node);
    for (const NodeRecord &idea : ideas)
        change(idea);
    for (const NodeRecord &branch : branches)
        addToTree(branch, {});
    if (!refusal.isEmpty())
        notice(Notice::Level::Warning, refusal);
}

void Engine::receiveCandidate(const Question &question, const Reply &reply)
{
    NodeRecord node = m_tree.at(question.node);
    node.summary.author = reply.model;
    const gpu::Result<QString> source = parseCandidate(reply.text);
    std::optional<NodeRecord> idea;
    if (source) {
        node.summary.state = NodeState::Queued;
        const NodeId twin = m_sources.value(hashOf(*source));
        if (twin != 0)
            node.summary.message = QStringLiteral("Same source as #%1.").arg(twin);
    } else {
        node.summary.state = NodeState::Lost;
        node.summary.message = QString::fromStdString(source.error().message);
        idea = ideaEndedBy(node.summary.id);
    }
    const gpu::Status status = m_store.together([&]() -> gpu::Status {
        gpu::Status result = m_store.addCall(question.node, callRecord(question, reply, {}));
        if (result)
            result = m_store.updateNode(node);
        if (result && source)
            result = m_store.setSource(node.summary.id, *source);
        if (result && idea)
            result = m_store.updateNode(*idea);
        return result;
    });
    if (!stored(status))
        return;
    addUsage(reply.usage);
    if (source && !m_sources.contains(hashOf(*source)))
        m_sources.insert(hashOf(*source), node.summary.id);
    change(node);
    if (idea)
        change(*idea);
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
