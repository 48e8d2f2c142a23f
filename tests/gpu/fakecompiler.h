#pragma once

#include "gpu/compile/compiler.h"

#include <atomic>
#include <chrono>
#include <thread>

/// "Compiles" a candidate by taking the word after `body:` in its source as the name of what a fake
/// device or runner does. `broken` does not compile.
class FakeCompiler : public gpu::Compiler {
public:
    std::atomic<int> compiles = 0;
    int milliseconds = 0;

    gpu::CompileOutput compile(const gpu::CompileRequest &request, double) override
    {
        ++compiles;
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        gpu::CompileOutput output;
        const std::size_t at = request.source.find("body:");
        output.ptx = at == std::string::npos ? "" : request.source.substr(at + 5);
        output.ptx = output.ptx.substr(0, output.ptx.find_first_of(" \n"));
        output.ok = output.ptx != "broken";
        output.compileMs = 1;
        if (output.ptx == "nonvrtc")
            output.environmentError = "NVRTC is missing.";
        if (!output.ok) {
            output.diagnostics = {{"error", 7, 1, "it is broken"}};
            output.log = "line 7: it is broken";
        }
        for (const std::string &kernel : request.kernels)
            output.kernels.push_back({kernel, kernel, {8, 8}});
        return output;
    }
    gpu::Result<std::string> disassemble(const std::string &) override
    {
        return gpu::environmentError("nvdisasm is missing.");
    }
    gpu::Result<std::string> description() const override { return std::string("fake 1.0"); }
    std::string sandboxWarning() const override { return "no sandbox"; }
};

/// A candidate whose kernel does what `body` names.
inline std::string fakeSource(const std::string &body)
{
    return "/* plan\n{ \"launches\": [ { \"kernel\": \"k\", \"grid\": [1], \"block\": [32], "
           "\"args\": "
           "[\"x\", \"y\"] } ] }\n*/\n// body:"
        + body + "\nextern \"C\" __global__ void k(const float *x, float *y) {}\n";
}

/// y = x or the like, over 16 rows of 64.
inline gpu::Problem fakeProblem()
{
    gpu::Problem problem;
    problem.id = "fake";
    problem.title = problem.description = "Fake";
    problem.dims = {{"rows", "16"}};
    problem.sizes = {{"full", {}}, {"small", {{"rows", 16}}}, {"odd", {{"rows", 5}}}};
    problem.inputs = {{"x", gpu::DType::F32, {"rows", "64"}, false}};
    problem.outputs = {{"y", gpu::DType::F32, {"rows", "64"}, false}};
    problem.distributions = {"normal", "uniform"};
    problem.flops = "rows*64";
    problem.bytes = "rows*64*8";
    problem.precision = "fp32";
    problem.oracleSource = fakeSource("oracle");
    problem.seedSource = fakeSource("seed");
    return problem;
}
