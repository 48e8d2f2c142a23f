#pragma once

#include "gpu/base/result.h"
#include "gpu/candidate/plan.h"
#include "gpu/compile/compiler.h"
#include "gpu/verify/evaluation.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace gpu {

/// What a device is. All byte counts are of the whole device.
struct DeviceFacts {
    std::string kind; ///< "cpu" or "cuda"
    std::string id; ///< "cpu", "cuda:0", …
    std::string name;
    std::string architecture; ///< what candidates are compiled for, "sm_90"
    DeviceLimits limits; ///< what a plan's expressions may name
    std::uint64_t memoryBytes = 0;
    /// For the speed-of-light floor: no honest plan is faster than this.
    double peakBytesPerSecond = 0, peakFlopsPerSecond = 0;
};
/// The `device` object of the worker's hello.
nlohmann::json toJson(const DeviceFacts &facts);

/// A fault of one plan execution, as the verdict it leads to.
struct DeviceFault {
    Verdict verdict = Verdict::Crash;
    std::string message; ///< a full sentence
    std::optional<FaultLocation> location;
};

/// A compiled candidate in the device's memory. Its `__device__` variables live as long as it.
class LoadedProgram {
public:
    virtual ~LoadedProgram() = default;
};

/// An address on the device, as `allocate` gave it.
using DeviceAddress = std::uint64_t;
/// The tensors and scratch of a plan by name.
using Buffers = std::map<std::string, DeviceAddress>;

struct RunOptions {
    bool checked = false; ///< also look for races and reads of memory never written, if it can
    std::uint64_t shuffleSeed = 0; ///< schedule threads in a shuffled order, if it can; 0: no
    /// Warp instructions a launch; 0: the device's own limit, wall clock where it cannot count.
    std::uint64_t instructionBudget = 0;
    std::function<bool()> cancelled; ///< polled at least every 50 ms
};

struct RunStatistics {
    std::uint64_t warpInstructions = 0; ///< 0 where the device cannot count
    double microseconds = 0; ///< of the whole plan, by the device's own clock
};

/// The one interface of all devices. Not thread-safe: one thread drives a device. Faults of
/// candidates are values; an `Error` is always of the environment unless it says otherwise.
class Device {
public:
    virtual ~Device() = default;
    virtual const DeviceFacts &facts() const = 0;

    virtual std::uint64_t freeBytes() = 0;
    /// At least 256-byte aligned, with a guard zone of its own on both sides.
    virtual Result<DeviceAddress> allocate(std::size_t bytes, const std::string &name) = 0;
    virtual void free(DeviceAddress address) = 0;
    /// Writes by kernels become faults where the device can tell; the caller compares as well.
    virtual void protect(DeviceAddress address, bool readOnly) = 0;
    virtual Status upload(DeviceAddress address, std::span<const std::byte> bytes) = 0;
    virtual Status download(DeviceAddress address, std::span<std::byte> bytes) = 0;
    /// Repeats a 16-bit pattern over the whole buffer.
    virtual Status fill(DeviceAddress address, std::uint16_t pattern) = 0;
    /// A guard zone that was written since it was last asked; always nullopt where every access is
    /// checked as it happens.
    virtual std::optional<DeviceFault> damagedGuard() = 0;

    /// Candidate's blame: the device cannot run this code (`unsupported`).
    virtual Result<std::unique_ptr<LoadedProgram>> load(const CompileOutput &code) = 0;
    /// Runs every step of the plan once, scratch initialisation included, and waits for the end.
    virtual std::optional<DeviceFault> run(LoadedProgram &program, const ResolvedPlan &plan,
        const Buffers &buffers, const RunOptions &options, RunStatistics *statistics = nullptr)
        = 0;
    /// The same as a timed sample (design §6): `statistics->microseconds` is the result. The caller
    /// has warmed up and set the inputs.
    virtual std::optional<DeviceFault> time(LoadedProgram &program, const ResolvedPlan &plan,
        const Buffers &buffers, const RunOptions &options, RunStatistics *statistics)
        = 0;
};

} // namespace gpu
