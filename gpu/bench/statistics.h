#pragma once

#include "gpu/verify/evaluation.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpu {

/// A value with its 95% interval.
struct Interval {
    double value = 0, low = 0, high = 0;
    /// Width over value; infinite if value is 0.
    double relativeWidth() const;
};

double median(std::vector<double> values);

/// The median with its distribution-free 95% interval: the order statistics whose ranks are the
/// binomial(n, 1/2) quantiles (Conover, Practical Nonparametric Statistics). Below six samples no
/// pair of order statistics reaches 95%: the whole range is given.
Interval medianInterval(std::vector<double> values);

TimeStatistics summarise(const std::vector<double> &samplesUs);

/// When to stop taking samples: the interval is narrower than the target, or a limit is reached.
struct StoppingRule {
    double relativeWidth = 0.005;
    std::size_t leastSamples = 7, mostSamples = 1000;
    double limitSeconds = 0.7; ///< not before `leastSamples`

    bool enough(const std::vector<double> &samplesUs, double elapsedSeconds) const;
};

enum class Comparison { Faster, Slower, Same, Unclear };
std::string_view name(Comparison comparison);
/// `Unclear` for a name that is none.
Comparison comparisonFromName(std::string_view name);

/// The two of a run-off.
enum class Contender { A, B };

/// How B compares with A. `ratio` is B's time over A's.
struct RatioResult {
    Interval ratio;
    Comparison comparison = Comparison::Unclear;
};

/// Compares paired samples of an interleaved run-off (A B A B …), so that a drift of the clock hits
/// both alike: the interval of the median of the pairs' ratios. `Same` if that interval lies within
/// `sameWithin` of 1, `Unclear` if it reaches across 1 and farther.
RatioResult compareTimes(
    std::span<const double> a, std::span<const double> b, double sameWithin = 0.01);

} // namespace gpu
