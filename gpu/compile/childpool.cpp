#include "gpu/compile/childpool.h"

#include <nlohmann/json.hpp>

namespace gpu {

namespace {
constexpr double HelloSeconds = 60; // a cold disk reads NVRTC slowly
}

ChildPool::ChildPool(std::vector<std::string> command, ProcessLimits limits, std::size_t spare)
    : m_command(std::move(command))
    , m_limits(limits)
    , m_spare(spare)
{
}

ChildPool::~ChildPool()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_taken.notify_all();
    if (m_starter.joinable())
        m_starter.join();
}

Result<ReadyChild> ChildPool::start() const
{
    Result<std::unique_ptr<ChildProcess>> started = ChildProcess::start(m_command, m_limits);
    if (!started)
        return started.error();
    ReadyChild child{std::move(*started), {}};
    std::string line;
    const ChildProcess::Outcome outcome = child.process->readLine(line, HelloSeconds);
    const nlohmann::json hello = outcome == ChildProcess::Outcome::Done
        ? nlohmann::json::parse(line, nullptr, false)
        : nlohmann::json();
    if (hello.is_object() && hello.contains("hello") && hello["hello"].is_string()) {
        child.version = hello["hello"].get<std::string>();
        return child;
    }
    if (hello.is_object() && hello.contains("error") && hello["error"].is_string())
        return environmentError(hello["error"].get<std::string>());
    const ProcessEnd end = child.process->stop(0.5);
    return environmentError("The compile process did not come up: "
        + (outcome == ChildProcess::Outcome::TimedOut
                ? "no answer within " + std::to_string(int(HelloSeconds)) + " seconds"
                : "it " + end.text())
        + ". " + child.process->errorText());
}

Result<ReadyChild> ChildPool::take()
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_starter.joinable() && m_spare > 0)
            m_starter = std::thread([this] { refill(); });
        while (!m_ready.empty()) {
            ReadyChild child = std::move(m_ready.front());
            m_ready.pop_front();
            if (child.process->running()) {
                m_taken.notify_all();
                return child;
            }
        }
    }
    m_taken.notify_all();
    return start();
}

void ChildPool::refill()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_taken.wait(lock, [this] { return m_stopping || m_ready.size() < m_spare; });
        if (m_stopping)
            break;
        lock.unlock();
        Result<ReadyChild> child = start();
        lock.lock();
        if (child)
            m_ready.push_back(std::move(*child));
        else // The next job starts its own and reports why that fails.
            m_taken.wait_for(lock, std::chrono::seconds(5), [this] { return m_stopping; });
    }
    m_ready.clear();
}

} // namespace gpu
