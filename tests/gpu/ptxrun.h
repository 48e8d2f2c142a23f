#pragma once

#include "gpu/ptx/interpreter.h"

#include <cstring>
#include <string>
#include <vector>

/// Runs one hand-written kernel for the PTX tests.
struct PtxRun {
    std::optional<gpu::ptx::Fault> fault;
    std::string error; ///< of decoding or loading
    std::vector<std::uint32_t> out;
    gpu::ptx::LaunchStatistics statistics;

    /// `body` is the body of a kernel `k(.param .u64 out)`; %o holds the pointer. Registers %r %rd
    /// %f %fd %h %p are declared, 64 of each.
    static std::string kernel(const std::string &body, const std::string &module = {})
    {
        return ".version 9.0\n.target sm_90\n.address_size 64\n" + module
            + ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<64>;\n.reg .b16 %h<64>;\n"
              ".reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n.reg .f32 %f<64>;\n.reg .f64 %fd<64>;\n"
              ".reg .b64 %o;\nld.param.u64 %o, [out];\ncvta.to.global.u64 %o, %o;\n"
            + body + "\nret;\n}\n";
    }

    static PtxRun run(const std::string &ptx, gpu::Dim3 block = {32, 1, 1},
        gpu::Dim3 grid = {1, 1, 1}, std::size_t words = 1024,
        gpu::ptx::ExecutionOptions options = {}, std::uint32_t dynamicShared = 0)
    {
        PtxRun result;
        const auto program = gpu::ptx::decode(ptx);
        if (!program)
            return result.error = program.error().message, result;
        gpu::ptx::GlobalMemory memory(std::uint64_t(1) << 30);
        const auto instance = gpu::ptx::Instance::load(*program, memory);
        if (!instance)
            return result.error = instance.error().message, result;
        const auto out = memory.allocate(words * 4, "out");
        std::memset(memory.contents(*out).data(), 0, words * 4);
        gpu::ptx::Launch launch;
        launch.kernel = "k";
        launch.grid = grid;
        launch.block = block;
        launch.dynamicSharedBytes = dynamicShared;
        launch.parameters.resize(8);
        std::memcpy(launch.parameters.data(), &*out, 8);
        result.fault = gpu::ptx::run(**instance, memory, launch, options, &result.statistics);
        result.out.resize(words);
        std::memcpy(result.out.data(), memory.contents(*out).data(), words * 4);
        return result;
    }
};
