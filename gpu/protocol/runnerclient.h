#pragma once

#include "gpu/base/process.h"
#include "gpu/device/device.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gpu {

/// How a request to the runner ended.
struct RunnerReply {
    enum class End {
        Answered, ///< `message` is its result, probed or error event
        Cancelled, ///< the runner was ended, as cancelled work cannot be told to stop
        Silent, ///< no event for too long; it was ended
        Died, ///< of its own: a crash
        Killed, ///< by SIGKILL from outside: short of memory, or a person
        Unavailable ///< it could not be started
    };
    End end = End::Unavailable;
    nlohmann::json message;
    std::string detail; ///< how it ended, with the last of its standard error
};

/// Limits on a runner.
struct RunnerLimits {
    double helloSeconds = 30;
    /// Between two events. A check's launches have instruction budgets of their own, so silence
    /// means a hang that those do not see.
    double silenceSeconds = 120;
    /// A runner that holds more than this after an evaluation has leaked and is replaced.
    std::uint64_t residentBytes = std::uint64_t{3} << 30;
};

/// The worker's end of a runner child: starts it, replaces it when it faults, hangs, leaks or is
/// killed, and says which. One thread.
class RunnerClient {
public:
    /// `argv` is the command of a runner.
    RunnerClient(std::vector<std::string> argv, const RunnerLimits &limits = {});

    /// Starts it if it is not running. The facts of its device, or what is missing.
    Result<DeviceFacts> start();
    /// `onStage` sees each stage event; when it returns from "time" the runner is told to go.
    /// `cancelled` is looked at every 50 ms.
    RunnerReply ask(const nlohmann::json &request,
        const std::function<void(const nlohmann::json &)> &onStage,
        const std::atomic<bool> &cancelled);
    void stop();
    /// How often it was started.
    int starts() const { return m_starts; }

private:
    RunnerReply end(RunnerReply::End how, const std::string &detail);

    std::vector<std::string> m_argv;
    RunnerLimits m_limits;
    std::unique_ptr<ChildProcess> m_child;
    DeviceFacts m_facts;
    int m_starts = 0;
};

} // namespace gpu
