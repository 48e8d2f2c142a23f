#pragma once

#include <condition_variable>
#include <mutex>

namespace gpu {

/// Lets many compiles or one timing through. On the CPU device a compile takes a core from the
/// kernel that is being timed, so timing waits for running compiles and holds back new ones; a
/// waiting timing goes first, or a stream of compiles would starve it.
class QuietGate {
public:
    void enterShared()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return !m_quiet && m_waiting == 0; });
        ++m_shared;
    }
    void leaveShared()
    {
        const std::lock_guard lock(m_mutex);
        --m_shared;
        m_changed.notify_all();
    }
    void enterQuiet()
    {
        std::unique_lock lock(m_mutex);
        ++m_waiting;
        m_changed.wait(lock, [this] { return !m_quiet && m_shared == 0; });
        --m_waiting;
        m_quiet = true;
    }
    void leaveQuiet()
    {
        const std::lock_guard lock(m_mutex);
        m_quiet = false;
        m_changed.notify_all();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_shared = 0, m_waiting = 0;
    bool m_quiet = false;
};

} // namespace gpu
