#pragma once

#include "gpu/ptx/warp.h"

namespace gpu::ptx {

/// mma, wmma, ldmatrix, stmatrix and movmatrix: they take whole warps. An empty selection for
/// shapes and types that matrix.h does not have.
Selection selectMatrix(const Operation &operation);

} // namespace gpu::ptx
