#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gpu::ptx {

/// Finds races and reads of unwritten bytes in a block's shared memory. Threads of one warp and
/// accesses on both sides of any barrier, fence, atomic or mbarrier operation count as ordered: a
/// race may be missed but none is invented. One host thread.
class SharedShadow {
public:
    explicit SharedShadow(std::size_t bytes)
        : m_bytes(bytes)
    {
    }

    struct Finding {
        bool isRace = false; ///< else a read of a byte never written
        std::uint32_t otherThread = 0; ///< of a race
        bool otherWrote = false;
    };
    std::optional<Finding> access(
        std::uint32_t thread, std::uint64_t offset, std::uint32_t bytes, bool isWrite);
    void atomic(std::uint64_t offset, std::uint32_t bytes);
    /// All earlier accesses happen before all later ones.
    void synchronize() { ++m_epoch; }

private:
    struct Byte {
        std::uint32_t writeEpoch = 0, readEpoch = 0;
        std::uint16_t writer = 0, reader = 0;
        bool written = false;
        bool manyReaders = false; ///< of different warps, in readEpoch
    };
    std::vector<Byte> m_bytes;
    std::uint32_t m_epoch = 1;
};

} // namespace gpu::ptx
