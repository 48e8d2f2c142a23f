#pragma once

#include "gpu/ptx/shadowcell.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace gpu::ptx {

/// Finds races and reads of unwritten bytes in a block's shared memory. Accesses on both sides of
/// any barrier, fence, atomic or mbarrier operation of the block count as ordered, and those of one
/// warp on both sides of any of its .sync instructions: a race may be missed but none is invented.
/// The accesses of one instruction do not race: check them all, then mark them. One host thread.
class SharedShadow {
public:
    SharedShadow(std::size_t bytes, std::size_t warps);

    struct Finding {
        bool isRace = false; ///< else a read of a byte never written
        std::uint32_t otherThread = 0; ///< of a race
        bool otherWrote = false;
    };
    /// What would be wrong with an access now.
    std::optional<Finding> check(
        std::uint32_t thread, std::uint64_t offset, std::uint32_t bytes, bool isWrite);
    void mark(std::uint32_t thread, std::uint64_t offset, std::uint32_t bytes, bool isWrite);
    /// An atomic access: ordered with everything.
    void markAtomic(std::uint64_t offset, std::uint32_t bytes);

    /// All earlier accesses happen before all later ones.
    void synchronize();
    /// All earlier accesses of a warp's threads happen before all its later ones.
    void synchronizeWarp(std::size_t warp);

    /// Every 2^shift bytes are a cell.
    struct Cells {
        Stamp *written, *first, *second; ///< the last write; two readers
        unsigned shift;
        StampFloors floors;
        Stamp now; ///< a stamp of thread 0
    };
    /// For accesses of `bytes` by a warp. Valid until the next call of any function.
    Cells cells(std::uint32_t bytes, std::size_t warp);

private:
    void refine(unsigned shift);
    void advance();

    std::size_t m_bytes;
    unsigned m_shift = 2; ///< words, until something narrower is touched
    std::vector<Stamp> m_written, m_first, m_second;
    Stamp m_time = 1;
    Stamp m_blockFloor = 1 << StampTimeShift;
    std::vector<Stamp> m_warpFloors;
};

} // namespace gpu::ptx
