#pragma once

#include "gpu/base/dtype.h"
#include "gpu/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpu {

/// One input tensor to fill.
struct InputShape {
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    bool parameter = false; ///< weights: normal whatever the distribution is
    std::uint32_t ordinal = 0; ///< its place among the inputs: inputs differ from each other
};

/// The distributions of design §6 for a problem whose data inputs have at most `rank` axes, in the
/// order they are checked. `listed` is problem.json's list; empty means all but `special_values`.
/// "stripes" becomes one entry an axis: stripes_0, stripes_1, … `normal` always comes first.
/// Caller error for a name that is not one of: normal, uniform, large_offset, large_scale,
/// tiny_scale, stripes, ramp, constant_rows, heavy_tails, one_hot, sparse, special_values.
Result<std::vector<std::string>> expandDistributions(
    const std::vector<std::string> &listed, std::size_t rank);

/// The values of an input, a pure function of its arguments; what a narrow dtype cannot hold is
/// rounded when encoded. `distribution` is an expanded name.
///
/// large_offset has mean 1000 (naive variances cancel); stripes_k add a pattern of period 16 along
/// axis k (threads and blocks that stride by a power of two see constant data: variance between
/// blocks is all there is) to bands of width 37 (which divide no usual tile); heavy_tails is a
/// signed Pareto of index 2 (the variance is infinite: sampled answers miss the few that matter).
std::vector<double> generate(
    const std::string &distribution, const InputShape &input, std::uint64_t seed);

std::int64_t elementCount(const std::vector<std::int64_t> &shape);

} // namespace gpu
