#pragma once

#include <string>
#include <vector>

namespace gpu {

/// Why a candidate may not have this compiler option: empty if it may, else a sentence that names
/// the option and those that are allowed. Options that name folders or files, the target, macros,
/// or anything else that the verdict's environment rests on are refused.
std::string optionProblem(const std::string &option);

/// Whether the options ask for fast math, shown beside the precision class.
bool usesFastMath(const std::vector<std::string> &options);

} // namespace gpu
