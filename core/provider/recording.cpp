#include "core/provider/recording.h"

#include "core/session/sessionstore.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>

namespace core {

namespace {
using nlohmann::json;

constexpr int Format = 1;
constexpr qint64 MaxReplyBytes = 8 << 20;

gpu::Error fault(const QString &text)
{
    return gpu::callerError(text.toStdString());
}

gpu::Result<QByteArray> readFile(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fault(QStringLiteral("%1 cannot be read: %2.").arg(path, file.errorString()));
    if (file.size() > MaxReplyBytes)
        return fault(QStringLiteral("%1 is larger than %2 MiB; it is no reply of a model.")
                         .arg(path)
                         .arg(MaxReplyBytes >> 20));
    return file.readAll();
}

int numberAt(const json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<int>() : 0;
}

QString textAt(const json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string()
        ? QString::fromStdString(found->get<std::string>())
        : QString();
}

/// Reads entry `n` (from 1, for messages) of a recording's replies.
gpu::Status addReply(Recording &recording, const QDir &folder, const json &entry, int n)
{
    const QString where = QStringLiteral("%1, reply %2: ")
                              .arg(folder.filePath(QStringLiteral("recording.json")))
                              .arg(n);
    if (!entry.is_object())
        return fault(where + QStringLiteral("must be an object."));
    const auto kind = requestKindFromName(textAt(entry, "request"));
    if (!kind)
        return fault(where
            + QStringLiteral("\"request\" must be ideas, implementation or repair, not \"%1\".")
                  .arg(textAt(entry, "request")));
    Request request;
    request.kind = *kind;
    request.round = numberAt(entry, "round");
    request.idea = numberAt(entry, "idea");
    request.branch = numberAt(entry, "branch");
    request.attempt = numberAt(entry, "attempt");
    const bool whole = request.round > 0
        && (*kind == Request::Kind::Ideas || (request.idea > 0 && request.branch > 0))
        && (*kind != Request::Kind::Repair || request.attempt > 0);
    if (!whole)
        return fault(where
            + QStringLiteral("lacks \"round\", \"idea\", \"branch\" or \"attempt\" (they count "
                             "from 1)."));
    const QString file = textAt(entry, "file");
    if (file.isEmpty())
        return fault(where + QStringLiteral("lacks \"file\"."));
    const gpu::Result<QByteArray> text = readFile(folder.filePath(file));
    if (!text)
        return fault(where + QString::fromStdString(text.error().message));
    Reply reply;
    reply.text = QString::fromUtf8(*text);
    reply.model = textAt(entry, "model");
    reply.finishReason = QStringLiteral("stop");
    reply.latencyMs = numberAt(entry, "latency_ms");
    if (const auto usage = entry.find("usage"); usage != entry.end() && usage->is_object())
        reply.usage = {numberAt(*usage, "input"), numberAt(*usage, "cached"),
            numberAt(*usage, "reasoning"), numberAt(*usage, "output"), 0};
    const QString key = recordingKey(request);
    if (recording.replies.contains(key))
        return fault(
            where + QStringLiteral("answers the same request as an earlier one (%1).").arg(key));
    recording.replies.insert(key, reply);
    return gpu::Unit{};
}
} // namespace

QString recordingKey(const Request &request)
{
    NodePath path{request.round, 0, 0, 0, 0};
    if (request.kind != Request::Kind::Ideas) {
        path.idea = request.idea;
        path.branch = request.branch;
    }
    if (request.kind == Request::Kind::Repair)
        path.attempt = request.attempt;
    return name(request.kind) + QLatin1Char(' ') + text(path);
}

const Reply *Recording::find(const Request &request) const
{
    const auto found = replies.constFind(recordingKey(request));
    return found == replies.constEnd() ? nullptr : &*found;
}

gpu::Result<Recording> loadRecording(const QString &folder)
{
    const QDir dir(folder);
    const QString path = dir.filePath(QStringLiteral("recording.json"));
    if (!QFile::exists(path))
        return fault(QStringLiteral("%1 does not exist. A recording is a folder with a "
                                    "recording.json; name one with --provider replay:FOLDER.")
                         .arg(path));
    const gpu::Result<QByteArray> text = readFile(path);
    if (!text)
        return text.error();
    const json document = json::parse(text->begin(), text->end(), nullptr, false);
    if (!document.is_object())
        return fault(QStringLiteral("%1 is not valid JSON.").arg(path));
    if (numberAt(document, "format") != Format)
        return fault(QStringLiteral("%1 has format %2; this program reads format %3.")
                         .arg(path)
                         .arg(numberAt(document, "format"))
                         .arg(Format));
    Recording recording;
    recording.name = dir.absolutePath();
    recording.problem = textAt(document, "problem");
    recording.title = textAt(document, "title");
    recording.rounds = numberAt(document, "rounds");
    recording.ideas = numberAt(document, "ideas");
    recording.branches = numberAt(document, "branches");
    recording.repairs = numberAt(document, "repairs");
    const auto replies = document.find("replies");
    if (replies == document.end() || !replies->is_array() || replies->empty())
        return fault(QStringLiteral("%1 lists no \"replies\".").arg(path));
    int n = 0;
    for (const json &entry : *replies) {
        if (gpu::Status status = addReply(recording, dir, entry, ++n); !status)
            return status.error();
    }
    return recording;
}

gpu::Result<Recording> recordingFromSession(const QString &sessionFile)
{
    SessionStore store;
    if (gpu::Status status = store.openForReading(sessionFile); !status)
        return status.error();
    gpu::Result<SessionHead> head = store.head();
    if (!head)
        return head.error();
    gpu::Result<QList<CallRecord>> calls = store.calls();
    if (!calls)
        return calls.error();
    Recording recording;
    recording.name = sessionFile;
    recording.problem = QString::fromStdString(head->problem.id);
    recording.rounds = head->config.rounds;
    recording.ideas = head->config.ideas;
    recording.branches = head->config.branches;
    recording.repairs = head->config.repairs;
    for (const CallRecord &call : *calls) {
        if (!call.error.isEmpty())
            continue;
        Reply reply = call.reply;
        reply.usage.costUsd = 0; // paid for once
        recording.replies.insert(recordingKey(call.request), reply);
    }
    if (recording.replies.isEmpty())
        return fault(QStringLiteral("%1 holds no replies to replay.").arg(sessionFile));
    return recording;
}

} // namespace core
