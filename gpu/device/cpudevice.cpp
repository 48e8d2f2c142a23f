#include "gpu/device/cpudevice.h"

#include "gpu/device/cpupeaks.h"
#include "gpu/ptx/interpreter.h"
#include "gpu/verify/numberformat.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>

namespace gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int MaxSharedBytes = 232448; // what a block may have on sm_90
constexpr std::uint64_t DefaultBudget = 20'000'000'000;
constexpr double UsableShareOfMemory = 0.75;

std::uint64_t usableMemoryBytes()
{
    std::ifstream file("/proc/meminfo");
    std::string key, rest;
    std::uint64_t kilobytes = 0;
    while (file >> key >> kilobytes) {
        std::getline(file, rest);
        if (key == "MemAvailable:")
            return static_cast<std::uint64_t>(
                static_cast<double>(kilobytes) * 1024 * UsableShareOfMemory);
    }
    return std::uint64_t{2} << 30;
}

DeviceFault planFault(Verdict verdict, const ResolvedKernel &step, const std::string &what)
{
    return {verdict,
        what + " (kernel " + step.kernel + ", line " + std::to_string(step.line) + ").", {}};
}

class CpuProgram : public LoadedProgram {
public:
    CpuProgram(std::shared_ptr<const ptx::Program> program, std::unique_ptr<ptx::Instance> instance,
        const CompileOutput &code)
        : m_program(std::move(program))
        , m_instance(std::move(instance))
    {
        for (const ptx::KernelInfo &kernel : ptx::kernels(*m_program))
            m_kernels[kernel.name] = kernel;
        for (const CompiledKernel &kernel : code.kernels)
            m_lowered[kernel.expression] = kernel.loweredName;
    }

    /// By the name in the plan; null if the code has no such kernel.
    const ptx::KernelInfo *kernel(const std::string &expression) const
    {
        const auto lowered = m_lowered.find(expression);
        const auto found
            = m_kernels.find(lowered == m_lowered.end() ? expression : lowered->second);
        return found == m_kernels.end() ? nullptr : &found->second;
    }
    ptx::Instance &instance() { return *m_instance; }

private:
    std::shared_ptr<const ptx::Program> m_program;
    std::unique_ptr<ptx::Instance> m_instance;
    std::map<std::string, ptx::KernelInfo> m_kernels;
    std::map<std::string, std::string> m_lowered;
};

class CpuDevice : public Device {
public:
    CpuDevice()
        : m_memoryBytes(usableMemoryBytes())
        , m_memory(m_memoryBytes)
    {
        m_facts.kind = "cpu";
        m_facts.id = "cpu";
        m_facts.name = cpuName();
        m_facts.architecture = "sm_90";
        m_facts.limits = {cpuCoreCount(), MaxSharedBytes, 32, 1024};
        m_facts.memoryBytes = m_memoryBytes;
        m_facts.peakBytesPerSecond = cpuPeaks().bytesPerSecond;
        m_facts.peakFlopsPerSecond = cpuPeaks().flopsPerSecond;
    }

    const DeviceFacts &facts() const override { return m_facts; }

    std::uint64_t freeBytes() override
    {
        return m_memoryBytes - std::min(m_memoryBytes, m_memory.usedBytes());
    }

    Result<DeviceAddress> allocate(std::size_t bytes, const std::string &name) override
    {
        return m_memory.allocate(bytes, name);
    }

    void free(DeviceAddress address) override
    {
        m_protected.erase(address);
        m_memory.free(address);
    }

    void protect(DeviceAddress address, bool readOnly) override
    {
        m_memory.setReadOnly(address, readOnly);
        if (readOnly)
            m_protected.insert(address);
        else
            m_protected.erase(address);
    }

    Status upload(DeviceAddress address, std::span<const std::byte> bytes) override
    {
        const std::span<std::byte> contents = m_memory.contents(address);
        if (contents.size() < bytes.size())
            return environmentError("Upload beyond the end of a device buffer.");
        std::copy(bytes.begin(), bytes.end(), contents.begin());
        return Unit();
    }

    Status download(DeviceAddress address, std::span<std::byte> bytes) override
    {
        const std::span<std::byte> contents = m_memory.contents(address);
        if (contents.size() < bytes.size())
            return environmentError("Download beyond the end of a device buffer.");
        std::copy_n(contents.begin(), bytes.size(), bytes.begin());
        return Unit();
    }

    Status fill(DeviceAddress address, std::uint16_t pattern) override
    {
        repeat(m_memory.contents(address), std::as_bytes(std::span(&pattern, 1)));
        return Unit();
    }

    std::optional<DeviceFault> damagedGuard() override { return std::nullopt; }

    Result<std::unique_ptr<LoadedProgram>> load(const CompileOutput &code) override
    {
        auto program = ptx::decode(code.ptx);
        if (!program)
            return candidateError(program.error().message);
        auto instance = ptx::Instance::load(*program, m_memory);
        if (!instance)
            return instance.error();
        return std::unique_ptr<LoadedProgram>(
            std::make_unique<CpuProgram>(*program, std::move(*instance), code));
    }

    std::optional<DeviceFault> run(LoadedProgram &program, const ResolvedPlan &plan,
        const Buffers &buffers, const RunOptions &options, RunStatistics *statistics) override
    {
        const auto start = Clock::now();
        for (const ResolvedScratch &scratch : plan.scratch) {
            if (scratch.init)
                repeat(m_memory.contents(buffers.at(scratch.name)),
                    encodeElements(scratch.dtype, std::array{*scratch.init}));
        }
        for (const auto &step : plan.steps) {
            if (const auto *set = std::get_if<ResolvedMemset>(&step)) {
                std::ranges::fill(
                    m_memory.contents(buffers.at(set->buffer)), std::byte{set->byteValue});
            } else if (auto fault = launch(static_cast<CpuProgram &>(program),
                           std::get<ResolvedKernel>(step), buffers, options, statistics)) {
                return fault;
            }
        }
        if (statistics)
            statistics->microseconds
                = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        return std::nullopt;
    }

    std::optional<DeviceFault> time(LoadedProgram &program, const ResolvedPlan &plan,
        const Buffers &buffers, const RunOptions &options, RunStatistics *statistics) override
    {
        return run(program, plan, buffers, options, statistics);
    }

private:
    static void repeat(std::span<std::byte> contents, std::span<const std::byte> element)
    {
        for (std::size_t i = 0; i < contents.size(); i += element.size())
            std::memcpy(
                contents.data() + i, element.data(), std::min(element.size(), contents.size() - i));
    }

    /// Lays the arguments out as the kernel declares its parameters.
    std::optional<DeviceFault> placeArguments(const ResolvedKernel &step,
        const ptx::KernelInfo &kernel, const Buffers &buffers, std::vector<std::byte> &parameters)
    {
        if (kernel.parameters.size() != step.args.size())
            return planFault(Verdict::PlanError, step,
                "`args` has " + std::to_string(step.args.size()) + " entries, the kernel takes "
                    + std::to_string(kernel.parameters.size()));
        parameters.resize(kernel.parameterBytes);
        for (std::size_t i = 0; i < step.args.size(); ++i) {
            const ResolvedKernel::Argument &argument = step.args[i];
            const auto buffer = buffers.find(argument.buffer);
            if (!argument.buffer.empty() && buffer == buffers.end())
                return planFault(Verdict::Unsupported, step,
                    "The CPU device has no tensor maps: `tensor_maps` entry " + argument.buffer);
            const DeviceAddress address = argument.buffer.empty() ? 0 : buffer->second;
            const std::span<const std::byte> bytes = argument.buffer.empty()
                ? std::span<const std::byte>(argument.bytes)
                : std::as_bytes(std::span(&address, 1));
            const ptx::ParameterInfo &parameter = kernel.parameters[i];
            if (bytes.size() != parameter.sizeBytes)
                return planFault(Verdict::PlanError, step,
                    "Argument " + std::to_string(i + 1) + " has " + std::to_string(bytes.size())
                        + " bytes, the kernel's parameter has "
                        + std::to_string(parameter.sizeBytes));
            std::copy(bytes.begin(), bytes.end(), parameters.begin() + parameter.offset);
        }
        return std::nullopt;
    }

    std::optional<DeviceFault> launch(CpuProgram &program, const ResolvedKernel &step,
        const Buffers &buffers, const RunOptions &options, RunStatistics *statistics)
    {
        if (step.cluster.count() > 1)
            return planFault(Verdict::Unsupported, step,
                "The CPU device has no thread block clusters: `cluster`");
        const ptx::KernelInfo *kernel = program.kernel(step.kernel);
        if (!kernel)
            return planFault(Verdict::PlanError, step, "The code has no such kernel");
        ptx::Launch launch;
        launch.kernel = kernel->name;
        launch.grid = step.grid;
        launch.block = step.block;
        launch.dynamicSharedBytes = step.dynamicSharedBytes;
        launch.cooperative = step.cooperative;
        if (auto fault = placeArguments(step, *kernel, buffers, launch.parameters))
            return fault;

        ptx::ExecutionOptions execution;
        execution.checked = options.checked;
        execution.shuffleSeed = options.shuffleSeed;
        execution.instructionBudget
            = options.instructionBudget ? options.instructionBudget : DefaultBudget;
        execution.maxSharedBytes = MaxSharedBytes;
        execution.cancelled = options.cancelled;
        ptx::LaunchStatistics counted;
        const auto fault = ptx::run(program.instance(), m_memory, launch, execution, &counted);
        if (statistics)
            statistics->warpInstructions += counted.warpInstructions;
        if (!fault)
            return std::nullopt;
        const auto three = [](const Dim3 &d) { return std::vector{d.x, d.y, d.z}; };
        return DeviceFault{verdictOf(*fault), fault->message,
            FaultLocation{step.kernel, three(fault->block), three(fault->thread), fault->line,
                fault->address}};
    }

    Verdict verdictOf(const ptx::Fault &fault)
    {
        switch (fault.kind) {
        case ptx::FaultKind::OutOfBounds:
            return Verdict::OutOfBounds;
        case ptx::FaultKind::ReadOnlyWrite:
            return isProtected(fault.address) ? Verdict::InputModified : Verdict::MemoryFault;
        case ptx::FaultKind::InvalidAddress:
        case ptx::FaultKind::Misaligned:
            return Verdict::MemoryFault;
        case ptx::FaultKind::Race:
        case ptx::FaultKind::UninitialisedRead:
            return Verdict::Nondeterministic;
        case ptx::FaultKind::BarrierDivergence:
        case ptx::FaultKind::BudgetSpent:
            return Verdict::Timeout;
        case ptx::FaultKind::Trap:
            return Verdict::Crash;
        case ptx::FaultKind::Unsupported:
            return Verdict::Unsupported;
        case ptx::FaultKind::Launch:
            return Verdict::LaunchError;
        }
        return Verdict::Crash;
    }

    bool isProtected(std::uint64_t address)
    {
        const auto after = m_protected.upper_bound(address);
        if (after == m_protected.begin())
            return false;
        const DeviceAddress start = *std::prev(after);
        return address - start < m_memory.contents(start).size();
    }

    std::uint64_t m_memoryBytes;
    ptx::GlobalMemory m_memory;
    DeviceFacts m_facts;
    std::set<DeviceAddress> m_protected;
};

} // namespace

std::string cpuName()
{
    std::string model = "CPU", line;
    std::ifstream file("/proc/cpuinfo");
    while (std::getline(file, line)) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            model = line.substr(colon + 2);
            break;
        }
    }
    const int cores = cpuCoreCount();
    return model + " (" + std::to_string(cores) + (cores == 1 ? " core)" : " cores)");
}

std::unique_ptr<Device> makeCpuDevice()
{
    return std::make_unique<CpuDevice>();
}

} // namespace gpu
