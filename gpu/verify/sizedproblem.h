#pragma once

#include "gpu/base/dtype.h"
#include "gpu/base/result.h"
#include "gpu/problem/problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpu {

/// Raw elements of several tensors, in the order of the problem's inputs or outputs.
using TensorBytes = std::vector<std::vector<std::byte>>;
/// The same, decoded.
using TensorValues = std::vector<std::vector<double>>;

/// A tensor whose shape is worked out.
struct SizedTensor {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    bool parameter = false;
    std::int64_t count = 0;

    std::size_t bytes() const { return static_cast<std::size_t>(count) * sizeInBytes(dtype); }
};

/// A problem at one of its sizes, all expressions evaluated.
struct SizedProblem {
    std::string size;
    Dims dims;
    std::vector<SizedTensor> inputs, outputs;
    std::vector<std::string> distributions; ///< expanded, in the order they are checked
    double flops = 0, trafficBytes = 0; ///< the least work

    std::size_t tensorBytes() const;
    /// Inputs of a check as the device sees them: already rounded to their types.
    TensorBytes generateInputs(const std::string &distribution, std::uint64_t seed) const;
};

/// Caller error for an unknown size or a problem whose expressions do not work at this size.
Result<SizedProblem> sizeProblem(const Problem &problem, const std::string &size);

TensorValues decodeTensors(const std::vector<SizedTensor> &tensors, const TensorBytes &bytes);

/// [3, 0, 7] of a flat index.
std::vector<std::int64_t> unflatten(const std::vector<std::int64_t> &shape, std::int64_t index);

} // namespace gpu
