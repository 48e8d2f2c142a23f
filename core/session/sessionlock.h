#pragma once

#include "gpu/base/result.h"

#include <QString>

#include <memory>

class QLockFile;

namespace core {

/// Held by the one process that may write a session: a file beside it with process id and host.
/// The lock of a process that was killed is taken over; one of another host never is by itself.
class SessionLock {
public:
    SessionLock();
    ~SessionLock();

    /// Environment error that names the holder if another process has the session.
    gpu::Status acquire(const QString &sessionFile);
    void release();

private:
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace core
