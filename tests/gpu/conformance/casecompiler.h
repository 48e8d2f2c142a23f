#pragma once

#include "gpu/base/result.h"
#include "gpu/compile/nvrtc.h"

#include <string>
#include <vector>

namespace gpu::conformance {

/// Compiles cases in this process. One thread.
class CaseCompiler {
public:
    /// With the toolkit that the worker would take.
    static Result<CaseCompiler> open();
    /// For compute_90.
    Result<std::string> ptx(
        const std::string &source, const std::vector<std::string> &options) const;
    /// For sm_90, from the same source.
    Result<std::string> cubin(
        const std::string &source, const std::vector<std::string> &options) const;

private:
    CaseCompiler(Nvrtc nvrtc, std::vector<std::string> options);
    Result<NvrtcOutput> compile(const std::string &source, std::vector<std::string> options,
        const char *architecture, bool wantCubin) const;

    Nvrtc m_nvrtc;
    std::vector<std::string> m_options; ///< of every case
};

} // namespace gpu::conformance
