#include "tests/gpu/conformance/casecompiler.h"

#include "gpu/compile/toolkit.h"

#include <utility>

namespace gpu::conformance {

Result<CaseCompiler> CaseCompiler::open()
{
    const auto toolkit = findToolkit("/proc/self/exe");
    if (!toolkit)
        return toolkit.error();
    auto nvrtc = Nvrtc::open(toolkit->nvrtc.string());
    if (!nvrtc)
        return nvrtc.error();
    std::vector<std::string> options = {"--std=c++17"};
    for (const std::filesystem::path &folder : toolkit->includes)
        options.push_back("-I" + folder.string());
    return CaseCompiler(std::move(*nvrtc), std::move(options));
}

CaseCompiler::CaseCompiler(Nvrtc nvrtc, std::vector<std::string> options)
    : m_nvrtc(std::move(nvrtc))
    , m_options(std::move(options))
{
}

Result<std::string> CaseCompiler::ptx(
    const std::string &source, const std::vector<std::string> &options) const
{
    auto output = compile(source, options, "--gpu-architecture=compute_90", false);
    if (!output)
        return output.error();
    return std::move(output->ptx);
}

Result<std::string> CaseCompiler::cubin(
    const std::string &source, const std::vector<std::string> &options) const
{
    auto output = compile(source, options, "--gpu-architecture=sm_90", true);
    if (!output)
        return output.error();
    return std::move(output->cubin);
}

Result<NvrtcOutput> CaseCompiler::compile(const std::string &source,
    std::vector<std::string> options, const char *architecture, bool wantCubin) const
{
    options.push_back(architecture);
    options.insert(options.end(), m_options.begin(), m_options.end());
    NvrtcOutput output
        = m_nvrtc.compile({source, "kernel.cu", {}, std::move(options), {}, wantCubin});
    if (!output.ok)
        return callerError("NVRTC: " + output.log);
    return output;
}

} // namespace gpu::conformance
