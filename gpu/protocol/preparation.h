#pragma once

#include "gpu/candidate/plan.h"
#include "gpu/compile/compiler.h"
#include "gpu/device/device.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpu {

/// A candidate's (or oracle's, or seed's) plan in numbers for one size, and what to compile for it.
struct PreparedSource {
    ResolvedPlan plan;
    CompileRequest request;
};

/// `point`: the tunables' values; nullopt: the plan's default point. `Error` only for a size that
/// the problem lacks.
std::variant<PreparedSource, PlanError, Error> prepareSource(const std::string &source,
    const Problem &problem, const std::string &size, const std::optional<TunablePoint> &point,
    const DeviceFacts &device);

/// Compares the plan's arguments with the parameters that the compiled kernels have.
std::optional<PlanError> checkPlan(const ResolvedPlan &plan, const CompileOutput &code);

/// The size that a device is judged at unless told otherwise, and the one for generality.
std::vector<std::string> checkedSizes(const std::string &requested);
std::string defaultSize(const DeviceFacts &device);

/// Code as it travels to the runner: PTX, cubin in hexadecimal, and the kernels' names.
nlohmann::json toJson(const CompileOutput &code);
CompileOutput codeFromJson(const nlohmann::json &json);
DeviceFacts deviceFactsFromJson(const nlohmann::json &json);
TunablePoint pointFromJson(const nlohmann::json &json);

} // namespace gpu
