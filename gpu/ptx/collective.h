#pragma once

#include "gpu/ptx/warp.h"

namespace gpu::ptx {

/// shfl, vote, match, redux, elect and activemask.
Selection selectCollective(const Operation &operation);
/// atom and red.
Selection selectAtomic(const Operation &operation, std::size_t operandCount);
/// cp.async and mbarrier.
Selection selectAsync(const Operation &operation, std::size_t operandCount);
/// Integer arithmetic with the carry flag.
Selection selectCarry(const Operation &operation);

template <class T> T laneValue(const Warp &warp, Slot slot, unsigned lane)
{
    T result;
    __builtin_memcpy(&result,
        warp.base[slot >> 31] + (slot & ~ConstantSlot) + std::size_t(lane) * sizeof(T), sizeof(T));
    return result;
}

template <class T> void setLane(Warp &warp, Slot slot, unsigned lane, T value)
{
    __builtin_memcpy(warp.base[0] + slot + std::size_t(lane) * sizeof(T), &value, sizeof(T));
}

/// A source of 2, 4 or 8 bytes.
inline std::uint64_t laneBits(const Warp &warp, const Instruction &in, unsigned i, unsigned lane)
{
    switch (in.sourceSize[i]) {
    case 2:
        return laneValue<std::uint16_t>(warp, in.source[i], lane);
    case 4:
        return laneValue<std::uint32_t>(warp, in.source[i], lane);
    default:
        return laneValue<std::uint64_t>(warp, in.source[i], lane);
    }
}

inline void setLaneBits(
    Warp &warp, Slot slot, std::uint8_t size, unsigned lane, std::uint64_t value)
{
    __builtin_memcpy(warp.base[0] + slot + std::size_t(lane) * size, &value, size);
}

inline void setPredicate(Warp &warp, Slot slot, unsigned lane, bool value)
{
    const std::uint32_t old = laneValue<std::uint32_t>(warp, slot, 0);
    setLane<std::uint32_t>(warp, slot, 0, (old & ~(1u << lane)) | (std::uint32_t(value) << lane));
}

} // namespace gpu::ptx
