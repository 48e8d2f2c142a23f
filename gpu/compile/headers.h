#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpu {

/// Device-side stand-ins for the standard headers that NVRTC has none of and kernels include all
/// the time: name as included, text. For a source that includes CUDA's C++ library (`cuda/std/…`)
/// too, the integer types come from there, since both would define them.
const std::vector<std::pair<std::string, std::string>> &stubHeaders(bool besideCccl);

} // namespace gpu
