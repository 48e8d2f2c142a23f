#pragma once

#include "gpu/base/result.h"
#include "gpu/candidate/plan.h"
#include "gpu/verify/evaluation.h"

#include <memory>
#include <string>
#include <vector>

namespace gpu {

/// What to compile. `source` is the candidate's file as written; the compiler itself inserts the
/// `dim::` and `tune::` constants after the include block and keeps the line numbers.
struct CompileRequest {
    std::string source;
    Dims dims;
    TunablePoint tunables;
    std::vector<std::string> options; ///< whitelisted, from the plan
    std::vector<std::string> kernels; ///< names or template instantiations the plan launches
    std::string architecture = "sm_90"; ///< for the cubin; PTX is compute_XX of the same
    bool wantCubin = true;
};

struct CompiledKernel {
    std::string expression; ///< as the plan names it
    std::string loweredName; ///< mangled
    std::vector<std::size_t> parameterBytes; ///< from the cubin, by ordinal; empty without one
};

struct CompileOutput {
    bool ok = false;
    std::string ptx;
    std::string cubin; ///< raw bytes
    std::vector<CompiledKernel> kernels;
    std::vector<KernelResources> resources;
    std::vector<Diagnostic> diagnostics;
    std::string log;
    double compileMs = 0;
    /// Not empty: the candidate is not to blame (no NVRTC, child died of a signal, no memory).
    std::string environmentError;
    bool timedOut = false;
};

/// Compiles in a sandboxed child process. Blocking; safe to call from several threads at once, each
/// call uses its own child.
class Compiler {
public:
    virtual ~Compiler() = default;
    virtual CompileOutput compile(const CompileRequest &request, double timeLimitSeconds) = 0;
    /// SASS by nvdisasm of a cubin; environment error where nvdisasm is missing.
    virtual Result<std::string> disassemble(const std::string &cubin) = 0;
    /// NVRTC's version and the path of its headers, or what is missing and how to get it.
    virtual Result<std::string> description() const = 0;
    /// Empty if compiles run in a sandbox, else why they do not.
    virtual std::string sandboxWarning() const = 0;
};

/// The real one: children are `<worker> --compile-child` under bubblewrap.
/// `workerPath` is the espalier-worker binary.
std::unique_ptr<Compiler> makeCompiler(const std::string &workerPath);

} // namespace gpu
