#include "core/session/sessionlock.h"

#include <QFile>
#include <QLockFile>

namespace core {

SessionLock::SessionLock() = default;
SessionLock::~SessionLock() = default;

gpu::Status SessionLock::acquire(const QString &sessionFile)
{
    const QString path = sessionFile + QStringLiteral(".lock");
    auto lock = std::make_unique<QLockFile>(path);
    // No age makes a lock stale: a search may run for days. A dead holder is found by its id.
    lock->setStaleLockTime(0);
    if (lock->tryLock(0)) {
        m_lock = std::move(lock);
        return gpu::Unit{};
    }
    if (lock->error() == QLockFile::LockFailedError) {
        qint64 pid = 0;
        QString host, program;
        lock->getLockInfo(&pid, &host, &program);
        return gpu::environmentError(
            QStringLiteral("%1 is open in another process (%2, process %3 on "
                           "%4). Close it there, or, if that process is "
                           "gone, delete %5. `espalier show` and `export` "
                           "work meanwhile.")
                .arg(sessionFile, program)
                .arg(pid)
                .arg(host, path)
                .toStdString());
    }
    return gpu::environmentError(
        QStringLiteral("Cannot write %1, which is needed to work on the session. Check that its "
                       "folder exists, can be written and has space.")
            .arg(path)
            .toStdString());
}

void SessionLock::release()
{
    m_lock.reset();
}

} // namespace core
