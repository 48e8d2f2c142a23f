#pragma once

#include <cstdint>

/// The rules of SharedShadow for one cell, free of branches so that loops over lanes become vector
/// code. All have internal linkage: they are compiled for several instruction sets.
namespace gpu::ptx {

/// An access: its time above, its thread's number in the block below. 0: there was none.
using Stamp = std::int32_t;

constexpr unsigned StampTimeShift = 10;
constexpr Stamp StampThread = (1 << StampTimeShift) - 1;
constexpr Stamp StampWarp = StampThread & ~31;
constexpr Stamp StampTimeLimit = 1 << (31 - StampTimeShift);
/// A write that is over: before every floor.
constexpr Stamp StampOld = 1;

/// The times before which accesses are ordered before those of now.
struct StampFloors {
    Stamp block = 0; ///< for threads of other warps
    Stamp warp = 0; ///< for threads of the same warp; not less than `block`
};

/// Whether nothing orders an earlier access before that of `own`, by another thread.
static inline bool isConcurrent(Stamp earlier, Stamp own, StampFloors floors)
{
    const Stamp differing = (earlier ^ own) & StampThread;
    const Stamp floor = (differing & StampWarp) != 0 ? floors.block : floors.warp;
    return (differing != 0) & (earlier >= floor);
}

/// Two readers stand for all: whatever thread writes next, one of them is concurrent to it if any
/// reader is. They are of different warps if any two readers are.
static inline Stamp firstReader(Stamp first, Stamp own, StampFloors floors)
{
    return isConcurrent(first, own, floors) ? first : own;
}

static inline Stamp secondReader(Stamp first, Stamp second, Stamp own, StampFloors floors)
{
    const bool firstStays = isConcurrent(first, own, floors);
    const bool secondStays = isConcurrent(second, own, floors);
    const bool addsWarp
        = (((first ^ second) & StampWarp) == 0) & (((first ^ own) & StampWarp) != 0);
    return firstStays & (!secondStays | addsWarp) ? own : second;
}

} // namespace gpu::ptx
