#pragma once

#include <array>
#include <cstdint>

namespace gpu {

/// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// SC'11): a bijection of the counter under the key, so that element i of a tensor can be made
/// without its predecessors, on any device, in any order.
std::array<std::uint32_t, 4> philox(
    std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Random numbers as a pure function of (seed, stream, index). Thread-safe.
class Generator {
public:
    Generator(std::uint64_t seed, std::uint32_t stream)
        : m_key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}
        , m_stream(stream)
    {
    }

    std::array<std::uint32_t, 4> bits(std::uint64_t index) const;
    /// In (0, 1), never an end point.
    double uniform(std::uint64_t index) const;
    /// Mean 0, standard deviation 1; Box and Muller's transform of one counter's bits.
    double normal(std::uint64_t index) const;
    /// In [0, count).
    std::uint64_t below(std::uint64_t index, std::uint64_t count) const;

private:
    std::array<std::uint32_t, 2> m_key;
    std::uint32_t m_stream;
};

/// A seed from the operating system, which no candidate can know.
std::uint64_t secretSeed();

} // namespace gpu
