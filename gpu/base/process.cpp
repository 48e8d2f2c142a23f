#include "gpu/base/process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gpu {

namespace {
using Clock = std::chrono::steady_clock;

constexpr double CancelPollSeconds = 0.02;

Clock::time_point deadlineAfter(double seconds)
{
    // Clamped: a huge or NaN limit must not overflow the clock.
    const double clamped = seconds > 0 ? std::min(seconds, 1e7) : 0;
    return Clock::now()
        + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(clamped));
}

double secondsUntil(Clock::time_point deadline)
{
    return std::chrono::duration<double>(deadline - Clock::now()).count();
}

void closeFd(int &fd)
{
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

struct Pipes {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, status[2] = {-1, -1};

    bool open()
    {
        // A socket for standard input: MSG_NOSIGNAL spares us SIGPIPE when the child is gone.
        return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0
            && ::pipe2(out, O_CLOEXEC) == 0 && ::pipe2(err, O_CLOEXEC) == 0
            && ::pipe2(status, O_CLOEXEC) == 0;
    }
    ~Pipes()
    {
        for (int *pair : {in, out, err, status}) {
            closeFd(pair[0]);
            closeFd(pair[1]);
        }
    }
};

void setLimit(int resource, rlim_t value)
{
    const rlimit limit{value, value};
    ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

/// Between fork and exec only async-signal-safe calls: other threads of ours may hold locks.
[[noreturn]] void becomeChild(
    char *const *argv, const Pipes &pipes, const ProcessLimits &limits, pid_t parent)
{
    ::setsid();
    if (limits.diesWithStarter) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent)
            ::_exit(127);
    }
    for (int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGQUIT})
        ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    setLimit(RLIMIT_CORE, 0);
    if (limits.addressSpaceBytes)
        setLimit(RLIMIT_AS, limits.addressSpaceBytes);
    if (limits.cpuSeconds)
        setLimit(RLIMIT_CPU, limits.cpuSeconds);
    // The libraries we link may hold descriptors that are not CLOEXEC.
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    if (::dup2(pipes.in[1], 0) >= 0 && ::dup2(pipes.out[1], 1) >= 0 && ::dup2(pipes.err[1], 2) >= 0)
        ::execvp(argv[0], argv);
    const int code = errno;
    [[maybe_unused]] const ssize_t n = ::write(pipes.status[1], &code, sizeof code);
    ::_exit(127);
}

ProcessEnd endFromStatus(int status)
{
    ProcessEnd end;
    if (WIFEXITED(status))
        end.exitCode = WEXITSTATUS(status);
    else if (WIFSIGNALED(status))
        end.signal = WTERMSIG(status);
    return end;
}
} // namespace

std::string ProcessEnd::text() const
{
    if (exitCode >= 0)
        return "exited with code " + std::to_string(exitCode);
    if (signal > 0)
        return "died of signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    return "ended in an unknown state";
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(
    const std::vector<std::string> &argv, const ProcessLimits &limits)
{
    if (argv.empty())
        return callerError("No program to start: the command is empty.");
    Pipes pipes;
    if (!pipes.open())
        return environmentError("Cannot start " + argv[0] + ": no pipe (" + std::strerror(errno)
            + "). Close other programs or raise the limit of open files (ulimit -n).");
    std::vector<char *> raw;
    for (const std::string &arg : argv)
        raw.push_back(const_cast<char *>(arg.c_str()));
    raw.push_back(nullptr);

    std::unique_ptr<ChildProcess> child(new ChildProcess);
    child->m_limits = limits;
    const pid_t parent = ::getpid();
    child->m_pid = ::fork();
    if (child->m_pid == 0)
        becomeChild(raw.data(), pipes, limits, parent);
    if (child->m_pid < 0)
        return environmentError("Cannot start " + argv[0] + ": fork failed (" + std::strerror(errno)
            + "). The machine is out of memory or processes.");

    for (int *pair : {pipes.in, pipes.out, pipes.err, pipes.status})
        closeFd(pair[1]);
    int code = 0;
    ssize_t n = 0;
    do
        n = ::read(pipes.status[0], &code, sizeof code);
    while (n < 0 && errno == EINTR);
    if (n == sizeof code) {
        child->reap();
        return environmentError("Cannot start " + argv[0] + ": " + std::strerror(code)
            + ". Check that the program is there and may be executed.");
    }
    child->m_inFd = std::exchange(pipes.in[0], -1);
    child->m_outFd = std::exchange(pipes.out[0], -1);
    child->m_errFd = std::exchange(pipes.err[0], -1);
    for (int fd : {child->m_inFd, child->m_outFd, child->m_errFd})
        ::fcntl(fd, F_SETFL, O_NONBLOCK);
    return child;
}

ChildProcess::~ChildProcess()
{
    stop(0.05);
    closeFd(m_inFd);
    closeFd(m_outFd);
    closeFd(m_errFd);
}

/// Looks without reaping: the zombie keeps the group's id from being taken by a stranger until
/// `stop` has killed the group.
bool ChildProcess::running()
{
    if (m_pid <= 0)
        return false;
    siginfo_t info{};
    const int result
        = ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 && info.si_pid == 0;
}

void ChildProcess::reap()
{
    int status = 0;
    pid_t result = 0;
    do
        result = ::waitpid(m_pid, &status, 0);
    while (result < 0 && errno == EINTR);
    // ECHILD: somebody else reaped it; the end stays "unknown".
    if (result == m_pid)
        m_end = endFromStatus(status);
    m_pid = -1;
}

void ChildProcess::drain(int &fd, bool isError)
{
    char buffer[65536];
    while (fd >= 0) {
        if (!isError && m_out.size() > m_limits.outBytes) {
            m_tooLong = true;
            return;
        }
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n > 0) {
            std::string &text = isError ? m_err : m_out;
            text.append(buffer, static_cast<std::size_t>(n));
            if (isError && m_err.size() > 2 * m_limits.errBytes)
                m_err.erase(0, m_err.size() - m_limits.errBytes);
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            closeFd(fd);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

void ChildProcess::endInput()
{
    closeFd(m_inFd);
    m_pending.clear();
    m_written = 0;
}

/// Moves bytes both ways for at most `seconds`; returns at the first progress. False: nothing
/// moved.
bool ChildProcess::pump(double seconds)
{
    pollfd fds[3] = {{m_written < m_pending.size() ? m_inFd : -1, POLLOUT, 0}, {m_outFd, POLLIN, 0},
        {m_errFd, POLLIN, 0}};
    const int timeoutMs = static_cast<int>(std::max(0.0, std::min(seconds, 1000.0)) * 1000 + 0.999);
    if (::poll(fds, 3, timeoutMs) <= 0)
        return false;
    if (fds[0].revents) {
        const ssize_t n = ::send(
            m_inFd, m_pending.data() + m_written, m_pending.size() - m_written, MSG_NOSIGNAL);
        if (n > 0)
            m_written += static_cast<std::size_t>(n);
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            endInput();
    }
    if (fds[1].revents)
        drain(m_outFd, false);
    if (fds[2].revents)
        drain(m_errFd, true);
    return true;
}

ChildProcess::Outcome ChildProcess::writeLine(std::string_view line, double seconds)
{
    const Clock::time_point deadline = deadlineAfter(seconds);
    m_pending.erase(0, m_written);
    m_written = 0;
    m_pending.append(line);
    m_pending.push_back('\n');
    while (m_inFd >= 0 && m_written < m_pending.size()) {
        if (m_interrupted.exchange(false))
            return Outcome::Interrupted;
        if (m_tooLong)
            return Outcome::TooLong;
        const double left = secondsUntil(deadline);
        if (left < 0)
            return Outcome::TimedOut;
        pump(std::min(left, CancelPollSeconds));
    }
    return m_inFd >= 0 ? Outcome::Done : Outcome::Ended;
}

ChildProcess::Outcome ChildProcess::readLine(std::string &line, double seconds)
{
    const Clock::time_point deadline = deadlineAfter(seconds);
    bool wasRunning = true;
    while (true) {
        const std::size_t end = m_out.find('\n', m_searched);
        if (end != std::string::npos) {
            line.assign(m_out, 0, end);
            m_out.erase(0, end + 1);
            m_searched = 0;
            m_tooLong = false;
            return Outcome::Done;
        }
        m_searched = m_out.size();
        if (m_tooLong)
            return Outcome::TooLong;
        // A grandchild may hold the pipe open after the child has died.
        if (m_outFd < 0 || !wasRunning) {
            m_searched = 0;
            line = std::exchange(m_out, {});
            return line.empty() ? Outcome::Ended : Outcome::Done;
        }
        if (m_interrupted.exchange(false))
            return Outcome::Interrupted;
        const double left = secondsUntil(deadline);
        if (left < 0)
            return Outcome::TimedOut;
        if (!pump(std::min(left, CancelPollSeconds)) && !running()) {
            wasRunning = false;
            drain(m_outFd, false);
            drain(m_errFd, true);
        }
    }
}

void ChildProcess::closeInput()
{
    endInput();
}

ProcessEnd ChildProcess::stop(double graceSeconds)
{
    if (m_pid <= 0)
        return m_end;
    const auto waitFor = [this](double seconds) {
        const Clock::time_point deadline = deadlineAfter(seconds);
        while (running()) {
            if (secondsUntil(deadline) < 0)
                return false;
            // It may be blocked in a write to us.
            if (!pump(0.002))
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            m_tooLong = false;
            if (m_out.size() > m_limits.outBytes)
                m_out.clear();
        }
        return true;
    };
    endInput();
    if (!waitFor(graceSeconds)) {
        ::kill(-m_pid, SIGTERM);
        waitFor(std::max(graceSeconds, 0.05));
    }
    ::kill(-m_pid, SIGKILL);
    reap();
    drain(m_outFd, false);
    drain(m_errFd, true);
    return m_end;
}

Result<ProcessResult> runProcess(const std::vector<std::string> &argv, std::string_view input,
    const ProcessLimits &limits, const std::atomic<bool> *cancel)
{
    Result<std::unique_ptr<ChildProcess>> started = ChildProcess::start(argv, limits);
    if (!started)
        return started.error();
    ChildProcess &child = **started;
    ProcessResult result;
    child.m_pending.assign(input);
    const Clock::time_point deadline = deadlineAfter(limits.wallSeconds);
    while (true) {
        if (child.m_inFd >= 0 && child.m_written == child.m_pending.size())
            child.endInput();
        result.outTooLong = child.m_tooLong;
        result.timedOut = secondsUntil(deadline) < 0;
        result.cancelled = cancel && *cancel;
        if (result.outTooLong || result.timedOut || result.cancelled)
            break;
        const bool moved = child.pump(std::min(secondsUntil(deadline), CancelPollSeconds));
        if (child.m_outFd < 0 && child.m_errFd < 0 && !moved)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if ((!moved || child.m_outFd < 0) && !child.running())
            break;
    }
    result.end = child.stop(result.timedOut || result.cancelled || result.outTooLong ? 0.1 : 0);
    result.out = std::move(child.m_out);
    result.err = std::move(child.m_err);
    if (result.err.size() > limits.errBytes)
        result.err.erase(0, result.err.size() - limits.errBytes);
    return result;
}

} // namespace gpu
