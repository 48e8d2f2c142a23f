#include "gpu/protocol/message.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <poll.h>
#include <unistd.h>

namespace gpu {

using nlohmann::json;

LineReader::Outcome LineReader::read(std::string &line, double seconds)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (;;) {
        const std::size_t newline = m_buffer.find('\n', m_searched);
        if (newline != std::string::npos) {
            line = m_buffer.substr(0, newline);
            m_buffer.erase(0, newline + 1);
            m_searched = 0;
            if (std::exchange(m_skipping, false))
                return Outcome::TooLong;
            return line.size() > m_maxBytes ? Outcome::TooLong : Outcome::Line;
        }
        if (m_ended) {
            if (m_buffer.empty() || m_skipping)
                return Outcome::End;
            line = std::exchange(m_buffer, {});
            return Outcome::Line;
        }
        if (m_buffer.size() > m_maxBytes) {
            m_skipping = true;
            m_buffer.clear();
        }
        m_searched = m_buffer.size();

        int wait = -1;
        if (seconds >= 0) {
            const double left
                = seconds - std::chrono::duration<double>(Clock::now() - start).count();
            if (left < 0)
                return Outcome::TimedOut;
            wait = static_cast<int>(left * 1000) + 1;
        }
        pollfd descriptor{m_fd, POLLIN, 0};
        const int ready = poll(&descriptor, 1, wait);
        if (ready == 0)
            return Outcome::TimedOut;
        if (ready < 0 && errno == EINTR)
            continue;
        char chunk[65536];
        const ssize_t count = ::read(m_fd, chunk, sizeof chunk);
        if (count > 0)
            m_buffer.append(chunk, static_cast<std::size_t>(count));
        else if (count == 0 || (errno != EINTR && errno != EAGAIN))
            m_ended = true;
    }
}

bool LineWriter::write(const json &message)
{
    const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(m_mutex);
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t count = ::write(m_fd, line.data() + written, line.size() - written);
        if (count > 0)
            written += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            return false;
    }
    return true;
}

Result<json> parseMessage(std::string_view line)
{
    json message = json::parse(line, nullptr, false);
    if (message.is_object())
        return message;
    constexpr std::size_t Quoted = 80;
    return callerError("Each line must be one JSON object; this is none: "
        + std::string(line.substr(0, Quoted)) + (line.size() > Quoted ? "…" : ""));
}

std::string textAt(const json &object, const char *key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::int64_t integerAt(const json &object, const char *key, std::int64_t fallback)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_number_integer() ? it->get<std::int64_t>() : fallback;
}

bool booleanAt(const json &object, const char *key, bool fallback)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_boolean() ? it->get<bool>() : fallback;
}

} // namespace gpu
