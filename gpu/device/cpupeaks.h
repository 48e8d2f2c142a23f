#pragma once

namespace gpu {

/// Bounds for the speed-of-light floor of the CPU device.
struct CpuPeaks {
    double bytesPerSecond = 0, flopsPerSecond = 0;
};

/// Measured once a process, in a few milliseconds: `memcpy` and a native fp32 loop, times the cores
/// and a margin for wider vectors and caches, since interpreted code cannot beat native code.
/// Thread-safe.
const CpuPeaks &cpuPeaks();

/// At least 1.
int cpuCoreCount();

} // namespace gpu
