#pragma once

#include "gpu/ptx/block.h"
#include "gpu/ptx/lanes.h"

/// The checks of shared and local memory for all lanes of an access at once.
namespace gpu::ptx::ESPALIER_ISA {

/// Marks the accesses of the lanes in `mask` at these offsets if all of them are right; else does
/// nothing: the slow way says what is wrong. Offsets are aligned and in bounds. A cell index and a
/// stamp of an active lane stand in for the lanes that are not.
template <class A>
[[gnu::noinline]] bool admitShared(
    Warp &warp, std::uint32_t mask, const A *offset, std::uint32_t bytes, bool isWrite)
{
    const SharedShadow::Cells cells = warp.block->shadow->cells(bytes, warp.index);
    const StampFloors floors = cells.floors;
    const Stamp base = cells.now | Stamp(warp.index * 32);
    const int leader = std::countr_zero(mask);
    alignas(64) std::uint32_t index[32];
    alignas(64) Stamp own[32], written[32], first[32], second[32];
    for (int i = 0; i < 32; ++i) {
        const bool active = (mask >> i) & 1u;
        index[i] = std::uint32_t(offset[active ? i : leader] >> cells.shift);
        own[i] = base | (active ? i : leader);
    }
    const std::uint32_t count = bytes >> cells.shift;
    Stamp wrong = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 32; ++i)
            written[i] = cells.written[index[i] + k];
        for (int i = 0; i < 32; ++i)
            wrong |= Stamp(isConcurrent(written[i], own[i], floors))
                | (Stamp(!isWrite) & Stamp(written[i] == 0));
        if (!isWrite)
            continue;
        for (int i = 0; i < 32; ++i) {
            first[i] = cells.first[index[i] + k];
            second[i] = cells.second[index[i] + k];
        }
        for (int i = 0; i < 32; ++i)
            wrong |= Stamp(isConcurrent(first[i], own[i], floors))
                | Stamp(isConcurrent(second[i], own[i], floors));
    }
    if (wrong)
        return false;
    for (std::uint32_t k = 0; k < count; ++k) {
        if (isWrite) {
            for (int i = 0; i < 32; ++i)
                cells.written[index[i] + k] = own[i];
            continue;
        }
        for (int i = 0; i < 32; ++i) {
            first[i] = cells.first[index[i] + k];
            second[i] = cells.second[index[i] + k];
        }
        for (int i = 0; i < 32; ++i) {
            const Stamp before = first[i];
            first[i] = firstReader(before, own[i], floors);
            second[i] = secondReader(before, second[i], own[i], floors);
        }
        for (int i = 0; i < 32; ++i) {
            cells.first[index[i] + k] = first[i];
            cells.second[index[i] + k] = second[i];
        }
        // Several lanes may read one cell: the last one is its first reader now, another the
        // second.
        for (int i = 0; i < 32; ++i)
            if (cells.first[index[i] + k] != first[i])
                cells.second[index[i] + k] = own[i];
    }
    return true;
}

} // namespace gpu::ptx::ESPALIER_ISA
