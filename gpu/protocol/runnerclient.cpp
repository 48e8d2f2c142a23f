#include "gpu/protocol/runnerclient.h"

#include "gpu/protocol/message.h"
#include "gpu/protocol/preparation.h"

#include <chrono>
#include <csignal>

namespace gpu {

using nlohmann::json;

namespace {

using Clock = std::chrono::steady_clock;

constexpr double SliceSeconds = 0.05;
constexpr double SendSeconds = 30;
constexpr std::size_t QuotedErrorBytes = 500;

std::string tailOf(const std::string &text)
{
    if (text.empty())
        return {};
    return "; it last wrote: "
        + text.substr(text.size() > QuotedErrorBytes ? text.size() - QuotedErrorBytes : 0);
}

} // namespace

RunnerClient::RunnerClient(std::vector<std::string> argv, const RunnerLimits &limits)
    : m_argv(std::move(argv))
    , m_limits(limits)
{
}

Result<DeviceFacts> RunnerClient::start()
{
    if (m_child && m_child->running())
        return m_facts;
    m_child.reset();
    ProcessLimits limits;
    limits.diesWithStarter = true;
    auto child = ChildProcess::start(m_argv, limits);
    if (!child)
        return child.error();
    ++m_starts;
    m_child = std::move(*child);
    std::string line;
    if (m_child->readLine(line, m_limits.helloSeconds) != ChildProcess::Outcome::Done) {
        const RunnerReply reply = end(RunnerReply::End::Died, "said no hello");
        return environmentError("The runner " + m_argv.front() + " " + reply.detail + ".");
    }
    const auto hello = parseMessage(line);
    if (!hello || textAt(*hello, "event") != "hello") {
        const std::string message
            = hello ? textAt(*hello, "message") : "The runner's first line is no hello: " + line;
        stop();
        return environmentError(message);
    }
    m_facts = deviceFactsFromJson(hello->value("device", json::object()));
    return m_facts;
}

RunnerReply RunnerClient::ask(const json &request, const std::function<void(const json &)> &onStage,
    const std::atomic<bool> &cancelled)
{
    if (const auto started = start(); !started)
        return {RunnerReply::End::Unavailable, {}, started.error().message};
    const std::string text = request.dump(-1, ' ', false, json::error_handler_t::replace);
    if (m_child->writeLine(text, SendSeconds) != ChildProcess::Outcome::Done)
        return end(RunnerReply::End::Died, "took no request");

    auto last = Clock::now();
    for (;;) {
        if (cancelled)
            return end(RunnerReply::End::Cancelled, "was cancelled");
        std::string line;
        switch (m_child->readLine(line, SliceSeconds)) {
        case ChildProcess::Outcome::Done:
            break;
        case ChildProcess::Outcome::TimedOut:
        case ChildProcess::Outcome::Interrupted:
            if (std::chrono::duration<double>(Clock::now() - last).count()
                > m_limits.silenceSeconds)
                return end(RunnerReply::End::Silent, "was silent for too long");
            continue;
        case ChildProcess::Outcome::Ended:
        case ChildProcess::Outcome::TooLong:
            return end(RunnerReply::End::Died, "ended");
        }
        last = Clock::now();
        const auto message = parseMessage(line);
        if (!message)
            continue;
        if (textAt(*message, "event") != "stage") {
            const auto resident = static_cast<std::uint64_t>(integerAt(*message, "resident_bytes"));
            if (resident > m_limits.residentBytes)
                stop();
            return {RunnerReply::End::Answered, *message, {}};
        }
        onStage(*message);
        // Waiting for a quiet machine is not the runner's silence.
        last = Clock::now();
        if (textAt(*message, "stage") == "time")
            m_child->writeLine(R"({"op":"go"})", SendSeconds);
    }
}

RunnerReply RunnerClient::end(RunnerReply::End how, const std::string &detail)
{
    RunnerReply reply{how, {}, detail};
    const bool expected = how == RunnerReply::End::Died;
    // What ended by itself only has to be reaped; what hangs gets no grace.
    const ProcessEnd ended = m_child->stop(expected ? 1.0 : 0.05);
    if (expected) {
        if (ended.signal == SIGKILL)
            reply.end = RunnerReply::End::Killed;
        reply.detail = ended.text() + tailOf(m_child->errorText());
    }
    m_child.reset();
    return reply;
}

void RunnerClient::stop()
{
    if (m_child)
        m_child->stop();
    m_child.reset();
}

} // namespace gpu
