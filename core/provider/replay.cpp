#include "core/provider/replay.h"

#include <QTimer>

namespace core {

ReplayProvider::ReplayProvider(Recording recording, double pace, QObject *parent)
    : Provider(parent)
    , m_recording(std::move(recording))
    , m_pace(pace)
{
}

QString ReplayProvider::refusal(const Request &request) const
{
    if (m_recording.find(request))
        return {};
    return QStringLiteral("The recording %1 ends here: it has no reply to `%2`. Add one to its "
                          "recording.json, ask for less, or use another provider.")
        .arg(m_recording.name, recordingKey(request));
}

quint64 ReplayProvider::ask(const Request &request)
{
    const quint64 ticket = m_nextTicket++;
    m_pending.insert(ticket);
    const Reply *reply = m_recording.find(request);
    const int wait = reply ? static_cast<int>(reply->latencyMs * m_pace) : 0;
    const QString refused = refusal(request);
    QTimer::singleShot(wait, this, [this, ticket, refused, reply = reply ? *reply : Reply{}] {
        if (!m_pending.remove(ticket))
            return;
        if (refused.isEmpty())
            Q_EMIT replied(ticket, reply);
        else
            Q_EMIT failed(ticket, refused);
    });
    return ticket;
}

void ReplayProvider::cancel(quint64 ticket)
{
    m_pending.remove(ticket);
}

} // namespace core
