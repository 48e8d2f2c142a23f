#include "gpu/verify/workspace.h"

#include <algorithm>

namespace gpu {

namespace {

std::string megabytes(std::uint64_t bytes)
{
    return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB";
}

std::size_t scratchBytes(const ResolvedScratch &scratch)
{
    return static_cast<std::size_t>(scratch.count) * sizeInBytes(scratch.dtype);
}

DeviceFault environmentFault(const std::string &message)
{
    return {Verdict::EnvironmentError, message, {}};
}

} // namespace

Workspace::Workspace(Device &device, const SizedProblem &problem, const SizedProgram &program)
    : m_device(device)
    , m_problem(problem)
    , m_program(program)
{
}

Workspace::~Workspace()
{
    for (const auto &set : m_inputs)
        for (const DeviceAddress address : set)
            m_device.free(address);
    for (const auto *addresses : {&m_outputs, &m_scratch})
        for (const DeviceAddress address : *addresses)
            m_device.free(address);
}

std::variant<std::unique_ptr<Workspace>, DeviceFault> Workspace::open(
    Device &device, const SizedProblem &problem, const SizedProgram &program, int inputSets)
{
    std::uint64_t needed = problem.tensorBytes();
    for (const SizedTensor &input : problem.inputs)
        needed += input.bytes() * static_cast<std::uint64_t>(inputSets - 1);
    for (const ResolvedScratch &scratch : program.plan.scratch)
        needed += scratchBytes(scratch);
    if (const std::uint64_t free = device.freeBytes(); needed > free)
        return environmentFault("Size " + problem.size + " needs " + megabytes(needed)
            + " on the device, " + megabytes(free) + " are free; use a smaller size.");

    std::unique_ptr<Workspace> workspace(new Workspace(device, problem, program));
    auto loaded = device.load(program.code);
    if (!loaded) {
        const bool candidate = loaded.error().blame == Blame::Candidate;
        return DeviceFault{candidate ? Verdict::Unsupported : Verdict::EnvironmentError,
            loaded.error().message, {}};
    }
    workspace->m_loaded = std::move(*loaded);
    std::string failure;
    const auto allocate = [&](std::size_t bytes, const std::string &name) -> DeviceAddress {
        auto address = device.allocate(std::max<std::size_t>(bytes, 1), name);
        if (!address)
            failure = address.error().message;
        return address ? *address : 0;
    };
    const auto keep = [](std::vector<DeviceAddress> &list, DeviceAddress address) {
        if (address)
            list.push_back(address);
    };
    for (int set = 0; set < inputSets; ++set) {
        workspace->m_inputs.emplace_back();
        for (const SizedTensor &input : problem.inputs)
            keep(workspace->m_inputs.back(), allocate(input.bytes(), input.name));
    }
    for (const SizedTensor &output : problem.outputs) {
        keep(workspace->m_outputs, allocate(output.bytes(), output.name));
        if (failure.empty())
            workspace->m_buffers[output.name] = workspace->m_outputs.back();
    }
    for (const ResolvedScratch &scratch : program.plan.scratch) {
        keep(workspace->m_scratch, allocate(scratchBytes(scratch), scratch.name));
        if (failure.empty())
            workspace->m_buffers[scratch.name] = workspace->m_scratch.back();
    }
    if (!failure.empty())
        return environmentFault(failure);
    return workspace;
}

std::optional<DeviceFault> Workspace::setInputs(const TensorBytes &inputs, int set)
{
    m_set = set;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const DeviceAddress address = m_inputs[static_cast<std::size_t>(set)][i];
        m_device.protect(address, false);
        if (const Status status = m_device.upload(address, inputs[i]); !status)
            return environmentFault(status.error().message);
        m_device.protect(address, true);
        m_buffers[m_problem.inputs[i].name] = address;
    }
    return std::nullopt;
}

void Workspace::poison(std::uint16_t pattern)
{
    for (const auto *addresses : {&m_outputs, &m_scratch})
        for (const DeviceAddress address : *addresses)
            static_cast<void>(m_device.fill(address, pattern));
}

std::optional<DeviceFault> Workspace::run(const RunOptions &options, RunStatistics *statistics)
{
    return m_device.run(*m_loaded, m_program.plan, m_buffers, options, statistics);
}

std::optional<DeviceFault> Workspace::time(const RunOptions &options, RunStatistics *statistics)
{
    return m_device.time(*m_loaded, m_program.plan, m_buffers, options, statistics);
}

TensorBytes Workspace::outputs()
{
    TensorBytes bytes;
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        bytes.emplace_back(m_problem.outputs[i].bytes());
        static_cast<void>(m_device.download(m_outputs[i], bytes.back()));
    }
    return bytes;
}

std::optional<DeviceFault> Workspace::findDamage(const TensorBytes &inputs)
{
    if (auto fault = m_device.damagedGuard())
        return fault;
    std::vector<std::byte> now;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        now.resize(inputs[i].size());
        if (const Status status
            = m_device.download(m_inputs[static_cast<std::size_t>(m_set)][i], now);
            !status)
            return environmentFault(status.error().message);
        const auto differ = std::mismatch(now.begin(), now.end(), inputs[i].begin()).first;
        if (differ == now.end())
            continue;
        const SizedTensor &tensor = m_problem.inputs[i];
        const auto element
            = (differ - now.begin()) / static_cast<std::ptrdiff_t>(sizeInBytes(tensor.dtype));
        return DeviceFault{Verdict::InputModified,
            "The input " + tensor.name + " was changed, first at element " + std::to_string(element)
                + "; inputs must stay as they are.",
            {}};
    }
    return std::nullopt;
}

} // namespace gpu
