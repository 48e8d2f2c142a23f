#include "core/search/engine.h"

#include "core/provider/reply.h"

// The part of the engine that asks models and takes their replies. Every reply is stored together
// with the nodes that it calls for, in one transaction.

namespace core {

namespace {
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
        const NodeId twin = twinOf(*source);
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
    if (source)
        rememberSource(*source, node.summary.id);
    change(node);
    if (idea)
        change(*idea);
}

} // namespace core
