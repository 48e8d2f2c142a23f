#pragma once

#include "gpu/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gpu {

/// Where the parts of a CUDA toolkit are on this machine.
struct Toolkit {
    std::filesystem::path home; ///< the folder they were found in
    std::filesystem::path nvrtc; ///< libnvrtc.so.NN
    std::vector<std::filesystem::path> includes; ///< in search order
};

/// Looks in ESPALIER_CUDA_HOME (alone, if it is set), CUDA_HOME, CUDA_PATH, a `cuda` folder beside
/// the program's folder, /usr/local/cuda and the site-packages of Python. A toolkit counts if it
/// has NVRTC and its headers. Environment error with the remedy.
Result<Toolkit> findToolkit(const std::filesystem::path &program);

/// nvdisasm in one of those folders or in PATH. Environment error with the remedy.
Result<std::filesystem::path> findNvdisasm(const std::filesystem::path &program);

} // namespace gpu
