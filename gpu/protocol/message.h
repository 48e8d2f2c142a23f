#pragma once

#include "gpu/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace gpu {

/// Longest line either side accepts: a problem with its sources, or PTX of several sizes.
constexpr std::size_t MaxLineBytes = 64u << 20;

/// Reads lines from a file descriptor. One thread.
class LineReader {
public:
    explicit LineReader(int fd, std::size_t maxBytes = MaxLineBytes)
        : m_fd(fd)
        , m_maxBytes(maxBytes)
    {
    }
    enum class Outcome {
        Line,
        TooLong, ///< that line was dropped, reading may go on
        TimedOut,
        End
    };
    /// Waits at most `seconds`; negative: for ever. A last line without its newline is a line.
    Outcome read(std::string &line, double seconds = -1);

private:
    int m_fd;
    std::size_t m_maxBytes;
    std::string m_buffer;
    std::size_t m_searched = 0; ///< of m_buffer, without a newline
    bool m_skipping = false, m_ended = false;
};

/// Writes messages, each a line, whole, from any thread.
class LineWriter {
public:
    explicit LineWriter(int fd)
        : m_fd(fd)
    {
    }
    /// False once the other side has closed. Text that is not UTF-8 is mended, not refused.
    bool write(const nlohmann::json &message);

private:
    int m_fd;
    std::mutex m_mutex;
};

/// An object, or a caller error that quotes the beginning of the line.
Result<nlohmann::json> parseMessage(std::string_view line);

/// Fields of foreign messages; the fallback where one is missing or of another type.
std::string textAt(const nlohmann::json &object, const char *key);
std::int64_t integerAt(const nlohmann::json &object, const char *key, std::int64_t fallback = 0);
bool booleanAt(const nlohmann::json &object, const char *key, bool fallback = false);

} // namespace gpu
