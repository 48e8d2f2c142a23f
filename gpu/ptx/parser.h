#pragma once

#include "gpu/base/result.h"
#include "gpu/ptx/syntax.h"

#include <string_view>

namespace gpu::ptx {

/// Parses a PTX module. A candidate error names the PTX line.
Result<syntax::Module> parse(std::string_view ptx);

} // namespace gpu::ptx
