#include "gpu/device/cpupeaks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int Repeats = 3;
// Interpreter loops may be compiled for wider vectors than the portable probe below (SSE2, no
// fused multiply-add): 4 for width, 2 for fusing.
constexpr double FlopsMargin = 8;
// Data that stays in a cache moves faster than the probe's, which leaves it.
constexpr double BytesMargin = 4;

template <class Work> double leastSeconds(Work work)
{
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < Repeats; ++i) {
        const auto start = Clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return std::max(best, 1e-9);
}

double bytesPerSecond()
{
    std::vector<std::byte> from(8 << 20, std::byte{1}), to(from.size());
    const double seconds = leastSeconds([&] { std::memcpy(to.data(), from.data(), from.size()); });
    // Keeps the copy from being optimised away.
    volatile std::byte sink = to[from.size() / 2];
    static_cast<void>(sink);
    return 2.0 * static_cast<double>(from.size()) / seconds;
}

double flopsPerSecond()
{
    constexpr int Lanes = 32, Steps = 50000;
    std::array<float, Lanes> sums{};
    const double seconds = leastSeconds([&] {
        for (int step = 0; step < Steps; ++step)
            for (float &sum : sums)
                sum = sum * 0.999f + 1.0f;
    });
    volatile float sink = sums[0] + sums[Lanes - 1];
    static_cast<void>(sink);
    return 2.0 * Lanes * Steps / seconds;
}

} // namespace

int cpuCoreCount()
{
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

const CpuPeaks &cpuPeaks()
{
    static const CpuPeaks peaks{bytesPerSecond() * cpuCoreCount() * BytesMargin,
        flopsPerSecond() * cpuCoreCount() * FlopsMargin};
    return peaks;
}

} // namespace gpu
