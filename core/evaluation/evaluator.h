#pragma once

#include "gpu/base/result.h"
#include "gpu/problem/problem.h"
#include "gpu/verify/runoffanswer.h"

#include <QObject>
#include <QString>
#include <QStringList>

namespace core {

/// What a worker says of itself when it starts.
struct DeviceInfo {
    QString kind, id, name, architecture; ///< "cpu" or "cuda"; "cpu", "cuda:0"; …
    int smCount = 0;
    qint64 maxSharedBytes = 0, memoryBytes = 0;
    QString version; ///< of the worker
    QString compiler; ///< empty: there is none, and `missing` says why
    QStringList missing; ///< each with its remedy
    QStringList warnings;
};

struct EvaluationRequest {
    QString source;
    QString size;
    std::map<std::string, double> tunables; ///< empty: the plan's default point
};

/// Compiles, checks and times candidates on one device. Lives on the engine's thread and never
/// blocks it. Each `evaluate`, `compare` or `assemble` is followed by one `evaluated`, `compared`,
/// `assembled` or `cancelled` with its ticket, or by `failed`, after which there is nothing to wait
/// for.
class Evaluator : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Starts the device and loads the problem: `started` or `failed` follows.
    virtual void start(const gpu::Problem &problem) = 0;
    virtual quint64 evaluate(const EvaluationRequest &request) = 0;
    /// Times the two in turn at A's size.
    virtual quint64 compare(const EvaluationRequest &a, const EvaluationRequest &b) = 0;
    /// `form` is "ptx" or "sass".
    virtual quint64 assemble(const EvaluationRequest &request, const QString &form) = 0;
    virtual void cancel(quint64 ticket) = 0;
    /// Ends the device's processes without waiting; `start` may be called again.
    virtual void shutDown() = 0;

Q_SIGNALS:
    void started(const core::DeviceInfo &device);
    /// `stage` as in PROTOCOL.md: queued, compile, check, time, recheck.
    void stageChanged(quint64 ticket, const QString &stage, int done, int total);
    void evaluated(quint64 ticket, const gpu::Evaluation &evaluation);
    /// With an error the two were not compared, and none of them is to blame.
    void compared(quint64 ticket, const gpu::RunOffAnswer &answer, const QString &error);
    /// One of the two is empty.
    void assembled(quint64 ticket, const QString &text, const QString &error);
    void cancelled(quint64 ticket);
    void warned(const QString &text);
    /// The device is lost for good, or the problem is refused (a caller's error).
    void failed(const QString &message, gpu::Blame blame);
};

} // namespace core
