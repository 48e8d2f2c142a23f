#include "gpu/compile/compiler.h"

#include "gpu/base/files.h"
#include "gpu/candidate/source.h"
#include "gpu/compile/child.h"
#include "gpu/compile/childpool.h"
#include "gpu/compile/cubin.h"
#include "gpu/compile/diagnostics.h"
#include "gpu/compile/headers.h"
#include "gpu/compile/options.h"
#include "gpu/compile/sandbox.h"
#include "gpu/compile/toolkit.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>

namespace gpu {

namespace {
using Clock = std::chrono::steady_clock;

// NVRTC reserves little address space and needs about 250 MB for large headers.
constexpr std::size_t MemoryLimitBytes = std::size_t(4) << 30;
constexpr int FirstCachingVersion = 13;
constexpr int MaxStaticSharedBytes = 49152;
constexpr double DisassembleSeconds = 30, WriteSeconds = 10;

constexpr const char *MemoryMessage = "Compiling needed more than the limit of 4 GiB of memory. "
                                      "Use fewer template instantiations and "
                                      "smaller constant tables.";

// A sanitizer reserves terabytes of address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool LimitsMemory = false;
#else
constexpr bool LimitsMemory = true;
#endif

class ChildCompiler : public Compiler {
public:
    explicit ChildCompiler(std::string workerPath)
        : m_worker(std::move(workerPath))
    {
    }

    CompileOutput compile(const CompileRequest &request, double timeLimitSeconds) override;
    Result<std::string> disassemble(const std::string &cubin) override;
    Result<std::string> description() const override;
    std::string sandboxWarning() const override
    {
        setUp();
        return m_warning;
    }

private:
    void setUp() const
    {
        std::call_once(m_once, [this] { setUpOnce(); });
    }
    void setUpOnce() const;
    std::vector<std::string> options(const CompileRequest &request) const;
    void run(const NvrtcJob &job, double timeLimitSeconds, NvrtcOutput &answer,
        CompileOutput &output) const;
    void blameDeath(const ProcessEnd &end, const std::string &errors, CompileOutput &output) const;
    bool compilesTrivially() const;

    const std::string m_worker;
    // Found out at the first use; const afterwards.
    mutable std::once_flag m_once;
    mutable Toolkit m_toolkit;
    mutable std::unique_ptr<ChildPool> m_pool;
    mutable std::string m_error, m_warning, m_version;
};

void addError(CompileOutput &output, int line, const std::string &text)
{
    output.ok = false;
    output.diagnostics.push_back({"error", line, 0, text});
    output.log += std::string(CandidateFile)
        + (line > 0 ? "(" + std::to_string(line) + ")" : std::string()) + ": error: " + text + "\n";
}

void ChildCompiler::setUpOnce() const
{
    const Result<Toolkit> toolkit = findToolkit(m_worker);
    if (!toolkit) {
        m_error = toolkit.error().message;
        return;
    }
    m_toolkit = *toolkit;
    ProcessLimits limits;
    limits.diesWithStarter = true;
    limits.addressSpaceBytes = LimitsMemory ? MemoryLimitBytes : 0;
    const std::size_t spare
        = std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, 4);
    const std::vector<std::string> plain = {m_worker, "--compile-child", m_toolkit.nvrtc.string()};

    SandboxView view{{m_worker, m_toolkit.nvrtc}, {m_toolkit.nvrtc.parent_path()}};
    view.folders.insert(view.folders.end(), m_toolkit.includes.begin(), m_toolkit.includes.end());
    const Result<std::vector<std::string>> sandbox = sandboxCommand(view);
    std::string reason;
    if (sandbox) {
        std::vector<std::string> command = *sandbox;
        command.insert(command.end(), plain.begin(), plain.end());
        m_pool = std::make_unique<ChildPool>(command, limits, spare);
        const Result<ReadyChild> probe = m_pool->start();
        if (probe) {
            m_version = probe->version;
            return;
        }
        reason = probe.error().message;
    } else {
        reason = sandbox.error().message;
    }
    m_pool = std::make_unique<ChildPool>(plain, limits, spare);
    const Result<ReadyChild> probe = m_pool->start();
    if (!probe) {
        m_error = probe.error().message;
        return;
    }
    m_version = probe->version;
    // What a process wrote ends with a newline, and perhaps with its own full stop.
    reason.erase(reason.find_last_not_of(" \n.") + 1);
    m_warning
        = "Kernels are compiled without a sandbox, because bubblewrap does not run here: " + reason
        + ". Includes of files outside CUDA's headers are refused by a check of the source "
          "only.";
}

std::vector<std::string> ChildCompiler::options(const CompileRequest &request) const
{
    std::string target = request.architecture;
    if (!request.wantCubin && target.starts_with("sm_"))
        target = "compute_" + target.substr(3);
    // -lineinfo does not change the machine code; profiles and fault reports need it always.
    std::vector<std::string> result = {"-arch=" + target, "-lineinfo"};
    if (request.wantCubin)
        result.push_back("-Xptxas=-v");
    if (std::atoi(m_version.c_str()) >= FirstCachingVersion)
        result.push_back("-no-cache");
    for (const std::filesystem::path &include : m_toolkit.includes)
        result.push_back("-I" + include.string());
    // Without it cooperative_groups.h pulls in libcu++: 650 ms instead of 47.
    if (!includesCccl(request.source))
        result.push_back("-D_CG_LIMIT_INCLUDED_DEPENDENCIES");
    result.insert(result.end(), request.options.begin(), request.options.end());
    return result;
}

void ChildCompiler::run(
    const NvrtcJob &job, double timeLimitSeconds, NvrtcOutput &answer, CompileOutput &output) const
{
    Result<ReadyChild> child = m_pool->take();
    if (!child) {
        output.environmentError = child.error().message;
        return;
    }
    ChildProcess &process = *child->process;
    const Clock::time_point start = Clock::now();
    std::string line;
    using Outcome = ChildProcess::Outcome;
    Outcome outcome = process.writeLine(
        toJson(job).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), WriteSeconds);
    if (outcome == Outcome::Done)
        outcome = process.readLine(line, timeLimitSeconds);
    output.compileMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (outcome == Outcome::TimedOut) {
        process.stop(0);
        output.timedOut = true;
        addError(output, 0,
            "Compiling took longer than the limit of "
                + std::to_string(timeLimitSeconds).substr(0, 5)
                + " seconds and was stopped. Use fewer template instantiations and less "
                  "unrolling.");
    } else if (outcome == Outcome::TooLong) {
        addError(output, 0, "Compiling gave more output than is kept. Generate less code.");
    } else if (outcome != Outcome::Done || !fromJson(line, answer)) {
        const ProcessEnd end = process.stop(1);
        blameDeath(end, process.errorText(), output);
    }
}

/// A compiler that died: the candidate is to blame only if the same compiler still works otherwise.
void ChildCompiler::blameDeath(
    const ProcessEnd &end, const std::string &errors, CompileOutput &output) const
{
    if (!compilesTrivially()) {
        output.environmentError = "The compile process " + end.text()
            + ", and an empty kernel does not compile either. " + errors;
        return;
    }
    const bool memory = errors.find("bad_alloc") != std::string::npos
        || errors.find("out of memory") != std::string::npos || end.signal == SIGKILL;
    addError(output, 0,
        memory ? MemoryMessage
               : "The compiler crashed on this source (it " + end.text()
                + "), while it compiles an empty kernel. Simplify the code.");
}

bool ChildCompiler::compilesTrivially() const
{
    const Result<ReadyChild> child = m_pool->start();
    return child.ok(); // It has compiled an empty kernel before it said hello.
}

/// ptxas refuses too much static shared memory without saying so.
void explainSilence(CompileOutput &output, const std::string &log)
{
    for (const Diagnostic &diagnostic : output.diagnostics)
        if (diagnostic.severity == "error")
            return;
    for (const PtxasUsage &usage : parsePtxasUsage(log))
        if (usage.sharedBytes > MaxStaticSharedBytes)
            addError(output, 0,
                usage.function + " has " + std::to_string(usage.sharedBytes)
                    + " bytes of static shared memory; the limit is 49152. Use extern __shared__ "
                      "and "
                      "the plan's \"shared\" for more.");
}

/// Fills parameters and resources from the cubin and ptxas -v.
void describeKernels(CompileOutput &output, const std::string &log)
{
    const Result<std::vector<CubinKernel>> cubin = readCubin(output.cubin);
    if (!cubin) {
        output.ok = false;
        output.environmentError = cubin.error().message;
        return;
    }
    const std::vector<PtxasUsage> usages = parsePtxasUsage(log);
    for (CompiledKernel &kernel : output.kernels) {
        KernelResources resources;
        resources.kernel = kernel.expression;
        for (const CubinKernel &entry : *cubin)
            if (entry.name == kernel.loweredName) {
                kernel.parameterBytes = entry.parameterBytes;
                resources.registers = entry.registers;
                resources.sharedBytes = entry.staticSharedBytes;
                resources.localBytes = entry.frameBytes;
            }
        for (const PtxasUsage &usage : usages)
            if (usage.function == kernel.loweredName) {
                resources.spillStoreBytes = usage.spillStoreBytes;
                resources.spillLoadBytes = usage.spillLoadBytes;
            }
        output.resources.push_back(std::move(resources));
    }
}

CompileOutput ChildCompiler::compile(const CompileRequest &request, double timeLimitSeconds)
{
    CompileOutput output;
    if (const std::optional<IncludeProblem> problem = findIncludeProblem(request.source)) {
        addError(output, problem->line, problem->message);
        return output;
    }
    // Checked with the plan already; a request may come from elsewhere.
    for (const std::string &option : request.options)
        if (const std::string problem = optionProblem(option); !problem.empty()) {
            addError(output, 0, problem);
            return output;
        }
    setUp();
    if (!m_error.empty()) {
        output.environmentError = m_error;
        return output;
    }
    NvrtcJob job{translationUnit(request.source, request.dims, request.tunables), CandidateFile,
        stubHeaders(includesCccl(request.source)), options(request), request.kernels,
        request.wantCubin};
    NvrtcOutput answer;
    run(job, timeLimitSeconds, answer, output);
    if (!output.environmentError.empty() || !output.diagnostics.empty())
        return output;

    output.ok = answer.ok;
    output.log = readableLog(answer.log);
    output.diagnostics = parseDiagnostics(answer.log, CandidateFile);
    if (!answer.ok) {
        explainSilence(output, answer.log);
        if (answer.status == "NVRTC_ERROR_OUT_OF_MEMORY"
            || answer.log.find("out of memory") != std::string::npos)
            addError(output, 0, MemoryMessage);
        else if (answer.status != "NVRTC_ERROR_COMPILATION"
            && answer.status != "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID")
            output.environmentError = "NVRTC " + m_version + " failed with " + answer.status
                + " for " + request.architecture + ". " + readableLog(answer.log)
                + (answer.log.find("gpu-architecture") == std::string::npos
                        ? ""
                        : "This device is newer or older than the toolkit: install a CUDA toolkit "
                          "that "
                          "knows it.");
        else if (output.diagnostics.empty())
            addError(output, 0, "NVRTC refused the source without a message.");
        return output;
    }
    output.ptx = std::move(answer.ptx);
    output.cubin = std::move(answer.cubin);
    for (std::size_t i = 0; i < request.kernels.size(); ++i) {
        const std::string lowered = i < answer.loweredNames.size() ? answer.loweredNames[i] : "";
        output.kernels.push_back({request.kernels[i], lowered, {}});
        if (output.ptx.find(".entry " + lowered + "(") == std::string::npos)
            addError(output, 0,
                "\"" + request.kernels[i]
                    + "\", which the plan launches, is no __global__ function.");
    }
    if (output.ok && request.wantCubin)
        describeKernels(output, answer.log);
    return output;
}

Result<std::string> ChildCompiler::disassemble(const std::string &cubin)
{
    const Result<std::filesystem::path> nvdisasm = findNvdisasm(m_worker);
    if (!nvdisasm)
        return nvdisasm.error();
    const Result<TemporaryFolder> folder = TemporaryFolder::create();
    if (!folder)
        return folder.error();
    const std::filesystem::path file = folder->path() / "kernel.cubin";
    if (const Status written = writeFile(file, cubin); !written)
        return written.error();
    ProcessLimits limits;
    limits.wallSeconds = DisassembleSeconds;
    const Result<ProcessResult> result
        = runProcess({nvdisasm->string(), "-c", "-g", file.string()}, {}, limits);
    if (!result)
        return result.error();
    if (!result->end.succeeded())
        return environmentError("nvdisasm "
            + (result->timedOut ? "took longer than 30 seconds" : result->end.text()) + ". "
            + result->err);
    return result->out;
}

Result<std::string> ChildCompiler::description() const
{
    setUp();
    if (!m_error.empty())
        return environmentError(m_error);
    return "NVRTC " + m_version + " with the headers in " + m_toolkit.includes.front().string();
}
} // namespace

std::unique_ptr<Compiler> makeCompiler(const std::string &workerPath)
{
    return std::make_unique<ChildCompiler>(workerPath);
}

} // namespace gpu
