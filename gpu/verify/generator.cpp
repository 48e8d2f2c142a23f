#include "gpu/verify/generator.h"

#include <cmath>
#include <numbers>
#include <random>

namespace gpu {

namespace {

/// In (0, 1): 32 bits, in the middle of each step.
double open01(std::uint32_t bits)
{
    return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

} // namespace

std::array<std::uint32_t, 4> philox(
    std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key)
{
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0],
            static_cast<std::uint32_t>(b),
            static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1],
            static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return counter;
}

std::array<std::uint32_t, 4> Generator::bits(std::uint64_t index) const
{
    return philox(
        {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), m_stream, 0},
        m_key);
}

double Generator::uniform(std::uint64_t index) const
{
    return open01(bits(index)[0]);
}

double Generator::normal(std::uint64_t index) const
{
    const std::array<std::uint32_t, 4> word = bits(index);
    return std::sqrt(-2 * std::log(open01(word[0])))
        * std::cos(2 * std::numbers::pi * open01(word[1]));
}

std::uint64_t Generator::below(std::uint64_t index, std::uint64_t count) const
{
    const std::array<std::uint32_t, 4> word = bits(index);
    return ((std::uint64_t{word[0]} << 32) | word[1]) % count;
}

std::uint64_t secretSeed()
{
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

} // namespace gpu
