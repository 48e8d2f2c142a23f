#pragma once

#include "core/evaluation/evaluator.h"

#include <nlohmann/json_fwd.hpp>

#include <QMap>
#include <QTimer>

namespace core {

class WorkerProcess;

/// Limits on every wait for a worker, milliseconds.
struct WorkerLimits {
    int helloMs = 30'000; ///< an ssh login may be slow
    int loadMs = 600'000; ///< yardsticks are computed at load
    int silenceMs = 900'000; ///< no event at all while something is in flight
    int backOffMs = 200; ///< before the first restart, then five times as long
    int restarts = 2; ///< in a row, without any result between
    int culprits = 3; ///< candidates in a row that each killed it twice: then it is the worker
    qsizetype lineBytes = 64 << 20; ///< longer than any answer: PTX of a large kernel is a few MB
};

/// Speaks gpu/protocol/PROTOCOL.md with an espalier-worker. Restarts one that dies, and sends again
/// what was in flight, one at a time: so the request that kills it is known, and ends as
/// `environment_error` after the second death, while the others are not harmed.
class WorkerClient : public Evaluator {
    Q_OBJECT
public:
    explicit WorkerClient(
        const QString &command, const WorkerLimits &limits = {}, QObject *parent = nullptr);
    ~WorkerClient() override;

    void start(const gpu::Problem &problem) override;
    /// Without a problem: `started` follows the hello.
    void probe();
    quint64 evaluate(const EvaluationRequest &request) override;
    quint64 compare(const EvaluationRequest &a, const EvaluationRequest &b) override;
    quint64 assemble(const EvaluationRequest &request, const QString &form) override;
    void cancel(quint64 ticket) override;
    void shutDown() override;

private:
    enum class Phase { Off, Hello, Load, Ready, BackOff };
    struct Job {
        EvaluationRequest request;
        std::optional<EvaluationRequest> rival; ///< set: run-off, `request` is A
        QString form; ///< not empty: assembly
        int deaths = 0; ///< of workers while this was in flight
        bool sent = false;
    };

    void launch();
    void receive(const QByteArray &line);
    void receiveHello(const nlohmann::json &message);
    void succeeded();
    void receiveResult(quint64 ticket, const nlohmann::json &message);
    void receiveError(quint64 ticket, const nlohmann::json &message);
    void died(const QString &reason);
    void giveUp(const QString &message, gpu::Blame blame);
    void sendWaiting();
    void send(quint64 ticket, Job &job);
    bool isolating() const;
    void complete(quint64 ticket);

    QString m_command;
    WorkerLimits m_limits;
    WorkerProcess *m_process = nullptr;
    Phase m_phase = Phase::Off;
    QByteArray m_problem; ///< its JSON; empty: only probing
    std::string m_problemId;
    QString m_key;
    DeviceInfo m_device;
    bool m_announced = false;
    QMap<quint64, Job> m_jobs; ///< in the order they came
    quint64 m_nextTicket = 1; ///< ticket n travels as id n + 1; the load as id 1
    int m_failuresInARow = 0, m_culpritsInARow = 0;
    int m_garbageLines = 0;
    QTimer m_watchdog;
};

} // namespace core
