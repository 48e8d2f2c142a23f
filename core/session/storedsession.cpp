#include "core/session/storedsession.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {
using nlohmann::json;

json textOrNull(const QString &text)
{
    return text.isEmpty() ? json() : json(text.toStdString());
}

json numberOrNull(const std::optional<double> &number)
{
    return number ? json(*number) : json();
}

json nodeJson(const NodeRecord &node, qint64 tokens)
{
    const NodeSummary &s = node.summary;
    return {{"id", s.id}, {"parent", s.parent == 0 ? json() : json(s.parent)},
        {"path", text(node.path).toStdString()}, {"kind", name(s.kind).toStdString()},
        {"state", name(s.state).toStdString()}, {"round", s.round},
        {"author", textOrNull(s.author)}, {"title", s.title.toStdString()},
        {"category", textOrNull(s.category)},
        {"verdict", s.verdict ? json(std::string(gpu::name(*s.verdict))) : json()},
        {"message", textOrNull(s.message)}, {"time_us", numberOrNull(s.medianUs)},
        {"speedup", numberOrNull(s.speedup)}, {"precision", textOrNull(s.precisionClass)},
        {"tokens", tokens}, {"pinned", s.pinned}, {"excluded", s.excluded},
        {"archived", s.archived}, {"beaten_by", s.beatenBy == 0 ? json() : json(s.beatenBy)}};
}

json runOffJson(const RunOff &runOff)
{
    const gpu::Interval &ratio = runOff.times.ratio;
    return {{"a", runOff.a}, {"b", runOff.b},
        {"comparison", std::string(gpu::name(runOff.times.comparison))},
        {"ratio", {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}}},
        {"pairs", runOff.pairs}, {"message", textOrNull(runOff.message)}};
}
} // namespace

gpu::Status StoredSession::load(const QString &file)
{
    if (gpu::Status status = store.openForReading(file); !status)
        return status;
    gpu::Result<SessionHead> readHead = store.head();
    if (!readHead)
        return readHead.error();
    head = std::move(*readHead);
    const gpu::Result<QList<NodeRecord>> nodes = store.nodes();
    if (!nodes)
        return nodes.error();
    for (const NodeRecord &node : *nodes) {
        if (node.summary.id != tree.nextId())
            return gpu::callerError(QStringLiteral("%1 is damaged: node %2 is missing.")
                                        .arg(file)
                                        .arg(tree.nextId())
                                        .toStdString());
        tree.add(node);
    }
    const gpu::Result<QList<RunOff>> runOffs = store.runOffs();
    if (!runOffs)
        return runOffs.error();
    for (const RunOff &runOff : *runOffs)
        tree.addRunOff(runOff);
    gpu::Result<QHash<NodeId, qint64>> readTokens = store.tokensByNode();
    if (!readTokens)
        return readTokens.error();
    tokens = std::move(*readTokens);
    const gpu::Result<TokenUsage> readUsage = store.usage();
    if (!readUsage)
        return readUsage.error();
    usage = *readUsage;
    return gpu::Unit{};
}

gpu::Result<NodeId> StoredSession::find(const QString &idOrBest) const
{
    if (idOrBest == QLatin1String("best")) {
        if (const std::optional<NodeId> best = tree.best())
            return *best;
        return gpu::callerError(
            QStringLiteral("%1 has no node whose verdict is ok yet, so there is "
                           "no best one. Name a node by its number.")
                .arg(store.file())
                .toStdString());
    }
    bool isNumber = false;
    const NodeId id = idOrBest.toUInt(&isNumber);
    if (isNumber && tree.contains(id))
        return id;
    return gpu::callerError(
        QStringLiteral("%1 has no node `%2`. Name `best` or a number from 1 to %3.")
            .arg(store.file(), idOrBest)
            .arg(tree.all().size())
            .toStdString());
}

json toJson(const StoredSession &session)
{
    json nodes = json::array();
    for (const NodeRecord &node : session.tree.all())
        nodes.push_back(nodeJson(node, session.tokens.value(node.summary.id)));
    json runOffs = json::array();
    for (const RunOff &runOff : session.tree.runOffs())
        runOffs.push_back(runOffJson(runOff));
    const std::optional<NodeId> best = session.tree.best();
    return {{"problem", session.head.problem.id}, {"session", session.store.file().toStdString()},
        {"state", session.head.state.toStdString()}, {"message", textOrNull(session.head.message)},
        {"device", textOrNull(session.head.deviceName)},
        {"size", session.head.config.size.toStdString()}, {"rounds", session.tree.lastRound()},
        {"elapsed_seconds", session.head.elapsedSeconds}, {"cost_usd", session.usage.costUsd},
        {"best", best ? json(*best) : json()}, {"run_offs", std::move(runOffs)},
        {"nodes", std::move(nodes)}};
}

} // namespace core
