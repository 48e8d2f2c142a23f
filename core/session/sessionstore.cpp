#include "core/session/sessionstore.h"

#include "core/search/configjson.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QSqlQuery>

namespace core {

namespace {
using nlohmann::json;

const QString NodeColumns
    = QStringLiteral("id, parent, path, kind, state, round, author, title, category, message, "
                     "verdict, precision, device_kind, median_us, low_us, high_us, checks_passed, "
                     "checks_total, pinned, excluded, archived");

QString now()
{
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
}

QVariant orNull(const std::optional<double> &value)
{
    return value ? QVariant(*value) : QVariant(QMetaType::fromType<double>());
}

std::optional<double> optionalNumber(const QVariant &value)
{
    return value.isNull() ? std::nullopt : std::optional<double>(value.toDouble());
}

QString verdictText(const NodeSummary &summary)
{
    return summary.verdict ? verdictName(*summary.verdict) : QString();
}

NodeRecord nodeFrom(const QSqlQuery &query)
{
    NodeRecord node;
    NodeSummary &s = node.summary;
    s.id = query.value(0).toUInt();
    s.parent = query.value(1).toUInt();
    node.path = nodePathFromText(query.value(2).toString()).value_or(NodePath{});
    s.kind = nodeKindFromName(query.value(3).toString()).value_or(NodeKind::Implementation);
    s.state = nodeStateFromName(query.value(4).toString()).value_or(NodeState::Lost);
    s.round = query.value(5).toInt();
    s.author = query.value(6).toString();
    s.title = query.value(7).toString();
    s.category = query.value(8).toString();
    s.message = query.value(9).toString();
    s.verdict = gpu::verdictFromName(query.value(10).toString().toStdString());
    s.precisionClass = query.value(11).toString();
    node.deviceKind = query.value(12).toString();
    s.medianUs = optionalNumber(query.value(13));
    s.lowUs = optionalNumber(query.value(14));
    s.highUs = optionalNumber(query.value(15));
    s.checksPassed = query.value(16).toInt();
    s.checksTotal = query.value(17).toInt();
    s.pinned = query.value(18).toBool();
    s.excluded = query.value(19).toBool();
    s.archived = query.value(20).toBool();
    return node;
}

QString dumped(const json &document)
{
    // A model may have written bytes that are not UTF-8: they must not cost the whole record.
    return QString::fromStdString(document.dump(-1, ' ', false, json::error_handler_t::replace));
}
} // namespace

gpu::Status SessionStore::create(const QString &file, const SearchConfig &config,
    const gpu::Problem &problem, const std::function<gpu::Status()> &first)
{
    if (QFileInfo::exists(file))
        return gpu::callerError(
            QStringLiteral("%1 exists already. Name another file, or continue it "
                           "with `espalier resume`.")
                .arg(file)
                .toStdString());
    if (!QFileInfo(file).absoluteDir().exists())
        return gpu::callerError(QStringLiteral("The folder of %1 does not exist. Create it first.")
                                    .arg(file)
                                    .toStdString());
    if (gpu::Status status = m_lock.acquire(file); !status)
        return status;
    // Made under another name, so that whoever finds the session finds a whole one.
    const QString draft = file + QStringLiteral(".new");
    QFile::remove(draft);
    gpu::Status status = m_database.open(draft, Database::Mode::Create);
    if (status) {
        status = together([&]() -> gpu::Status {
            const QList<QPair<QString, QString>> entries{
                {QStringLiteral("config"), dumped(toJson(config))},
                {QStringLiteral("problem"), dumped(gpu::toJson(problem))},
                {QStringLiteral("created"), now()},
                {QStringLiteral("state"), name(SearchState::Starting)}};
            for (const auto &[key, value] : entries) {
                if (gpu::Status stored = setMeta(key, value); !stored)
                    return stored;
            }
            return first ? first() : gpu::Unit{};
        });
    }
    m_database.close();
    if (status && !QFile::rename(draft, file))
        status = gpu::environmentError(
            QStringLiteral("%1 cannot be made from %2. Check the folder's permissions.")
                .arg(file, draft)
                .toStdString());
    if (status)
        status = m_database.open(file, Database::Mode::Write);
    if (!status) {
        QFile::remove(draft);
        close();
    }
    return status;
}

gpu::Status SessionStore::openForWriting(const QString &file)
{
    // Opened for reading first: a file that is no session gets no lock file beside it.
    if (gpu::Status status = m_database.open(file, Database::Mode::Read); !status)
        return status;
    m_database.close();
    if (gpu::Status status = m_lock.acquire(file); !status)
        return status;
    gpu::Status status = m_database.open(file, Database::Mode::Write);
    if (!status)
        m_lock.release();
    return status;
}

gpu::Status SessionStore::openForReading(const QString &file)
{
    return m_database.open(file, Database::Mode::Read);
}

void SessionStore::close()
{
    m_database.close();
    m_lock.release();
}

gpu::Status SessionStore::setMeta(const QString &key, const QString &value)
{
    return m_database.run(QStringLiteral("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"),
        {key, value.isNull() ? QStringLiteral("") : value}); // a null QString is SQL's NULL
}

gpu::Result<QString> SessionStore::meta(const QString &key)
{
    QString value;
    const gpu::Status status = m_database.run(QStringLiteral("SELECT value FROM meta WHERE key=?"),
        {key}, [&value](const QSqlQuery &query) { value = query.value(0).toString(); });
    if (!status)
        return status.error();
    return value;
}

gpu::Status SessionStore::setConfig(const SearchConfig &config)
{
    return setMeta(QStringLiteral("config"), dumped(toJson(config)));
}

gpu::Status SessionStore::setState(const QString &state, const QString &message)
{
    return together([&]() -> gpu::Status {
        if (gpu::Status status = setMeta(QStringLiteral("state"), state); !status)
            return status;
        return setMeta(QStringLiteral("message"), message);
    });
}

gpu::Result<SessionHead> SessionStore::head()
{
    QHash<QString, QString> entries;
    const gpu::Status status = m_database.run(
        QStringLiteral("SELECT key, value FROM meta"), {}, [&entries](const QSqlQuery &query) {
            entries.insert(query.value(0).toString(), query.value(1).toString());
        });
    if (!status)
        return status.error();
    SessionHead head;
    head.config = searchConfigFromJson(
        json::parse(entries.value(QStringLiteral("config")).toStdString(), nullptr, false));
    const json problem
        = json::parse(entries.value(QStringLiteral("problem")).toStdString(), nullptr, false);
    gpu::Result<gpu::Problem> parsed = problem.is_discarded()
        ? gpu::Result<gpu::Problem>(gpu::callerError("its problem is not stored whole"))
        : gpu::problemFromJson(problem);
    if (!parsed)
        return gpu::callerError(file().toStdString()
            + ": the stored problem cannot be read: " + parsed.error().message);
    head.problem = std::move(*parsed);
    head.state = entries.value(QStringLiteral("state"));
    head.message = entries.value(QStringLiteral("message"));
    head.deviceName = entries.value(QStringLiteral("device"));
    head.elapsedSeconds = entries.value(QStringLiteral("elapsed_seconds")).toDouble();
    return head;
}

gpu::Result<QList<NodeRecord>> SessionStore::nodes()
{
    QList<NodeRecord> result;
    const gpu::Status status
        = m_database.run(QStringLiteral("SELECT %1 FROM node ORDER BY id").arg(NodeColumns), {},
            [&result](const QSqlQuery &query) { result.append(nodeFrom(query)); });
    if (!status)
        return status.error();
    return result;
}

gpu::Result<NodeDetails> SessionStore::details(NodeId node)
{
    NodeDetails details;
    bool found = false;
    gpu::Status status = m_database.run(
        QStringLiteral("SELECT %1, idea_text, source, created, finished FROM node WHERE id=?")
            .arg(NodeColumns),
        {node}, [&](const QSqlQuery &query) {
            found = true;
            details.summary = nodeFrom(query).summary;
            details.ideaText = query.value(21).toString();
            details.source = query.value(22).toString();
            details.created = QDateTime::fromString(query.value(23).toString(), Qt::ISODateWithMs);
            details.finished = QDateTime::fromString(query.value(24).toString(), Qt::ISODateWithMs);
        });
    if (!status)
        return status.error();
    if (!found)
        return gpu::callerError(
            QStringLiteral("%1 has no node %2.").arg(file()).arg(node).toStdString());
    status = m_database.run(
        QStringLiteral("SELECT request, prompt, reply, reasoning, input_tokens, cached_tokens, "
                       "reasoning_tokens, output_tokens, cost_usd FROM call WHERE node=? OR "
                       "(request='ideas' AND ?='idea' AND round=?) ORDER BY id"),
        {node, name(details.summary.kind), details.summary.round}, [&](const QSqlQuery &query) {
            details.requestKind = query.value(0).toString();
            details.prompt = query.value(1).toString();
            details.reply = query.value(2).toString();
            details.reasoning = query.value(3).toString();
            details.usage = {query.value(4).toLongLong(), query.value(5).toLongLong(),
                query.value(6).toLongLong(), query.value(7).toLongLong(),
                query.value(8).toDouble()};
        });
    if (!status)
        return status.error();
    status = m_database.run(
        QStringLiteral("SELECT json FROM evaluation WHERE node=? ORDER BY id DESC LIMIT 1"), {node},
        [&details](const QSqlQuery &query) {
            const json document
                = json::parse(query.value(0).toString().toStdString(), nullptr, false);
            if (!document.is_discarded())
                details.evaluation = gpu::evaluationFromJson(document);
        });
    if (!status)
        return status.error();
    const gpu::Result<QList<RunOff>> all = runOffs();
    if (!all)
        return all.error();
    for (const RunOff &runOff : *all) {
        if (runOff.a == node || runOff.b == node)
            details.runOffs.append(runOff.seenFrom(node));
    }
    return details;
}

gpu::Result<QString> SessionStore::source(NodeId node)
{
    QString result;
    const gpu::Status status = m_database.run(QStringLiteral("SELECT source FROM node WHERE id=?"),
        {node}, [&result](const QSqlQuery &query) { result = query.value(0).toString(); });
    if (!status)
        return status.error();
    return result;
}

gpu::Result<QString> SessionStore::ideaText(NodeId node)
{
    QString result;
    const gpu::Status status
        = m_database.run(QStringLiteral("SELECT idea_text FROM node WHERE id=?"), {node},
            [&result](const QSqlQuery &query) { result = query.value(0).toString(); });
    if (!status)
        return status.error();
    return result;
}

gpu::Result<gpu::Evaluation> SessionStore::evaluation(NodeId node)
{
    gpu::Evaluation result;
    const gpu::Status status = m_database.run(
        QStringLiteral("SELECT json FROM evaluation WHERE node=? ORDER BY id DESC LIMIT 1"), {node},
        [&result](const QSqlQuery &query) {
            const json document
                = json::parse(query.value(0).toString().toStdString(), nullptr, false);
            if (!document.is_discarded())
                result = gpu::evaluationFromJson(document);
        });
    if (!status)
        return status.error();
    return result;
}

gpu::Status SessionStore::together(const std::function<gpu::Status()> &work)
{
    return m_database.transaction(work);
}

gpu::Status SessionStore::addNode(
    const NodeRecord &node, const QString &ideaText, const QString &source)
{
    const NodeSummary &s = node.summary;
    return m_database.run(
        QStringLiteral("INSERT INTO node (id, parent, path, kind, state, round, author, title, "
                       "category, message, idea_text, source, created) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        {s.id, s.parent, text(node.path), name(s.kind), name(s.state), s.round, s.author, s.title,
            s.category, s.message, ideaText, source, now()});
}

gpu::Status SessionStore::updateNode(const NodeRecord &node)
{
    const NodeSummary &s = node.summary;
    const bool ended = s.state == NodeState::Done || s.state == NodeState::Lost;
    return m_database.run(
        QStringLiteral("UPDATE node SET state=?, author=?, title=?, category=?, message=?, "
                       "verdict=?, precision=?, device_kind=?, median_us=?, low_us=?, high_us=?, "
                       "checks_passed=?, checks_total=?, pinned=?, excluded=?, archived=?, "
                       "finished=coalesce(finished, ?) WHERE id=?"),
        {name(s.state), s.author, s.title, s.category, s.message, verdictText(s), s.precisionClass,
            node.deviceKind, orNull(s.medianUs), orNull(s.lowUs), orNull(s.highUs), s.checksPassed,
            s.checksTotal, s.pinned, s.excluded, s.archived,
            ended ? QVariant(now()) : QVariant(QMetaType::fromType<QString>()), s.id});
}

gpu::Status SessionStore::setIdea(NodeId node, const QString &ideaText)
{
    return m_database.run(
        QStringLiteral("UPDATE node SET idea_text=? WHERE id=?"), {ideaText, node});
}

gpu::Status SessionStore::setSource(NodeId node, const QString &source)
{
    return m_database.run(QStringLiteral("UPDATE node SET source=? WHERE id=?"), {source, node});
}

gpu::Status SessionStore::addEvaluation(NodeId node, const gpu::Evaluation &evaluation)
{
    return m_database.run(
        QStringLiteral("INSERT INTO evaluation (node, json, ended) VALUES (?, ?, ?)"),
        {node, dumped(gpu::toJson(evaluation)), now()});
}

gpu::Status SessionStore::addEvent(const QString &kind, int round, NodeId node, const QString &text)
{
    return m_database.run(
        QStringLiteral("INSERT INTO event (at, kind, round, node, text) VALUES (?, ?, ?, ?, ?)"),
        {now(), kind, round, node, text});
}

} // namespace core
