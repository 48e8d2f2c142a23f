#pragma once

#include "gpu/ptx/instance.h"
#include "gpu/ptx/schedule.h"
#include "gpu/ptx/sharedshadow.h"
#include "gpu/ptx/warp.h"

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>

namespace gpu::ptx {

/// What all host threads of one launch share.
struct LaunchState {
    LaunchState(LoadedInstance &loaded, GlobalMemory &globalMemory, const Launch &toRun,
        const ExecutionOptions &how, std::uint32_t kernelNumber)
        : instance(loaded)
        , memory(globalMemory)
        , launch(toRun)
        , options(how)
        , program(loaded.program())
        , kernel(program.functions[kernelNumber])
        , kernelIndex(kernelNumber)
    {
    }

    LoadedInstance &instance;
    GlobalMemory &memory;
    const Launch &launch;
    const ExecutionOptions &options;
    const Program &program;
    const Function &kernel;
    std::uint32_t kernelIndex = 0;
    std::uint32_t sharedBytes = 0;
    std::uint64_t gridWorkspace = 0; ///< of cooperative launches: the grid barrier's state
    std::atomic<std::uint64_t> nextBlock{0};
    std::atomic<std::uint64_t> spent{0}; ///< warp instructions
    std::atomic<std::uint64_t> threadInstructions{0};
    std::atomic<bool> stop{false};
    std::mutex mutex; ///< guards fault
    std::optional<Fault> fault;
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

    void report(Fault newFault);
};

/// A named barrier of a block.
struct Barrier {
    std::array<std::uint32_t, 32> arrived{}; ///< lanes, for each warp
    std::uint32_t threads = 0; ///< expected; 0: all that live
    std::uint32_t votes = 0; ///< arrived lanes whose predicate holds
    std::uint32_t voters = 0;
    bool used = false;
    const Instruction *instruction = nullptr;
};

/// A resident block; one host thread runs it.
class Block {
public:
    Block(LaunchState &state, std::uint64_t linearIndex);

    enum class Outcome { Finished, Yielded, Stopped };
    /// Runs about `quantum` warp instructions. A deadlock is reported as a fault.
    Outcome run(std::uint64_t quantum);

    /// The warp's active lanes arrive at a barrier; true if that completed it.
    bool arrive(Warp &warp, const Instruction &in, std::uint32_t id, std::uint32_t threads,
        std::uint32_t votes, bool waits);
    void lanesExited();
    void synchronize()
    {
        if (shadow)
            shadow->synchronize();
    }
    void synchronizeWarp(const Warp &warp)
    {
        if (shadow)
            shadow->synchronizeWarp(warp.index);
    }

    LaunchState &state;
    Dim3 index;
    std::uint64_t linearIndex = 0;
    std::vector<std::unique_ptr<Warp>> warps;
    std::vector<std::byte> shared;
    std::unique_ptr<SharedShadow> shadow; ///< checked mode only
    std::array<Barrier, 16> barriers;
    Schedule schedule;
    bool stopped = false;

private:
    bool complete(const Barrier &barrier) const;
    void release(std::uint32_t id);
    void reportDeadlock();
    std::vector<std::size_t> m_order; ///< of the warps' turns
};

} // namespace gpu::ptx
