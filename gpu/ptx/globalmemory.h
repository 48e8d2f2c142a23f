#pragma once

#include "gpu/ptx/interpreter.h"

#include <map>

namespace gpu::ptx {

/// Unmapped device addresses before and after each buffer; an access there is "out of bounds".
constexpr std::uint64_t GuardBytes = std::uint64_t(4) << 20;

struct Buffer {
    std::uint64_t begin = 0, size = 0;
    std::byte *host = nullptr;
    bool readOnly = false;
    std::string name;

    bool contains(std::uint64_t address) const { return address - begin < size; }
};

struct GlobalMemory::Private {
    std::uint64_t limit = 0, used = 0;
    std::uint64_t next = std::uint64_t(1) << 36;
    std::map<std::uint64_t, Buffer> buffers; ///< by first address

    const Buffer *find(std::uint64_t address) const;
    /// The buffer whose guard zone holds the address, else nullptr.
    const Buffer *nearest(std::uint64_t address) const;
};

} // namespace gpu::ptx
