#pragma once

#include "gpu/device/device.h"

namespace gpu {

/// The CPU device: runs the PTX of a candidate in the interpreter, so that it is also the memory
/// checker a GPU run lacks. Takes a few milliseconds to measure its peaks, once a process.
///
/// The peaks are bounds, not estimates: bytes by `memcpy`, flops by a native fp32 loop, both times
/// the cores and a margin for wider vectors, since interpreted code cannot beat native code.
std::unique_ptr<Device> makeCpuDevice();

/// "AMD EPYC (2 cores)" from /proc/cpuinfo; "CPU (2 cores)" if that cannot be read.
std::string cpuName();

} // namespace gpu
