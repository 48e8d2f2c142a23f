#pragma once

#include "gpu/base/result.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpu {

/// One program for NVRTC.
struct NvrtcJob {
    std::string source;
    std::string name; ///< the file that messages and line tables name
    std::vector<std::pair<std::string, std::string>> headers; ///< name as included, text
    std::vector<std::string> options;
    std::vector<std::string> expressions; ///< kernels by name or template instantiation
    bool wantCubin = false;
};

struct NvrtcOutput {
    bool ok = false;
    std::string status; ///< NVRTC's name of its result code
    std::string log, ptx, cubin;
    std::vector<std::string> loweredNames; ///< one for each expression; empty unless ok
};

/// NVIDIA's run-time compiler, opened with dlopen. Compiling in several threads works but does not
/// scale: the front end takes a lock.
class Nvrtc {
public:
    /// Environment error if the library cannot be loaded or lacks a function.
    static Result<Nvrtc> open(const std::string &library);
    /// "13.0".
    std::string version() const;
    NvrtcOutput compile(const NvrtcJob &job) const;

private:
    struct Functions;
    std::shared_ptr<const Functions> m_functions;
};

} // namespace gpu
