#pragma once

#include <cstdint>

namespace gpu::ptx {

/// Draws the order in which a block's threads run: the same for the same seed and block, on any
/// number of host threads. Seed 0: always in order.
class Schedule {
public:
    Schedule(std::uint64_t seed, std::uint64_t block)
        : m_shuffled(seed != 0)
        , m_state(seed ^ (block * 0xd1342543de82ef95u))
    {
    }

    bool isShuffled() const { return m_shuffled; }
    /// Less than `count`; 0 in order.
    std::uint64_t below(std::uint64_t count) { return m_shuffled ? next() % count : 0; }

private:
    /// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
    std::uint64_t next()
    {
        std::uint64_t z = m_state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    bool m_shuffled;
    std::uint64_t m_state;
};

} // namespace gpu::ptx
