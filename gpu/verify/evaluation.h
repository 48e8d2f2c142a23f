#pragma once

#include "gpu/verify/verdict.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpu {

/// Time of one whole plan execution, microseconds.
struct TimeStatistics {
    double medianUs = 0;
    double lowUs = 0; ///< 95% interval of the median
    double highUs = 0;
    double minUs = 0;
    std::vector<double> samplesUs; ///< raw, in the order taken
    bool graphReplay = false;
};

/// One (size, distribution) pair of the check.
struct CheckResult {
    std::string size;
    std::string distribution;
    bool passed = false;
    double error = 0; ///< relative to the fp64 truth, see verify/precision.h for the norm
    std::string precisionClass; ///< tightest class whose yardstick holds here; empty if none
    std::string message; ///< empty if passed
};

/// Where and how the first wrong element differs.
struct WrongElement {
    std::string tensor;
    std::vector<std::int64_t> index;
    double wanted = 0;
    double got = 0;
};

/// Measured precision over all checks.
struct PrecisionResult {
    std::string precisionClass; ///< "fp32", "tf32", "fp16", "bf16"; empty if none holds
    double error = 0; ///< the worst check's error
    std::map<std::string, double> yardsticks; ///< of the worst check, by class name
    bool allclose1e4 = false; ///< KernelBench's allclose at 1e-4 on the default distribution
    bool allclose1e2 = false;
};

/// What one kernel takes, read from the cubin.
struct KernelResources {
    std::string kernel; ///< as the plan names it
    int registers = 0;
    int sharedBytes = 0; ///< static
    int localBytes = 0; ///< stack frame a thread
    int spillStoreBytes = 0;
    int spillLoadBytes = 0;
};

/// A compiler message in the candidate's own numbering.
struct Diagnostic {
    std::string severity; ///< "error", "warning", "note"
    int line = 0; ///< 1-based; 0 if it has none
    int column = 0;
    std::string text;
};

/// Where on the device a fault happened.
struct FaultLocation {
    std::string kernel;
    std::vector<std::uint32_t> block, thread; ///< x, y, z
    int line = 0; ///< in the candidate's source; 0 if unknown
    std::uint64_t address = 0;
};

/// All that is known of one evaluated candidate. The JSON form is design §8's.
struct Evaluation {
    Verdict verdict = Verdict::EnvironmentError;
    std::string message;
    std::string problem;
    std::string deviceKind; ///< "cpu" or "cuda"
    std::string deviceName;
    std::string size;
    std::uint64_t seed = 0; ///< of the inputs, told only afterwards
    std::optional<TimeStatistics> time; ///< only with `Ok`
    double floorUs = 0;
    PrecisionResult precision;
    std::vector<CheckResult> checks;
    std::optional<WrongElement> wrong;
    std::optional<FaultLocation> fault;
    double compileMs = 0;
    std::vector<KernelResources> resources;
    std::vector<Diagnostic> diagnostics;
    std::string compileLog;
    std::map<std::string, double> tunables; ///< the point that was evaluated
};

nlohmann::json toJson(const Evaluation &evaluation);
/// Tolerates missing keys; non-finite numbers travel as null.
Evaluation evaluationFromJson(const nlohmann::json &json);

} // namespace gpu
