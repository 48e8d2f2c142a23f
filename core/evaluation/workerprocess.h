#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QStringList>

namespace core {

/// One run of a worker program: whole lines out of its standard output, lines into its standard
/// input, the end of its standard error kept. Runs as its own process group, which is ended as one.
/// Lives on the engine's thread.
class WorkerProcess : public QObject {
    Q_OBJECT
public:
    explicit WorkerProcess(qsizetype maxLineBytes, QObject *parent = nullptr);
    /// Ends the group at once.
    ~WorkerProcess() override;

    void start(const QStringList &command);
    void send(const QByteArray &line);
    /// Asks it to quit, then TERM, then KILL to the group, on timers; deletes itself when done.
    void endLater();
    /// KILL to the group now: for a worker that hangs. `ended` follows.
    void kill();
    /// The last lines it wrote on standard error.
    QString errorTail() const;

Q_SIGNALS:
    void lineReceived(const QByteArray &line);
    /// Once: it could not start, or exited, or broke the protocol beyond use.
    void ended(const QString &reason);

private:
    void readOutput();
    void keepErrors();
    void end(const QString &reason);
    void signalGroup(int number);

    qsizetype m_maxLineBytes;
    QProcess m_process;
    QByteArray m_buffer;
    QByteArray m_errors;
    qint64 m_group = 0;
    bool m_ended = false;
    bool m_ending = false;
};

} // namespace core
