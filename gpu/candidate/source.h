#pragma once

#include "gpu/candidate/plan.h"

#include <optional>
#include <string>

namespace gpu {

/// The file name that compiler messages and line tables give a candidate.
inline constexpr const char *CandidateFile = "candidate.cu";

/// The candidate with `dim::` and `tune::` constants put in after its leading includes. They are
/// constexpr, never macros, so a parameter may be called `rows`. `#line` keeps the candidate's own
/// line numbers.
std::string translationUnit(
    const std::string &source, const Dims &dims, const TunablePoint &tunables);

/// An `#include` that a kernel must not or cannot have: absolute paths and `..` (they would read
/// this machine's files into the log), names made by macros, and host libraries.
struct IncludeProblem {
    int line = 0;
    std::string message; ///< a full sentence; quotes the directive, never the file
};
std::optional<IncludeProblem> findIncludeProblem(const std::string &source);

/// Whether the source includes one of CUDA's C++ libraries (`cuda/…`, `cub/…`) itself.
bool includesCccl(const std::string &source);

} // namespace gpu
