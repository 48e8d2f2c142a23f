#include "gpu/ptx/sharedshadow.h"

#include <algorithm>
#include <bit>

namespace gpu::ptx {

SharedShadow::SharedShadow(std::size_t bytes, std::size_t warps)
    : m_bytes(bytes)
    , m_warpFloors(warps, m_blockFloor)
{
    for (auto *stamps : {&m_written, &m_first, &m_second})
        stamps->resize((bytes >> m_shift) + 1);
}

void SharedShadow::refine(unsigned shift)
{
    const std::size_t parts = std::size_t(1) << (m_shift - shift);
    for (auto *stamps : {&m_written, &m_first, &m_second}) {
        std::vector<Stamp> finer((m_bytes >> shift) + parts);
        for (std::size_t i = 0; i < finer.size(); ++i)
            finer[i] = (*stamps)[std::min(i / parts, stamps->size() - 1)];
        *stamps = std::move(finer);
    }
    m_shift = shift;
}

SharedShadow::Cells SharedShadow::cells(std::uint32_t bytes, std::size_t warp)
{
    if (const auto shift = unsigned(std::countr_zero(bytes)); shift < m_shift)
        refine(shift);
    return {m_written.data(), m_first.data(), m_second.data(), m_shift,
        {m_blockFloor, m_warpFloors[warp]}, m_time << StampTimeShift};
}

std::optional<SharedShadow::Finding> SharedShadow::check(
    std::uint32_t thread, std::uint64_t offset, std::uint32_t bytes, bool isWrite)
{
    const Cells c = cells(bytes, thread / 32);
    const Stamp own = c.now | Stamp(thread);
    const auto race = [](Stamp other, bool otherWrote) {
        return Finding{true, std::uint32_t(other & StampThread), otherWrote};
    };
    for (std::uint64_t i = offset >> c.shift; i << c.shift < offset + bytes; ++i) {
        if (!isWrite && c.written[i] == 0)
            return Finding{};
        if (isConcurrent(c.written[i], own, c.floors))
            return race(c.written[i], true);
        for (const Stamp reader : {c.first[i], c.second[i]})
            if (isWrite && isConcurrent(reader, own, c.floors))
                return race(reader, false);
    }
    return std::nullopt;
}

void SharedShadow::mark(
    std::uint32_t thread, std::uint64_t offset, std::uint32_t bytes, bool isWrite)
{
    const Cells c = cells(bytes, thread / 32);
    const Stamp own = c.now | Stamp(thread);
    for (std::uint64_t i = offset >> c.shift; i << c.shift < offset + bytes; ++i) {
        if (isWrite) {
            c.written[i] = own;
            continue;
        }
        const Stamp first = c.first[i];
        c.first[i] = firstReader(first, own, c.floors);
        c.second[i] = secondReader(first, c.second[i], own, c.floors);
    }
}

void SharedShadow::markAtomic(std::uint64_t offset, std::uint32_t bytes)
{
    synchronize();
    const Cells c = cells(bytes, 0);
    for (std::uint64_t i = offset >> c.shift; i << c.shift < offset + bytes; ++i)
        c.written[i] = StampOld;
}

void SharedShadow::advance()
{
    if (++m_time < StampTimeLimit)
        return;
    // The clock starts again: what came before counts as ordered.
    m_time = 1;
    for (Stamp &write : m_written)
        write = write ? StampOld : 0;
    std::fill(m_first.begin(), m_first.end(), 0);
    std::fill(m_second.begin(), m_second.end(), 0);
    m_blockFloor = m_time << StampTimeShift;
    std::fill(m_warpFloors.begin(), m_warpFloors.end(), m_blockFloor);
}

void SharedShadow::synchronize()
{
    advance();
    m_blockFloor = m_time << StampTimeShift;
    std::fill(m_warpFloors.begin(), m_warpFloors.end(), m_blockFloor);
}

void SharedShadow::synchronizeWarp(std::size_t warp)
{
    advance();
    m_warpFloors[warp] = m_time << StampTimeShift;
}

} // namespace gpu::ptx
