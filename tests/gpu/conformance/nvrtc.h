#pragma once

#include "gpu/base/result.h"

#include <memory>
#include <string>
#include <vector>

namespace gpu::conformance {

/// NVRTC opened at run time, with the toolkit's headers. One thread.
class Nvrtc {
public:
    /// `cudaHome` has include/ and lib/ or lib64/; empty: $CUDA_HOME, then /usr/local/cuda.
    static Result<std::unique_ptr<Nvrtc>> open(std::string cudaHome);
    virtual ~Nvrtc() = default;
    /// PTX for compute_90.
    virtual Result<std::string> ptx(
        const std::string &source, const std::vector<std::string> &options)
        = 0;
    /// A cubin for sm_90 from the same source.
    virtual Result<std::string> cubin(
        const std::string &source, const std::vector<std::string> &options)
        = 0;
};

} // namespace gpu::conformance
