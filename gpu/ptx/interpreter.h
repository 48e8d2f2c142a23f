#pragma once

#include "gpu/base/dim3.h"
#include "gpu/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A warp-vectorised interpreter for the PTX that NVRTC emits. Knows nothing of plans or problems.
namespace gpu::ptx {

struct Program; ///< decoded module; immutable, shared between threads (ptx/program.h)

/// One kernel parameter as PTX declares it.
struct ParameterInfo {
    std::size_t offset = 0, sizeBytes = 0;
};

struct KernelInfo {
    std::string name; ///< mangled, as in the PTX
    std::vector<ParameterInfo> parameters;
    std::size_t parameterBytes = 0;
    std::uint32_t staticSharedBytes = 0;
    std::uint32_t maxThreadsPerBlock = 1024; ///< from .maxntid/.reqntid
};

/// Parses and decodes PTX text. An unknown instruction is not an error here: it becomes a fault of
/// kind Unsupported, with its text and source line, if it is ever executed.
Result<std::shared_ptr<const Program>> decode(std::string_view ptx);
std::vector<KernelInfo> kernels(const Program &program);

enum class FaultKind {
    OutOfBounds, ///< just outside a buffer, or outside shared, local, param or const space
    InvalidAddress, ///< in no buffer, or null
    Misaligned,
    ReadOnlyWrite,
    Race, ///< two threads touch a shared word between barriers, one writes
    UninitialisedRead, ///< shared or local memory never written
    BarrierDivergence, ///< a barrier that some live threads cannot reach
    BudgetSpent,
    Trap,
    Unsupported,
    Launch ///< the configuration is impossible: too many threads, too much shared memory, …
};

struct Fault {
    FaultKind kind = FaultKind::Launch;
    std::string message; ///< a full sentence with all the facts below
    std::string kernel;
    Dim3 block {0, 0, 0}, thread {0, 0, 0};
    std::string file; ///< from .loc; empty if unknown
    int line = 0;
    std::uint64_t address = 0;
};

/// The device's flat global address space. Every buffer has guard zones on both sides that no other
/// buffer shares, so a small overrun is told from a wild pointer. Not thread-safe except that
/// interpreter threads access buffer contents during a launch.
class GlobalMemory {
public:
    explicit GlobalMemory(std::uint64_t limitBytes);
    ~GlobalMemory();
    GlobalMemory(const GlobalMemory &) = delete;
    GlobalMemory &operator=(const GlobalMemory &) = delete;

    /// 256-byte aligned. Contents are undefined. Environment error past the limit.
    Result<std::uint64_t> allocate(std::size_t bytes, std::string name, bool readOnly = false);
    void free(std::uint64_t address);
    void setReadOnly(std::uint64_t address, bool readOnly);
    /// The whole buffer that starts at this address; empty if there is none.
    std::span<std::byte> contents(std::uint64_t address);
    std::uint64_t usedBytes() const;

    struct Private;
    Private &d() const { return *m_d; }

private:
    std::unique_ptr<Private> m_d;
};

/// A program loaded into memory: its `__device__` and `__constant__` variables have storage and
/// their initial values. They keep what kernels write until the instance goes.
class Instance {
public:
    static Result<std::unique_ptr<Instance>> load(
        std::shared_ptr<const Program> program, GlobalMemory &memory);
    virtual ~Instance() = default;
    /// Address and size of a module variable; nullopt if there is none of that name.
    virtual std::optional<std::pair<std::uint64_t, std::size_t>> variable(
        std::string_view name) const = 0;
};

struct Launch {
    std::string kernel; ///< mangled
    Dim3 grid, block;
    std::uint32_t dynamicSharedBytes = 0;
    std::vector<std::byte> parameters; ///< laid out as KernelInfo::parameters says
    bool cooperative = false; ///< all blocks resident: grid barriers work
};

struct ExecutionOptions {
    /// Also look for races, uninitialised shared and local reads. Slower. Bounds, alignment,
    /// barriers and the budget are always checked.
    bool checked = false;
    std::uint64_t instructionBudget = 20'000'000'000; ///< warp instructions over the whole launch
    std::uint32_t maxSharedBytes = 227 * 1024; ///< static + dynamic a block
    unsigned threads = 0; ///< host threads; 0: all cores
    /// The warps of a block and the parted lanes of a warp take turns in an order drawn from this
    /// seed; 0: in order.
    std::uint64_t shuffleSeed = 0;
    std::function<void(std::string_view)> print; ///< device printf; may come from any host thread
    std::function<bool()> cancelled; ///< polled at least every 50 ms
};

struct LaunchStatistics {
    std::uint64_t warpInstructions = 0;
    std::uint64_t threadInstructions = 0;
};

/// Runs one launch to its end on the calling thread and helpers. Returns the first fault, if any.
std::optional<Fault> run(Instance &instance, GlobalMemory &memory, const Launch &launch,
    const ExecutionOptions &options, LaunchStatistics *statistics = nullptr);

} // namespace gpu::ptx
