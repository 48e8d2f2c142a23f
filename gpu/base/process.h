#pragma once

#include "gpu/base/result.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace gpu {

/// Limits of one child. Zero means "none" for the kernel-enforced ones.
struct ProcessLimits {
    double wallSeconds = 10; ///< of `runProcess` only; a `ChildProcess` has one limit per call
    std::size_t addressSpaceBytes = 0; ///< RLIMIT_AS
    unsigned cpuSeconds = 0; ///< RLIMIT_CPU
    std::size_t outBytes = 256u << 20; ///< standard output kept; more of it ends the child
    std::size_t errBytes = 1u << 20; ///< standard error kept (its tail); more is dropped
    /// The child gets SIGKILL when the *thread* that started it ends, and so when we die.
    bool diesWithStarter = false;
};

/// How a child ended. One of exitCode >= 0 and signal > 0 holds once it was reaped.
struct ProcessEnd {
    int exitCode = -1;
    int signal = 0;
    bool succeeded() const { return exitCode == 0; }
    /// "exited with code 3", "died of signal 11 (Segmentation fault)", "state unknown".
    std::string text() const;
};

/// What `runProcess` saw.
struct ProcessResult {
    ProcessEnd end;
    bool timedOut = false;
    bool cancelled = false;
    bool outTooLong = false; ///< it was ended because it wrote more than `outBytes`
    std::string out, err;
};

/// A child in a session and process group of its own, spoken to line by line.
///
/// Not thread-safe, except `interrupt`. The destructor ends the whole group and reaps the child.
class ChildProcess {
public:
    /// `argv[0]` is a path or a name looked up in PATH. Environment error if it cannot be started.
    static Result<std::unique_ptr<ChildProcess>> start(
        const std::vector<std::string> &argv, const ProcessLimits &limits = {});
    ~ChildProcess();
    ChildProcess(const ChildProcess &) = delete;
    ChildProcess &operator=(const ChildProcess &) = delete;

    enum class Outcome {
        Done,
        TimedOut,
        Ended, ///< the child closed its end or died
        TooLong, ///< a line longer than `outBytes`
        Interrupted
    };
    /// Sends the line and a newline; keeps reading meanwhile, so that neither side can block the
    /// other. A line must not contain a newline itself.
    Outcome writeLine(std::string_view line, double seconds);
    /// The next line without its newline. Text that an ended child left without one is a line too.
    Outcome readLine(std::string &line, double seconds);
    /// End of input for the child.
    void closeInput();
    /// Makes the running or next `writeLine`/`readLine` return `Interrupted`. Any thread.
    void interrupt() { m_interrupted = true; }

    /// False once the child has died. Does not wait.
    bool running();
    /// Waits up to `graceSeconds` for the end, then TERM, then (after as long again) KILL for the
    /// group. Idempotent.
    ProcessEnd stop(double graceSeconds = 0.2);
    pid_t pid() const { return m_pid; }
    /// The last part of what the child wrote to standard error.
    const std::string &errorText() const { return m_err; }

private:
    friend Result<ProcessResult> runProcess(const std::vector<std::string> &, std::string_view,
        const ProcessLimits &, const std::atomic<bool> *);
    ChildProcess() = default;
    bool pump(double seconds);
    void drain(int &fd, bool isError);
    void endInput();
    void reap();

    ProcessLimits m_limits;
    pid_t m_pid = -1;
    ProcessEnd m_end;
    int m_inFd = -1, m_outFd = -1, m_errFd = -1;
    std::string m_pending, m_out, m_err;
    std::size_t m_written = 0; ///< of m_pending
    std::size_t m_searched = 0; ///< of m_out, without a newline
    bool m_tooLong = false;
    std::atomic<bool> m_interrupted{false};
};

/// Runs a program to its end with `input` on standard input. Blocking, at most `wallSeconds` and
/// the time of the kill; `cancel` is looked at every 20 ms. Environment error if it cannot be
/// started.
Result<ProcessResult> runProcess(const std::vector<std::string> &argv, std::string_view input = {},
    const ProcessLimits &limits = {}, const std::atomic<bool> *cancel = nullptr);

} // namespace gpu
