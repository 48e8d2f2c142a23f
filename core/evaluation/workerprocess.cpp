#include "core/evaluation/workerprocess.h"

#include <QTimer>

#include <csignal>
#include <unistd.h>

namespace core {

namespace {
constexpr qsizetype KeptErrorBytes = 16 << 10;
constexpr int TermAfterMs = 300;
constexpr int KillAfterMs = 1500;
} // namespace

WorkerProcess::WorkerProcess(qsizetype maxLineBytes, QObject *parent)
    : QObject(parent)
    , m_maxLineBytes(maxLineBytes)
{
    // A group of its own: what the worker started must die with it, whatever state it is in.
    m_process.setChildProcessModifier([] { ::setpgid(0, 0); });
    connect(&m_process, &QProcess::started, this, [this] { m_group = m_process.processId(); });
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &WorkerProcess::readOutput);
    connect(&m_process, &QProcess::readyReadStandardError, this, &WorkerProcess::keepErrors);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(QStringLiteral("%1 could not be started: %2")
                    .arg(m_process.program(), m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        keepErrors();
        readOutput();
        end(status == QProcess::CrashExit
                ? QStringLiteral("%1 was ended by a signal").arg(m_process.program())
                : QStringLiteral("%1 exited with code %2").arg(m_process.program()).arg(code));
    });
}

WorkerProcess::~WorkerProcess()
{
    m_process.disconnect(this);
    if (m_process.state() != QProcess::NotRunning) {
        signalGroup(SIGKILL);
        m_process.kill();
        m_process.waitForFinished(1000);
    }
}

void WorkerProcess::start(const QStringList &command)
{
    m_process.start(command.first(), command.mid(1));
}

void WorkerProcess::send(const QByteArray &line)
{
    if (m_process.state() != QProcess::NotRunning)
        m_process.write(line + '\n');
}

void WorkerProcess::signalGroup(int number)
{
    if (m_group > 0)
        ::kill(static_cast<pid_t>(-m_group), number);
}

void WorkerProcess::kill()
{
    signalGroup(SIGKILL);
    m_process.kill();
}

void WorkerProcess::endLater()
{
    if (m_ending)
        return;
    m_ending = true;
    disconnect(this, &WorkerProcess::lineReceived, nullptr, nullptr);
    disconnect(this, &WorkerProcess::ended, nullptr, nullptr);
    if (m_process.state() == QProcess::NotRunning) {
        deleteLater();
        return;
    }
    connect(&m_process, &QProcess::finished, this, [this] {
        signalGroup(SIGKILL); // children that outlived it
        deleteLater();
    });
    send("{\"op\":\"quit\"}");
    m_process.closeWriteChannel();
    QTimer::singleShot(TermAfterMs, this, [this] { signalGroup(SIGTERM); });
    QTimer::singleShot(KillAfterMs, this, [this] { kill(); });
}

QString WorkerProcess::errorTail() const
{
    return QString::fromUtf8(m_errors).trimmed().right(2000);
}

void WorkerProcess::keepErrors()
{
    m_errors += m_process.readAllStandardError();
    m_errors = m_errors.right(KeptErrorBytes);
}

void WorkerProcess::readOutput()
{
    // A long line comes in many pieces: what was searched for its end is not searched again.
    const qsizetype searched = m_buffer.size();
    m_buffer += m_process.readAllStandardOutput();
    qsizetype begin = 0;
    for (qsizetype end = m_buffer.indexOf('\n', searched); end >= 0 && !m_ended;
         end = m_buffer.indexOf('\n', begin)) {
        const QByteArray line = m_buffer.mid(begin, end - begin).trimmed();
        begin = end + 1;
        if (!line.isEmpty())
            Q_EMIT lineReceived(line);
    }
    m_buffer.remove(0, begin);
    if (m_buffer.size() > m_maxLineBytes) {
        m_buffer.clear();
        kill();
        end(QStringLiteral("%1 wrote a line of over %2 MiB")
                .arg(m_process.program())
                .arg(m_maxLineBytes >> 20));
    }
}

void WorkerProcess::end(const QString &reason)
{
    if (m_ended)
        return;
    m_ended = true;
    signalGroup(SIGKILL);
    Q_EMIT ended(reason);
}

} // namespace core
