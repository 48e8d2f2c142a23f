#pragma once

#include "gpu/base/dim3.h"
#include "gpu/base/dtype.h"
#include "gpu/base/result.h"
#include "gpu/problem/problem.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpu {

/// An error in a candidate's plan: which key, and on which line of the candidate's file.
struct PlanError {
    std::string key;
    int line = 0;
    std::string message; ///< a full sentence that contains key and line
};

/// An expression as written, with the line it stands on.
struct PlanExpression {
    std::string text;
    int line = 0;
};

/// A kernel argument: a tensor or scratch name, or a number of a given type.
struct PlanArgument {
    PlanExpression value; ///< a tensor, scratch or tensor map name, or an expression
    std::string type; ///< empty: `int` if it is an expression; else "f32", "i64", …, "tensor_map"
};

struct KernelStep {
    std::string kernel; ///< name or template instantiation
    std::vector<PlanExpression> grid, block, cluster;
    std::optional<PlanExpression> shared;
    std::vector<PlanArgument> args;
    bool cooperative = false, pdl = false;
    std::optional<int> carveout;
    int line = 0;
};

struct MemsetStep {
    std::string target;
    PlanExpression value;
    int line = 0;
};

using PlanStep = std::variant<KernelStep, MemsetStep>;

struct ScratchSpec {
    std::string name;
    DType dtype = DType::F32;
    PlanExpression count;
    std::optional<PlanExpression> init;
};

/// A TMA descriptor: how a tensor is cut into boxes. Extents are innermost first.
struct TensorMapSpec {
    std::string name, tensor;
    std::vector<PlanExpression> dims, box;
    std::vector<PlanExpression> strides; ///< bytes, of all but the innermost; empty: dense
    std::vector<PlanExpression> elementStrides; ///< empty: all 1
    std::string swizzle = "none"; ///< none, 32B, 64B, 128B
    std::string interleave = "none"; ///< none, 16B, 32B
    std::string l2 = "none"; ///< promotion: none, 64B, 128B, 256B
    std::string oob = "zero"; ///< what reads outside give: zero, nan
    int line = 0;
};

/// A candidate's launch plan as written (design §5): nothing evaluated yet.
struct Plan {
    std::vector<std::pair<std::string, PlanExpression>> let;
    std::vector<PlanStep> steps;
    std::vector<ScratchSpec> scratch;
    std::map<std::string, std::vector<double>> tunables;
    std::vector<PlanExpression> where;
    std::vector<std::string> options; ///< already checked against the whitelist
    std::vector<TensorMapSpec> tensorMaps;
    bool hasTensorMaps = false; ///< unsupported on the CPU device
};

/// Reads the `/* plan … */` comment of a candidate. Unknown keys and wrong types are errors with
/// their line. Looks at the source only, so it needs no problem; `resolve` checks names and
/// numbers.
std::variant<Plan, PlanError> parsePlan(const std::string &source);

/// What expressions may name besides dims, tunables and `let`.
struct DeviceLimits {
    int smCount = 1;
    int maxSharedBytes = 49152; ///< opt-in limit a block
    int warpSize = 32;
    int maxThreadsPerBlock = 1024;
};

/// The plan with every number worked out for one size, one tunable point and one device.
struct ResolvedKernel {
    std::string kernel;
    Dim3 grid, block, cluster;
    std::uint32_t dynamicSharedBytes = 0;
    struct Argument {
        std::string buffer; ///< tensor, scratch or tensor map; empty: a scalar
        bool tensorMap = false; ///< `buffer` names a tensor map, passed by value (128 bytes)
        DType dtype = DType::I32; ///< of the scalar
        std::vector<std::byte> bytes; ///< the scalar's value, little-endian
    };
    std::vector<Argument> args;
    bool cooperative = false, pdl = false;
    std::optional<int> carveout; ///< percent of the SM's memory to prefer as shared; -1: default
    int line = 0;
};

struct ResolvedMemset {
    std::string buffer;
    std::uint8_t byteValue = 0;
};

struct ResolvedScratch {
    std::string name;
    DType dtype = DType::F32;
    std::int64_t count = 0;
    std::optional<double> init;
};

/// A tensor map in numbers, its rules checked: what cuTensorMapEncodeTiled takes.
struct ResolvedTensorMap {
    std::string name, tensor;
    DType dtype = DType::F32;
    std::vector<std::uint64_t> dims, stridesBytes; ///< one stride fewer than dims
    std::vector<std::uint32_t> box, elementStrides;
    std::string swizzle, interleave, l2, oob; ///< as in TensorMapSpec
};

struct ResolvedPlan {
    std::vector<std::variant<ResolvedKernel, ResolvedMemset>> steps;
    std::vector<ResolvedScratch> scratch;
    std::vector<ResolvedTensorMap> tensorMaps;
};

using TunablePoint = std::map<std::string, double>;

/// The first value of each tunable: what is evaluated when nobody says otherwise. Skips points that
/// `where` forbids.
std::variant<TunablePoint, PlanError> defaultPoint(
    const Plan &plan, const Dims &dims, const DeviceLimits &limits);

std::variant<ResolvedPlan, PlanError> resolve(const Plan &plan, const Problem &problem,
    const Dims &dims, const TunablePoint &point, const DeviceLimits &limits);

/// All points of the tunables that `where` allows, in declaration order, at most `limit`.
std::variant<std::vector<TunablePoint>, PlanError> allowedPoints(
    const Plan &plan, const Dims &dims, const DeviceLimits &limits, std::size_t limit = 1000);

/// Compares a step's arguments with the kernel's own parameters (sizes in bytes, in order).
std::optional<PlanError> checkArguments(
    const ResolvedKernel &step, const std::vector<std::size_t> &parameterBytes);

} // namespace gpu
