#pragma once

#include "gpu/ptx/block.h"
#include "gpu/ptx/lanes.h"

/// The checks of shared memory for all lanes of an access at once.
namespace gpu::ptx::ESPALIER_ISA {

/// How the lanes' addresses lie, all of them inside one range and aligned.
enum class Pattern : std::uint8_t { Contiguous, Broadcast, Scattered, Odd };

/// One lane's access of `count` cells, as SharedShadow::check and mark have it.
inline bool admitLane(const SharedShadow::Cells &cells, std::size_t first, std::uint32_t count,
    Stamp own, bool isWrite, bool marks)
{
    bool wrong = false;
    for (std::size_t i = first; i < first + count; ++i) {
        Stamp &reader = cells.first[i], &other = cells.second[i];
        wrong |= isConcurrent(cells.written[i], own, cells.floors);
        wrong |= isWrite
            ? isConcurrent(reader, own, cells.floors) | isConcurrent(other, own, cells.floors)
            : cells.written[i] == 0;
        if (!marks)
            continue;
        if (isWrite) {
            cells.written[i] = own;
        } else {
            other = secondReader(reader, other, own, cells.floors);
            reader = firstReader(reader, own, cells.floors);
        }
    }
    return !wrong;
}

/// One cell of each lane: at `index` or, if they are neighbours, from index[0] on. False, and
/// nothing is marked, if one is wrong.
template <bool AreNeighbours>
inline bool checkCells(
    const SharedShadow::Cells &cells, const std::uint32_t *index, const Stamp *own, bool isWrite)
{
    // A copy, since the loops' stores might otherwise change it.
    const StampFloors floors = cells.floors;
    const auto gather = [&](const Stamp *stamps, Stamp *out) {
        for (int i = 0; i < 32; ++i)
            out[i] = stamps[AreNeighbours ? index[0] + std::uint32_t(i) : index[i]];
    };
    alignas(64) Stamp stamps[32];
    Stamp wrong = 0;
    gather(cells.written, stamps);
    for (int i = 0; i < 32; ++i)
        wrong |= Stamp(isConcurrent(stamps[i], own[i], floors))
            | (Stamp(!isWrite) & Stamp(stamps[i] == 0));
    if (isWrite)
        for (const Stamp *readers : {cells.first, cells.second}) {
            gather(readers, stamps);
            for (int i = 0; i < 32; ++i)
                wrong |= Stamp(isConcurrent(stamps[i], own[i], floors));
        }
    return wrong == 0;
}

template <bool AreNeighbours>
inline void markCells(
    const SharedShadow::Cells &cells, const std::uint32_t *index, const Stamp *own, bool isWrite)
{
    const StampFloors floors = cells.floors;
    const auto at = [&](int i) { return AreNeighbours ? index[0] + std::uint32_t(i) : index[i]; };
    if (isWrite) {
        for (int i = 0; i < 32; ++i)
            cells.written[at(i)] = own[i];
        return;
    }
    alignas(64) Stamp first[32], second[32];
    for (int i = 0; i < 32; ++i) {
        first[i] = cells.first[at(i)];
        second[i] = cells.second[at(i)];
    }
    for (int i = 0; i < 32; ++i) {
        const Stamp before = first[i];
        first[i] = firstReader(before, own[i], floors);
        second[i] = secondReader(before, second[i], own[i], floors);
    }
    for (int i = 0; i < 32; ++i) {
        cells.first[at(i)] = first[i];
        cells.second[at(i)] = second[i];
    }
    if (AreNeighbours)
        return;
    // Several lanes may read one cell: the last one is its first reader now, another the second.
    for (int i = 0; i < 32; ++i)
        if (cells.first[at(i)] != first[i])
            cells.second[at(i)] = own[i];
}

/// Marks the accesses of the lanes in `mask` at these offsets if all of them are right; else marks
/// nothing: the slow way says what is wrong. Offsets are aligned and in bounds, also those of other
/// lanes, which repeat the first active one's.
template <class A>
[[gnu::noinline]] bool admitShared(Warp &warp, std::uint32_t mask, Pattern pattern, const A *offset,
    std::uint32_t bytes, bool isWrite)
{
    const SharedShadow::Cells cells = warp.block->shadow->cells(bytes, warp.index);
    const std::uint32_t count = bytes >> cells.shift;
    const Stamp base = cells.now | Stamp(warp.index * 32);
    const int leader = std::countr_zero(mask);
    if (pattern == Pattern::Broadcast) {
        // Two lanes of one cell stand for all.
        const std::size_t cell = std::size_t(offset[0] >> cells.shift);
        if (!admitLane(cells, cell, count, base, isWrite, false)
            || !admitLane(cells, cell, count, base | 1, isWrite, false))
            return false;
        admitLane(cells, cell, count, base, isWrite, true);
        admitLane(cells, cell, count, base | 1, isWrite, true);
        return true;
    }
    alignas(64) std::uint32_t index[32];
    alignas(64) Stamp own[32];
    for (int i = 0; i < 32; ++i) {
        // Lanes that are not active repeat what the first active one does, as their offsets do.
        index[i] = std::uint32_t(offset[i] >> cells.shift);
        own[i] = base | ((mask >> i) & 1u ? i : leader);
    }
    if (pattern == Pattern::Contiguous && count == 1) {
        if (!checkCells<true>(cells, index, own, isWrite))
            return false;
        markCells<true>(cells, index, own, isWrite);
        return true;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
        const SharedShadow::Cells part
            = {cells.written + k, cells.first + k, cells.second + k, 0, cells.floors, 0};
        if (!checkCells<false>(part, index, own, isWrite))
            return false;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
        const SharedShadow::Cells part
            = {cells.written + k, cells.first + k, cells.second + k, 0, cells.floors, 0};
        markCells<false>(part, index, own, isWrite);
    }
    return true;
}

} // namespace gpu::ptx::ESPALIER_ISA
