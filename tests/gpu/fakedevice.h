#pragma once

#include "gpu/device/device.h"

#include <cstring>
#include <functional>
#include <map>

/// A device whose kernels are C++ functions, so that the evaluation protocol is tested apart from
/// the interpreter. `code.ptx` names the function; each load has a call counter and a cache of its
/// own, as a module has its `__device__` variables.
class FakeDevice : public gpu::Device {
public:
    struct Call {
        int count = 0; ///< earlier calls of this module
        std::vector<float> &cache;
        std::map<std::string, std::vector<float>> in; ///< all buffers before the call
        std::vector<float> y; ///< what to write to the output "y"
        bool checked = false;
        std::optional<gpu::DeviceFault> fault;
        std::function<void(const char *, std::size_t, float)> poke; ///< writes to any buffer
        double microseconds; ///< what it takes
    };
    using Kernel = std::function<void(Call &)>;

    std::map<std::string, Kernel> kernels;
    std::uint64_t free_ = std::uint64_t{1} << 30;
    double microseconds = 1000;

    FakeDevice()
    {
        m_facts.kind = "cpu";
        m_facts.name = "fake";
        m_facts.peakBytesPerSecond = m_facts.peakFlopsPerSecond = 1e9;
    }
    const gpu::DeviceFacts &facts() const override { return m_facts; }
    std::uint64_t freeBytes() override { return free_; }
    gpu::Result<gpu::DeviceAddress> allocate(std::size_t bytes, const std::string &) override
    {
        m_memory[++m_next].resize(bytes);
        return m_next;
    }
    void free(gpu::DeviceAddress address) override { m_memory.erase(address); }
    void protect(gpu::DeviceAddress, bool) override { }
    gpu::Status upload(gpu::DeviceAddress address, std::span<const std::byte> bytes) override
    {
        std::copy(bytes.begin(), bytes.end(), m_memory.at(address).begin());
        return gpu::Unit();
    }
    gpu::Status download(gpu::DeviceAddress address, std::span<std::byte> bytes) override
    {
        std::copy_n(m_memory.at(address).begin(), bytes.size(), bytes.begin());
        return gpu::Unit();
    }
    gpu::Status fill(gpu::DeviceAddress address, std::uint16_t pattern) override
    {
        std::vector<std::byte> &memory = m_memory.at(address);
        for (std::size_t i = 0; i < memory.size(); ++i)
            memory[i] = std::byte(i % 2 ? pattern >> 8 : pattern & 0xff);
        return gpu::Unit();
    }
    std::optional<gpu::DeviceFault> damagedGuard() override { return std::nullopt; }
    gpu::Result<std::unique_ptr<gpu::LoadedProgram>> load(const gpu::CompileOutput &code) override
    {
        if (!kernels.contains(code.ptx))
            return gpu::candidateError("no kernel " + code.ptx);
        auto program = std::make_unique<Program>();
        program->kernel = kernels.at(code.ptx);
        return std::unique_ptr<gpu::LoadedProgram>(std::move(program));
    }
    std::optional<gpu::DeviceFault> run(gpu::LoadedProgram &loaded, const gpu::ResolvedPlan &,
        const gpu::Buffers &buffers, const gpu::RunOptions &options,
        gpu::RunStatistics *statistics) override
    {
        auto &program = static_cast<Program &>(loaded);
        Call call{program.count++, program.cache, {}, {}, options.checked, {}, {}, microseconds};
        for (const auto &[name, address] : buffers) {
            call.in[name].resize(m_memory.at(address).size() / sizeof(float));
            std::memcpy(call.in[name].data(), m_memory.at(address).data(),
                call.in[name].size() * sizeof(float));
        }
        call.poke = [&](const char *name, std::size_t index, float value) {
            std::memcpy(m_memory.at(buffers.at(name)).data() + index * sizeof(float), &value,
                sizeof(float));
        };
        call.y = call.in.at("y");
        program.kernel(call);
        std::memcpy(
            m_memory.at(buffers.at("y")).data(), call.y.data(), call.y.size() * sizeof(float));
        if (statistics) {
            statistics->warpInstructions += 1000;
            statistics->microseconds = call.microseconds;
        }
        return call.fault;
    }
    std::optional<gpu::DeviceFault> time(gpu::LoadedProgram &program, const gpu::ResolvedPlan &plan,
        const gpu::Buffers &buffers, const gpu::RunOptions &options,
        gpu::RunStatistics *statistics) override
    {
        return run(program, plan, buffers, options, statistics);
    }
    std::size_t buffersInUse() const { return m_memory.size(); }

private:
    struct Program : gpu::LoadedProgram {
        Kernel kernel;
        int count = 0;
        std::vector<float> cache;
    };
    gpu::DeviceFacts m_facts;
    std::map<gpu::DeviceAddress, std::vector<std::byte>> m_memory;
    gpu::DeviceAddress m_next = 0;
};
