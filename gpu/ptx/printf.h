#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpu::ptx {

/// Formats what device code passed to vprintf. `arguments` is its buffer from the first argument
/// on: each one aligned to its size, 4 bytes for int and 8 for double, long, long long and
/// pointers. `readString` fetches a %s argument from device memory; nullopt prints "(bad pointer)".
/// Unknown conversions are printed as they stand and a missing argument reads as zero; widths and
/// precisions are capped, so no format is dangerous.
std::string formatPrintf(std::string_view format, std::span<const std::byte> arguments,
    const std::function<std::optional<std::string>(std::uint64_t address)> &readString);

} // namespace gpu::ptx
