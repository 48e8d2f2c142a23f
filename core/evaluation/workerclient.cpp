#include "core/evaluation/workerclient.h"

#include "core/evaluation/commandtemplate.h"
#include "core/evaluation/workerprocess.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {
using nlohmann::json;

constexpr int Protocol = 1;
constexpr quint64 LoadId = 1;
/// Some noise before or between events is forgiven (an ssh banner), a flood is not.
constexpr int MaxGarbageLines = 200;

QString textAt(const json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string()
        ? QString::fromStdString(found->get<std::string>())
        : QString();
}

qint64 numberAt(const json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<qint64>() : 0;
}

QStringList textsAt(const json &object, const char *key)
{
    QStringList result;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array())
        return result;
    for (const json &entry : *found) {
        if (entry.is_string())
            result.append(QString::fromStdString(entry.get<std::string>()));
    }
    return result;
}

json candidateOf(const EvaluationRequest &request)
{
    json candidate{{"source", request.source.toStdString()}};
    if (!request.tunables.empty())
        candidate["tunables"] = request.tunables;
    return candidate;
}

QByteArray dumped(const json &document)
{
    return QByteArray::fromStdString(document.dump(-1, ' ', false, json::error_handler_t::replace));
}
} // namespace

WorkerClient::WorkerClient(const QString &command, const WorkerLimits &limits, QObject *parent)
    : Evaluator(parent)
    , m_command(command)
    , m_limits(limits)
{
    m_watchdog.setSingleShot(true);
    connect(&m_watchdog, &QTimer::timeout, this, [this] {
        const QString waited = m_phase == Phase::Hello ? QStringLiteral("its hello")
            : m_phase == Phase::Load                   ? QStringLiteral("the problem to load")
                                                       : QStringLiteral("any event");
        died(QStringLiteral("it was given up after %1 s of waiting for %2")
                 .arg(m_watchdog.interval() / 1000.0)
                 .arg(waited));
    });
}

WorkerClient::~WorkerClient()
{
    shutDown();
}

void WorkerClient::start(const gpu::Problem &problem)
{
    m_problem = dumped(gpu::toJson(problem));
    m_problemId = problem.id;
    m_failuresInARow = 0;
    m_announced = false;
    launch();
}

void WorkerClient::probe()
{
    m_problem.clear();
    m_failuresInARow = 0;
    m_announced = false;
    launch();
}

void WorkerClient::launch()
{
    const gpu::Result<QStringList> command = splitCommand(m_command);
    if (!command) {
        // Never from inside `start`: the caller has not yet returned to its event loop.
        QTimer::singleShot(0, this, [this, error = command.error()] {
            giveUp(QString::fromStdString(error.message), error.blame);
        });
        return;
    }
    m_phase = Phase::Hello;
    m_garbageLines = 0;
    m_process = new WorkerProcess(m_limits.lineBytes, this);
    connect(m_process, &WorkerProcess::lineReceived, this, &WorkerClient::receive);
    connect(m_process, &WorkerProcess::ended, this, &WorkerClient::died, Qt::QueuedConnection);
    m_watchdog.start(m_limits.helloMs);
    m_process->start(*command);
}

void WorkerClient::shutDown()
{
    m_phase = Phase::Off;
    m_watchdog.stop();
    m_jobs.clear();
    if (m_process) {
        disconnect(m_process, nullptr, this, nullptr);
        m_process->endLater();
        m_process = nullptr;
    }
}

quint64 WorkerClient::evaluate(const EvaluationRequest &request)
{
    const quint64 ticket = m_nextTicket++;
    m_jobs.insert(ticket, {request, {}, {}});
    sendWaiting();
    return ticket;
}

quint64 WorkerClient::compare(const EvaluationRequest &a, const EvaluationRequest &b)
{
    const quint64 ticket = m_nextTicket++;
    m_jobs.insert(ticket, {a, b, {}});
    sendWaiting();
    return ticket;
}

quint64 WorkerClient::assemble(const EvaluationRequest &request, const QString &form)
{
    const quint64 ticket = m_nextTicket++;
    m_jobs.insert(ticket, {request, {}, form});
    sendWaiting();
    return ticket;
}

void WorkerClient::cancel(quint64 ticket)
{
    const auto job = m_jobs.find(ticket);
    if (job == m_jobs.end())
        return;
    if (job->sent && m_process)
        m_process->send(dumped(
            {{"id", m_nextTicket++ + LoadId}, {"op", "cancel"}, {"target", ticket + LoadId}}));
    m_jobs.erase(job);
    QMetaObject::invokeMethod(
        this, [this, ticket] { Q_EMIT cancelled(ticket); }, Qt::QueuedConnection);
    sendWaiting();
}

bool WorkerClient::isolating() const
{
    return std::any_of(
        m_jobs.cbegin(), m_jobs.cend(), [](const Job &job) { return job.deaths > 0; });
}

void WorkerClient::sendWaiting()
{
    if (m_phase != Phase::Ready)
        return;
    if (isolating()) {
        const bool busy
            = std::any_of(m_jobs.cbegin(), m_jobs.cend(), [](const Job &job) { return job.sent; });
        if (busy)
            return;
        for (auto job = m_jobs.begin(); job != m_jobs.end(); ++job) {
            if (job->deaths > 0) {
                send(job.key(), *job);
                return;
            }
        }
    }
    for (auto job = m_jobs.begin(); job != m_jobs.end(); ++job) {
        if (!job->sent)
            send(job.key(), *job);
    }
}

void WorkerClient::send(quint64 ticket, Job &job)
{
    json message = job.rival ? json{{"a", candidateOf(job.request)}, {"b", candidateOf(*job.rival)}}
                             : candidateOf(job.request);
    message["id"] = ticket + LoadId;
    message["problem"] = m_key.toStdString();
    message["size"] = job.request.size.toStdString();
    if (job.rival) {
        message["op"] = "compare";
    } else if (job.form.isEmpty()) {
        message["op"] = "evaluate";
        message["time"] = true;
    } else {
        message["op"] = "assembly";
        message["form"] = job.form.toStdString();
    }
    job.sent = true;
    m_process->send(dumped(message));
    m_watchdog.start(m_limits.silenceMs);
}

void WorkerClient::receive(const QByteArray &line)
{
    if (sender() != m_process)
        return;
    const json message = json::parse(line.begin(), line.end(), nullptr, false);
    const QString event = message.is_object() ? textAt(message, "event") : QString();
    if (event.isEmpty()) {
        if (++m_garbageLines > MaxGarbageLines) {
            died(QStringLiteral("it does not speak the worker's protocol; it wrote: %1")
                     .arg(QString::fromUtf8(line.left(200))));
        }
        return;
    }
    if (m_phase == Phase::Hello) {
        if (event == QLatin1String("hello"))
            receiveHello(message);
        return;
    }
    const auto id = static_cast<quint64>(numberAt(message, "id"));
    if (m_phase == Phase::Load && id == LoadId) {
        if (event == QLatin1String("loaded")) {
            m_key = textAt(message, "key");
            m_phase = Phase::Ready;
            m_watchdog.stop();
            if (!m_announced) {
                m_announced = true;
                Q_EMIT started(m_device);
            }
            sendWaiting();
        } else if (event == QLatin1String("error")) {
            const bool callers = textAt(message, "blame") == QLatin1String("caller");
            giveUp(
                textAt(message, "message"), callers ? gpu::Blame::Caller : gpu::Blame::Environment);
        }
        return;
    }
    const quint64 ticket = id - LoadId;
    if (!m_jobs.contains(ticket))
        return; // cancelled here while the worker was answering
    m_watchdog.start(m_limits.silenceMs);
    if (event == QLatin1String("stage")) {
        Q_EMIT stageChanged(ticket, textAt(message, "stage"),
            static_cast<int>(numberAt(message, "done")),
            static_cast<int>(numberAt(message, "total")));
    } else if (event == QLatin1String("result")) {
        receiveResult(ticket, message);
    } else if (event == QLatin1String("compared")) {
        complete(ticket);
        succeeded();
        Q_EMIT compared(ticket, gpu::runOffAnswerFromJson(message), {});
        sendWaiting();
    } else if (event == QLatin1String("assembly")) {
        complete(ticket);
        Q_EMIT assembled(ticket, textAt(message, "text"), {});
        sendWaiting();
    } else if (event == QLatin1String("cancelled")) {
        complete(ticket);
        Q_EMIT cancelled(ticket);
        sendWaiting();
    } else if (event == QLatin1String("error")) {
        receiveError(ticket, message);
    }
}

void WorkerClient::receiveHello(const json &message)
{
    if (numberAt(message, "protocol") != Protocol) {
        giveUp(QStringLiteral("The worker `%1` speaks protocol %2, this program %3. Install the "
                              "espalier-worker of the same version.")
                   .arg(m_command)
                   .arg(numberAt(message, "protocol"))
                   .arg(Protocol),
            gpu::Blame::Environment);
        return;
    }
    const auto found = message.find("device");
    const json device = found != message.end() && found->is_object() ? *found : json::object();
    m_device = {textAt(device, "kind"), textAt(device, "id"), textAt(device, "name"),
        textAt(device, "architecture"), static_cast<int>(numberAt(device, "sm_count")),
        numberAt(device, "max_shared"), numberAt(device, "memory_bytes"),
        textAt(message, "version"), textAt(message, "compiler"), textsAt(message, "missing"),
        textsAt(message, "warnings")};
    if (m_problem.isEmpty()) {
        m_phase = Phase::Ready;
        m_watchdog.stop();
        Q_EMIT started(m_device);
        return;
    }
    if (m_device.compiler.isEmpty()) {
        giveUp(m_device.missing.isEmpty()
                ? QStringLiteral("The worker `%1` has no CUDA compiler (NVRTC).").arg(m_command)
                : m_device.missing.join(QLatin1Char(' ')),
            gpu::Blame::Environment);
        return;
    }
    if (!m_announced) {
        for (const QString &warning : m_device.warnings)
            Q_EMIT warned(warning);
    }
    m_phase = Phase::Load;
    m_watchdog.start(m_limits.loadMs);
    m_process->send("{\"id\":1,\"op\":\"load\",\"problem\":" + m_problem + '}');
}

void WorkerClient::complete(quint64 ticket)
{
    m_jobs.remove(ticket);
    const bool waiting
        = std::any_of(m_jobs.cbegin(), m_jobs.cend(), [](const Job &job) { return job.sent; });
    if (!waiting)
        m_watchdog.stop();
}

void WorkerClient::succeeded()
{
    m_failuresInARow = 0;
    m_culpritsInARow = 0;
}

void WorkerClient::receiveResult(quint64 ticket, const json &message)
{
    const auto found = message.find("evaluation");
    if (found == message.end() || !found->is_object()) {
        receiveError(ticket, {{"message", "the worker sent a result without an evaluation"}});
        return;
    }
    complete(ticket);
    succeeded();
    Q_EMIT evaluated(ticket, gpu::evaluationFromJson(*found));
    sendWaiting();
}

void WorkerClient::receiveError(quint64 ticket, const json &message)
{
    const Job job = m_jobs.value(ticket);
    complete(ticket);
    const QString text = textAt(message, "message");
    if (job.rival) {
        Q_EMIT compared(ticket, {}, text);
    } else if (!job.form.isEmpty()) {
        Q_EMIT assembled(ticket, {}, text);
    } else {
        gpu::Evaluation evaluation;
        evaluation.verdict = gpu::Verdict::EnvironmentError;
        evaluation.message = text.toStdString();
        evaluation.problem = m_problemId;
        evaluation.deviceKind = m_device.kind.toStdString();
        evaluation.deviceName = m_device.name.toStdString();
        evaluation.size = job.request.size.toStdString();
        Q_EMIT evaluated(ticket, evaluation);
    }
    sendWaiting();
}

void WorkerClient::died(const QString &reason)
{
    if (m_phase == Phase::Off || m_phase == Phase::BackOff)
        return;
    if (sender() != m_process && qobject_cast<WorkerProcess *>(sender()))
        return; // the end of an earlier one, told late
    const QString tail = m_process->errorTail();
    const QString whole
        = tail.isEmpty() ? reason : QStringLiteral("%1. Its last words: %2").arg(reason, tail);
    const bool wasReady = m_phase == Phase::Ready;
    m_process->kill();
    m_process->endLater();
    m_process = nullptr;
    m_watchdog.stop();
    m_phase = Phase::BackOff;

    QList<quint64> twiceDead;
    for (auto job = m_jobs.begin(); job != m_jobs.end(); ++job) {
        if (!job->sent)
            continue;
        job->sent = false;
        if (++job->deaths >= 2)
            twiceDead.append(job.key());
    }
    // A death that has its culprit says nothing against the worker itself.
    const bool explained = wasReady && !twiceDead.isEmpty();
    if (explained)
        ++m_culpritsInARow;
    else
        ++m_failuresInARow;
    if (m_failuresInARow > m_limits.restarts || m_culpritsInARow > m_limits.culprits) {
        giveUp(QStringLiteral("The worker `%1` keeps failing: %2. Run it by hand to see why; it "
                              "should write one hello line.")
                   .arg(m_command, whole),
            gpu::Blame::Environment);
        return;
    }
    Q_EMIT warned(QStringLiteral("The worker is started again: %1.").arg(whole));
    int wait = m_limits.backOffMs;
    for (int i = 1; i < m_failuresInARow; ++i)
        wait *= 5;
    QTimer::singleShot(wait, this, [this] {
        if (m_phase == Phase::BackOff)
            launch();
    });
    for (const quint64 ticket : twiceDead) {
        receiveError(ticket,
            {{"message",
                QStringLiteral("The worker died twice while it evaluated this: %1. It was not "
                               "judged; evaluate it again once the worker is mended.")
                    .arg(whole)
                    .toStdString()}});
    }
}

void WorkerClient::giveUp(const QString &message, gpu::Blame blame)
{
    shutDown();
    Q_EMIT failed(message, blame);
}

} // namespace core
