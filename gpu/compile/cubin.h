#pragma once

#include "gpu/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpu {

/// What a cubin says of one kernel.
struct CubinKernel {
    std::string name; ///< mangled
    int registers = 0; ///< a thread
    int frameBytes = 0; ///< stack frame a thread
    int staticSharedBytes = 0; ///< without what the hardware reserves
    int maxThreads = 0; ///< of __launch_bounds__; 0: not given
    std::vector<std::size_t> parameterBytes; ///< by ordinal
};

/// Reads the kernels of a 64-bit cubin from its ELF sections and .nv.info attributes. Any bytes may
/// come in: what is cut off or contradicts itself is an environment error, never a crash.
Result<std::vector<CubinKernel>> readCubin(std::string_view bytes);

} // namespace gpu
