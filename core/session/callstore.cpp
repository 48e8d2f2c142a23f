#include "core/session/sessionstore.h"

#include <QHash>
#include <QSqlQuery>

// The part of the session that holds requests to models and their replies.

namespace core {

gpu::Status SessionStore::addCall(NodeId node, const CallRecord &call)
{
    const Request &request = call.request;
    const Reply &reply = call.reply;
    return m_database.run(
        QStringLiteral(
            "INSERT INTO call (node, request, round, idea, branch, attempt, provider, "
            "model, prompt, reply, reasoning, finish_reason, error, input_tokens, "
            "cached_tokens, reasoning_tokens, output_tokens, cost_usd, latency_ms, ended) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        {node, name(request.kind), request.round, request.idea, request.branch, request.attempt,
            call.provider, reply.model, request.prompt, reply.text, reply.reasoning,
            reply.finishReason, call.error, reply.usage.input, reply.usage.cached,
            reply.usage.reasoning, reply.usage.output, reply.usage.costUsd, reply.latencyMs,
            QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)});
}

gpu::Result<QList<CallRecord>> SessionStore::calls()
{
    QList<CallRecord> result;
    const gpu::Status status = m_database.run(
        QStringLiteral("SELECT request, round, idea, branch, attempt, provider, model, prompt, "
                       "reply, reasoning, finish_reason, error, input_tokens, cached_tokens, "
                       "reasoning_tokens, output_tokens, cost_usd, latency_ms FROM call "
                       "ORDER BY id"),
        {}, [&result](const QSqlQuery &query) {
            CallRecord call;
            call.request.kind
                = requestKindFromName(query.value(0).toString()).value_or(Request::Kind::Ideas);
            call.request.round = query.value(1).toInt();
            call.request.idea = query.value(2).toInt();
            call.request.branch = query.value(3).toInt();
            call.request.attempt = query.value(4).toInt();
            call.provider = query.value(5).toString();
            call.reply.model = query.value(6).toString();
            call.request.prompt = query.value(7).toString();
            call.reply.text = query.value(8).toString();
            call.reply.reasoning = query.value(9).toString();
            call.reply.finishReason = query.value(10).toString();
            call.error = query.value(11).toString();
            call.reply.usage = {query.value(12).toLongLong(), query.value(13).toLongLong(),
                query.value(14).toLongLong(), query.value(15).toLongLong(),
                query.value(16).toDouble()};
            call.reply.latencyMs = query.value(17).toInt();
            result.append(call);
        });
    if (!status)
        return status.error();
    return result;
}

gpu::Result<TokenUsage> SessionStore::usage()
{
    TokenUsage usage;
    const gpu::Status status = m_database.run(
        QStringLiteral("SELECT coalesce(sum(input_tokens), 0), coalesce(sum(cached_tokens), 0), "
                       "coalesce(sum(reasoning_tokens), 0), coalesce(sum(output_tokens), 0), "
                       "coalesce(sum(cost_usd), 0) FROM call"),
        {}, [&usage](const QSqlQuery &query) {
            usage = {query.value(0).toLongLong(), query.value(1).toLongLong(),
                query.value(2).toLongLong(), query.value(3).toLongLong(),
                query.value(4).toDouble()};
        });
    if (!status)
        return status.error();
    return usage;
}

gpu::Result<QHash<NodeId, qint64>> SessionStore::tokensByNode()
{
    QHash<NodeId, qint64> result;
    const gpu::Status status = m_database.run(
        QStringLiteral(
            "SELECT node, sum(input_tokens + reasoning_tokens + output_tokens) FROM call "
            "GROUP BY node"),
        {}, [&result](const QSqlQuery &query) {
            result.insert(query.value(0).toUInt(), query.value(1).toLongLong());
        });
    if (!status)
        return status.error();
    return result;
}

} // namespace core
