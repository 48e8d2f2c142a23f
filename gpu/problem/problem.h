#pragma once

#include "gpu/base/dtype.h"
#include "gpu/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gpu {

/// Named integers of one size of a problem, in declaration order.
using Dims = std::vector<std::pair<std::string, std::int64_t>>;

/// An input or output tensor; the shape's entries are expressions over dims.
struct TensorSpec {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::string> shape;
    /// "data" follows the check's distribution; "parameter" (weights, bias) stays normal.
    bool parameter = false;
};

/// A problem as read from its folder (design §4): what to compute and how it is judged.
///
/// problem.json keys: id, title, description; dims {name: integer or expression over earlier dims};
/// sizes {name: {dim: integer}} with at least full, small, odd; inputs [{name, dtype, shape,
/// role}]; outputs [{name, dtype, shape}]; distributions [names, see verify/distribution.h]; work
/// {flops, bytes}; precision.
struct Problem {
    std::string id, title, description;
    std::vector<std::pair<std::string, std::string>> dims; ///< name, integer or expression
    std::map<std::string, std::map<std::string, std::int64_t>> sizes;
    std::vector<TensorSpec> inputs, outputs;
    std::vector<std::string> distributions;
    std::string flops, bytes; ///< expressions: the least work, for the speed-of-light floor
    std::string precision; ///< class a win must keep
    /// oracle.cu: the truth, trusted. Sees the inputs as they are; its floating outputs are f64
    /// whatever the problem says of them.
    std::string oracleSource;
    std::string seedSource; ///< seed.cu: round 0

    /// The dims at a named size. Caller error for an unknown size.
    Result<Dims> dimsAt(const std::string &size) const;
};

/// Reads a problem folder. Errors name the file, the key and the remedy.
Result<Problem> loadProblem(const std::filesystem::path &folder);
/// The form that travels to a worker: problem.json with both sources inside.
nlohmann::json toJson(const Problem &problem);
Result<Problem> problemFromJson(const nlohmann::json &json);

} // namespace gpu
