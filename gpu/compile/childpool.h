#pragma once

#include "gpu/base/process.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gpu {

/// A compile child that has said hello and waits for its one job.
struct ReadyChild {
    std::unique_ptr<ChildProcess> process;
    std::string version; ///< of NVRTC
};

/// Starts compile children ahead of their jobs, so that a job does not wait for a process to start,
/// load NVRTC's 110 MB and warm up. Any thread.
class ChildPool {
public:
    /// `spare` children are kept ready once the first was taken.
    ChildPool(std::vector<std::string> command, ProcessLimits limits, std::size_t spare);
    ~ChildPool();

    /// A ready child: a spare one or a new one. Environment error if a new one does not come up.
    Result<ReadyChild> take();
    /// Starts one without using the spares.
    Result<ReadyChild> start() const;

private:
    void refill();

    const std::vector<std::string> m_command;
    const ProcessLimits m_limits;
    const std::size_t m_spare;
    std::mutex m_mutex;
    std::condition_variable m_taken;
    std::deque<ReadyChild> m_ready;
    bool m_stopping = false;
    // Children die with the thread that started them, so one thread lives as long as the pool.
    std::thread m_starter;
};

} // namespace gpu
