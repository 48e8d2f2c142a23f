#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpu {

/// Whether the text can name a C++ constant: an identifier, no keyword, and none of the names that
/// the language or CUDA reserves (double underscore, underscore and capital).
bool isCppIdentifier(std::string_view text);

/// The known name that is nearest to a misspelt one, or empty where none is near (edit distance of
/// at most a third of its length; letter case does not count).
std::string nearestName(std::string_view wrong, const std::vector<std::string> &known);

/// "a, b and c", for messages.
std::string listed(const std::vector<std::string> &names);

} // namespace gpu
