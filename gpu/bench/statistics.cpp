#include "gpu/bench/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpu {

namespace {

constexpr std::array<std::string_view, 4> ComparisonNames{"faster", "slower", "same", "unclear"};

double sortedMedian(const std::vector<double> &sorted)
{
    const std::size_t n = sorted.size();
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/// Largest k with P(binomial(n, 1/2) < k) <= 2.5%; the interval is [x_(k), x_(n+1-k)]. Zero if n is
/// too small for any.
std::size_t rankOf95(std::size_t n)
{
    // Past this many samples the normal approximation differs by less than one rank.
    constexpr std::size_t Exact = 500;
    if (n > Exact) {
        const double half = static_cast<double>(n) / 2;
        return static_cast<std::size_t>(half - 1.96 * std::sqrt(half / 2));
    }
    double probability = std::ldexp(1.0, -static_cast<int>(n)), sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
        sum += probability;
        if (sum > 0.025)
            return k;
        probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    return 0;
}

} // namespace

double Interval::relativeWidth() const
{
    return value == 0 ? std::numeric_limits<double>::infinity() : (high - low) / value;
}

double median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return sortedMedian(values);
}

Interval medianInterval(std::vector<double> values)
{
    if (values.empty())
        return {};
    std::sort(values.begin(), values.end());
    const std::size_t rank = std::max<std::size_t>(rankOf95(values.size()), 1);
    return {sortedMedian(values), values[rank - 1], values[values.size() - rank]};
}

TimeStatistics summarise(const std::vector<double> &samplesUs)
{
    TimeStatistics time;
    if (samplesUs.empty())
        return time;
    const Interval interval = medianInterval(samplesUs);
    time.medianUs = interval.value;
    time.lowUs = interval.low;
    time.highUs = interval.high;
    time.minUs = *std::min_element(samplesUs.begin(), samplesUs.end());
    time.samplesUs = samplesUs;
    return time;
}

bool StoppingRule::enough(const std::vector<double> &samplesUs, double elapsedSeconds) const
{
    if (samplesUs.size() < leastSamples)
        return false;
    return samplesUs.size() >= mostSamples || elapsedSeconds >= limitSeconds
        || medianInterval(samplesUs).relativeWidth() < relativeWidth;
}

std::string_view name(Comparison comparison)
{
    return ComparisonNames[static_cast<std::size_t>(comparison)];
}

Comparison comparisonFromName(std::string_view name)
{
    for (std::size_t i = 0; i < ComparisonNames.size(); ++i)
        if (ComparisonNames[i] == name)
            return static_cast<Comparison>(i);
    return Comparison::Unclear;
}

RatioResult compareTimes(std::span<const double> a, std::span<const double> b, double sameWithin)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] > 0)
            ratios.push_back(b[i] / a[i]);
    RatioResult result;
    result.ratio = medianInterval(ratios);
    if (ratios.empty())
        return result;
    if (result.ratio.low >= 1 - sameWithin && result.ratio.high <= 1 + sameWithin)
        result.comparison = Comparison::Same;
    else if (result.ratio.high < 1)
        result.comparison = Comparison::Faster;
    else if (result.ratio.low > 1)
        result.comparison = Comparison::Slower;
    return result;
}

} // namespace gpu
