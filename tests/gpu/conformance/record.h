#pragma once

#include "tests/gpu/conformance/case.h"

#include <nlohmann/json.hpp>

#include <string>

namespace gpu::conformance {

/// What a GPU gave, as kept in the repository: {"device", "cases": {name: {"source", "outputs"}}}.
/// An exact output is a hash and its size, an approximate one its bytes in hexadecimal; "source"
/// is the hash of the .cu file, so that a changed kernel is recorded again.
nlohmann::json emptyRecord(const std::string &device);
void addToRecord(nlohmann::json &record, const Case &test, const Outputs &outputs);
/// The first disagreement with the record, also when the case is missing or has changed since.
std::optional<std::string> differenceFromRecord(
    const nlohmann::json &record, const Case &test, const Outputs &outputs);

} // namespace gpu::conformance
