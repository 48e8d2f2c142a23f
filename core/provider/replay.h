#pragma once

#include "core/provider/provider.h"
#include "core/provider/recording.h"

#include <QSet>

namespace core {

/// Answers from a recording, at no cost. A reply comes after its recorded latency times `pace`;
/// 0: as soon as the event loop turns.
class ReplayProvider : public Provider {
    Q_OBJECT
public:
    explicit ReplayProvider(Recording recording, double pace = 0, QObject *parent = nullptr);

    QString name() const override { return QStringLiteral("replay"); }
    QString refusal(const Request &request) const override;
    quint64 ask(const Request &request) override;
    void cancel(quint64 ticket) override;

private:
    Recording m_recording;
    double m_pace;
    quint64 m_nextTicket = 1;
    QSet<quint64> m_pending;
};

} // namespace core
