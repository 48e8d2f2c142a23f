#include "gpu/ptx/printf.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace gpu::ptx {

namespace {

constexpr int WidthLimit = 4096;

/// Reads the packed buffer; past its end everything is zero.
class Arguments {
public:
    explicit Arguments(std::span<const std::byte> bytes)
        : m_bytes(bytes)
    {
    }

    std::uint64_t next(std::size_t size)
    {
        m_offset = (m_offset + size - 1) / size * size;
        std::uint64_t value = 0;
        if (m_offset + size <= m_bytes.size())
            std::memcpy(&value, m_bytes.data() + m_offset, size);
        m_offset += size;
        return value;
    }

private:
    std::span<const std::byte> m_bytes;
    std::size_t m_offset = 0;
};

/// One conversion: %[flags][width][.precision][length]conversion.
struct Conversion {
    std::string prefix = "%"; ///< flags, width and precision, ready for the host's printf
    int shortCount = 0; ///< how many h
    bool isLong = false;
    char letter = 0; ///< 0: the format ended or nothing valid stands here
};

/// A number or * at `at`; negative if there is none.
int readCount(std::string_view format, std::size_t &at, Arguments &arguments)
{
    if (at < format.size() && format[at] == '*') {
        ++at;
        const auto count = std::int32_t(arguments.next(4));
        return std::clamp(count, -WidthLimit, WidthLimit);
    }
    int count = 0;
    for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
        count = std::min(count * 10 + (format[at] - '0'), WidthLimit);
    return count;
}

Conversion readConversion(std::string_view format, std::size_t &at, Arguments &arguments)
{
    Conversion result;
    constexpr std::string_view Flags = "-+ #0";
    while (at < format.size() && Flags.find(format[at]) != std::string_view::npos) {
        if (result.prefix.find(format[at], 1) == std::string::npos)
            result.prefix += format[at];
        ++at;
    }
    const int width = readCount(format, at, arguments);
    if (width < 0 && result.prefix.find('-', 1) == std::string::npos)
        result.prefix += '-';
    if (width != 0)
        result.prefix += std::to_string(std::abs(width));
    if (at < format.size() && format[at] == '.') {
        ++at;
        const int precision = readCount(format, at, arguments);
        if (precision >= 0)
            result.prefix += '.' + std::to_string(precision);
    }
    constexpr std::string_view Lengths = "hlLqjzt";
    for (; at < format.size() && Lengths.find(format[at]) != std::string_view::npos; ++at) {
        result.shortCount += format[at] == 'h' ? 1 : 0;
        result.isLong = result.isLong || format[at] != 'h';
    }
    constexpr std::string_view Letters = "diouxXcspfFeEgGaA";
    if (at < format.size() && Letters.find(format[at]) != std::string_view::npos)
        result.letter = format[at++];
    return result;
}

template <class... T> std::string hostPrintf(const std::string &format, T... values)
{
    const int size = std::snprintf(nullptr, 0, format.c_str(), values...);
    if (size <= 0)
        return {};
    std::string text(std::size_t(size) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), values...);
    text.pop_back();
    return text;
}

std::string printInteger(const Conversion &conversion, std::uint64_t value)
{
    const bool isSigned = conversion.letter == 'd' || conversion.letter == 'i';
    const std::string format = conversion.prefix + "ll" + conversion.letter;
    if (conversion.isLong)
        return hostPrintf(format, static_cast<long long>(value));
    long long narrow
        = isSigned ? std::int32_t(value) : static_cast<long long>(std::uint32_t(value));
    if (conversion.shortCount == 1)
        narrow = isSigned ? std::int16_t(value) : static_cast<long long>(std::uint16_t(value));
    else if (conversion.shortCount > 1)
        narrow = isSigned ? std::int8_t(value) : static_cast<long long>(std::uint8_t(value));
    return hostPrintf(format, narrow);
}

std::string print(const Conversion &conversion, Arguments &arguments,
    const std::function<std::optional<std::string>(std::uint64_t)> &readString)
{
    switch (conversion.letter) {
    case 'c': {
        const auto value = std::int32_t(arguments.next(4));
        return hostPrintf(conversion.prefix + "c", value);
    }
    case 's': {
        const std::uint64_t address = arguments.next(8);
        const std::string text
            = address == 0 ? "(null)" : readString(address).value_or("(bad pointer)");
        return hostPrintf(conversion.prefix + "s", text.c_str());
    }
    case 'p':
        return hostPrintf(
            conversion.prefix + "p", reinterpret_cast<const void *>(arguments.next(8)));
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return printInteger(conversion, arguments.next(conversion.isLong ? 8 : 4));
    default:
        return hostPrintf(
            conversion.prefix + conversion.letter, std::bit_cast<double>(arguments.next(8)));
    }
}

} // namespace

std::string formatPrintf(std::string_view format, std::span<const std::byte> bytes,
    const std::function<std::optional<std::string>(std::uint64_t address)> &readString)
{
    std::string result;
    Arguments arguments(bytes);
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            result += format[at++];
            continue;
        }
        const std::size_t start = at++;
        if (at < format.size() && format[at] == '%') {
            result += '%';
            ++at;
            continue;
        }
        const Conversion conversion = readConversion(format, at, arguments);
        if (conversion.letter)
            result += print(conversion, arguments, readString);
        else
            result += format.substr(start, at - start);
    }
    return result;
}

} // namespace gpu::ptx
