#pragma once

#include "gpu/verify/reference.h"

namespace gpu {

/// Refuses a problem that cannot tell right from wrong (design §6), before any candidate is judged
/// by it. For each size: zeros, a constant, the mean and a copy of each input must fail some check,
/// and the seed must pass them all.
///
/// Constant and mean are taken from the truth for *other* inputs of the same distribution: a scalar
/// output would equal its own mean. A trivial answer may pass a single distribution (a softmax of
/// constant rows is constant); one that passes every distribution of a size would be accepted as a
/// solution, and is a caller error that names it and them.
Status probeProblem(
    Device &device, const std::vector<Reference *> &references, const std::string &precision);

} // namespace gpu
