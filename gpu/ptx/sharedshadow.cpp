#include "gpu/ptx/sharedshadow.h"

namespace gpu::ptx {

std::optional<SharedShadow::Finding> SharedShadow::access(
    std::uint32_t thread, std::uint64_t offset, std::uint32_t bytes, bool isWrite)
{
    const std::uint32_t warp = thread / 32;
    for (std::uint64_t i = offset; i < offset + bytes; ++i) {
        Byte &byte = m_bytes[i];
        if (!isWrite && !byte.written)
            return Finding{};
        if (byte.writeEpoch == m_epoch && byte.writer / 32 != warp)
            return Finding{true, byte.writer, true};
        if (isWrite) {
            if (byte.readEpoch == m_epoch && (byte.reader / 32 != warp || byte.manyReaders))
                return Finding{true, byte.reader, false};
            byte.written = true;
            byte.writeEpoch = m_epoch;
            byte.writer = std::uint16_t(thread);
            continue;
        }
        byte.manyReaders
            = byte.readEpoch == m_epoch && (byte.manyReaders || byte.reader / 32 != warp);
        // The first reader stays, so that a later writer of another warp meets it.
        if (byte.readEpoch != m_epoch)
            byte.reader = std::uint16_t(thread);
        byte.readEpoch = m_epoch;
    }
    return std::nullopt;
}

void SharedShadow::atomic(std::uint64_t offset, std::uint32_t bytes)
{
    synchronize();
    for (std::uint64_t i = offset; i < offset + bytes; ++i)
        m_bytes[i].written = true;
}

} // namespace gpu::ptx
