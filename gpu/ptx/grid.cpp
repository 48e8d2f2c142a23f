#include "gpu/ptx/block.h"

#include <algorithm>
#include <deque>
#include <new>
#include <thread>

namespace gpu::ptx {

namespace {

/// Warp instructions of one block before the next resident one gets its turn.
constexpr std::uint64_t BlockQuantum = 200'000;
/// Blocks that one host thread keeps resident at most, when they do not end by themselves.
constexpr std::size_t MaxResident = 64;
constexpr std::uint64_t MaxCooperativeBlocks = 1024;

Fault launchFault(const Launch &launch, const std::string &what)
{
    Fault fault;
    fault.kind = FaultKind::Launch;
    fault.kernel = launch.kernel;
    fault.message = "kernel " + launch.kernel + " cannot be launched: " + what;
    return fault;
}

std::optional<std::string> impossible(const Launch &launch, const Function &kernel,
    const Program &program, const ExecutionOptions &options)
{
    const Dim3 g = launch.grid, b = launch.block;
    if (g.x == 0 || g.y == 0 || g.z == 0 || b.x == 0 || b.y == 0 || b.z == 0)
        return "an extent of the grid or block is zero";
    if (g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535)
        return "the grid is larger than 2147483647 x 65535 x 65535";
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || b.count() > 1024)
        return "a block has " + std::to_string(b.count())
            + " threads; 1024 (at most 1024 x 1024 x 64) are possible";
    if (b.count() > kernel.info.maxThreadsPerBlock)
        return "a block has " + std::to_string(b.count())
            + " threads, but the kernel is compiled for "
            + std::to_string(kernel.info.maxThreadsPerBlock);
    const std::uint64_t shared
        = std::uint64_t(kernel.info.staticSharedBytes) + launch.dynamicSharedBytes;
    if (shared > options.maxSharedBytes)
        return "it needs " + std::to_string(shared) + " bytes of shared memory; "
            + std::to_string(options.maxSharedBytes) + " are possible";
    if (launch.parameters.size() != kernel.info.parameterBytes)
        return "its parameters take " + std::to_string(kernel.info.parameterBytes) + " bytes, not "
            + std::to_string(launch.parameters.size());
    if (launch.cooperative && g.count() > MaxCooperativeBlocks)
        return "a cooperative grid has at most " + std::to_string(MaxCooperativeBlocks)
            + " blocks here, not " + std::to_string(g.count());
    (void)program;
    return std::nullopt;
}

/// Runs blocks until none is left or the launch stops.
void work(LaunchState &state)
{
    const std::uint64_t total = state.launch.grid.count();
    std::deque<std::unique_ptr<Block>> resident;
    const auto add = [&]() {
        const std::uint64_t next = state.nextBlock++;
        if (next < total)
            resident.push_back(std::make_unique<Block>(state, next));
        return next < total;
    };
    try {
        while (!state.stop && (!resident.empty() || add())) {
            std::unique_ptr<Block> block = std::move(resident.front());
            resident.pop_front();
            const Block::Outcome outcome = block->run(BlockQuantum);
            if (state.options.cancelled && state.options.cancelled())
                state.stop = true;
            if (outcome != Block::Outcome::Yielded)
                continue;
            resident.push_back(std::move(block));
            // It may wait for a block that has not begun.
            if (resident.size() < MaxResident || state.launch.cooperative)
                if (add())
                    std::rotate(resident.begin(), resident.end() - 1, resident.end());
        }
    } catch (const std::bad_alloc &) {
        state.report(launchFault(state.launch, "the host has no memory left for its blocks"));
    }
}

} // namespace

std::optional<Fault> run(Instance &instance, GlobalMemory &memory, const Launch &launch,
    const ExecutionOptions &options, LaunchStatistics *statistics)
{
    auto &loaded = static_cast<LoadedInstance &>(instance);
    const Program &program = loaded.program();
    const auto it = program.functionIndex.find(launch.kernel);
    if (it == program.functionIndex.end() || !program.functions[it->second].isEntry)
        return launchFault(launch, "the module has no kernel of this name");
    const Function &kernel = program.functions[it->second];
    if (kernel.clusterBlocks > 1) {
        Fault fault = launchFault(launch, "the CPU device has no clusters (.reqnctapercluster)");
        fault.kind = FaultKind::Unsupported;
        return fault;
    }
    if (const auto reason = impossible(launch, kernel, program, options))
        return launchFault(launch, *reason);
    LaunchState state(loaded, memory, launch, options, it->second);
    state.sharedBytes = launch.dynamicSharedBytes > 0
        ? program.dynamicSharedOffset + launch.dynamicSharedBytes
        : kernel.info.staticSharedBytes;
    if (launch.cooperative) {
        const Result<std::uint64_t> workspace = memory.allocate(64, "grid barrier");
        if (!workspace)
            return launchFault(launch, workspace.error().message);
        state.gridWorkspace = *workspace;
        std::fill_n(memory.contents(*workspace).data(), 64, std::byte(0));
    }
    unsigned threads = options.threads ? options.threads : std::thread::hardware_concurrency();
    threads = unsigned(std::min<std::uint64_t>(std::max(threads, 1u), launch.grid.count()));
    std::vector<std::thread> helpers;
    for (unsigned i = 1; i < threads; ++i)
        helpers.emplace_back([&state] { work(state); });
    work(state);
    for (std::thread &helper : helpers)
        helper.join();
    if (launch.cooperative)
        memory.free(state.gridWorkspace);
    if (statistics) {
        statistics->warpInstructions = state.spent;
        statistics->threadInstructions = state.threadInstructions;
    }
    return state.fault;
}

} // namespace gpu::ptx
