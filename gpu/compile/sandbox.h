#pragma once

#include "gpu/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gpu {

/// What a sandboxed program may see, all of it read-only.
struct SandboxView {
    std::vector<std::filesystem::path> files; ///< programs and libraries, with what they link
    std::vector<std::filesystem::path> folders;
};

/// The bubblewrap command to put before a program's own: no network, no home, no /proc, no
/// environment, an empty /tmp as working folder, and only the view. The program dies with us.
/// Environment error if bwrap is not installed or the linker cannot list the libraries.
Result<std::vector<std::string>> sandboxCommand(const SandboxView &view);

} // namespace gpu
