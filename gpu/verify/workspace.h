#pragma once

#include "gpu/device/device.h"
#include "gpu/verify/sizedproblem.h"

#include <memory>
#include <variant>

namespace gpu {

/// A program made ready for one size: its plan in numbers and its code compiled for these dims.
struct SizedProgram {
    ResolvedPlan plan;
    CompileOutput code;
};

/// A program loaded on a device with all the buffers of its plan. Freed on destruction. The
/// addresses stay the same over all runs, so that answers cached by address turn out stale.
class Workspace {
public:
    /// Adds up the memory first: too little free is an environment error with both numbers.
    /// `inputSets` copies of the inputs let timing rotate addresses.
    static std::variant<std::unique_ptr<Workspace>, DeviceFault> open(Device &device,
        const SizedProblem &problem, const SizedProgram &program, int inputSets = 1);
    ~Workspace();
    Workspace(const Workspace &) = delete;
    Workspace &operator=(const Workspace &) = delete;

    /// Uploads and protects the inputs; `run` uses the set last given.
    std::optional<DeviceFault> setInputs(const TensorBytes &inputs, int set = 0);
    /// Fills outputs and scratch with a 16-bit pattern that is a NaN in every floating type.
    void poison(std::uint16_t pattern);
    std::optional<DeviceFault> run(const RunOptions &options, RunStatistics *statistics = nullptr);
    std::optional<DeviceFault> time(const RunOptions &options, RunStatistics *statistics);
    TensorBytes outputs();
    /// Compares the inputs with what was uploaded: `input_modified`, or a damaged guard zone.
    std::optional<DeviceFault> findDamage(const TensorBytes &inputs);

private:
    Workspace(Device &device, const SizedProblem &problem, const SizedProgram &program);

    Device &m_device;
    const SizedProblem &m_problem;
    const SizedProgram &m_program;
    std::unique_ptr<LoadedProgram> m_loaded;
    std::vector<std::vector<DeviceAddress>> m_inputs; ///< by set
    std::vector<DeviceAddress> m_outputs, m_scratch;
    Buffers m_buffers; ///< of the current set
    int m_set = 0;
};

/// Two NaN patterns in f16, bf16, f32 and f64 alike, so that an element a kernel never wrote has
/// other bits in the second run.
constexpr std::uint16_t FirstPoison = 0xffff, SecondPoison = 0x7fff;

} // namespace gpu
