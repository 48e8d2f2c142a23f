#include "gpu/verify/precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpu {

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t LeastRow = 32;
constexpr double TypicalQuantile = 0.99;

constexpr std::array<std::string_view, 4> FormatNames{"fp32", "tf32", "fp16", "bf16"};
constexpr std::array<Yardstick, 6> Steps{Yardstick::Rounded, Yardstick::Seed, Yardstick::Perturbed,
    Yardstick::Tf32, Yardstick::Fp16, Yardstick::Bf16};

struct Statistic {
    std::string_view name;
    double OutputErrors::*value;
    double cap;
};
constexpr std::array<Statistic, 3> Statistics{{{"rms", &OutputErrors::rms, Cap},
    {"worst", &OutputErrors::worst, Cap}, {"typical", &OutputErrors::typical, TypicalCap}}};

bool sameSpecial(double truth, double got)
{
    if (std::isnan(truth) || std::isnan(got))
        return std::isnan(truth) && std::isnan(got);
    if (std::isinf(truth) || std::isinf(got))
        return truth == got;
    return true;
}

/// Root mean square over the finite elements.
double rootMeanSquare(std::span<const double> values)
{
    double sum = 0;
    std::size_t count = 0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            sum += value * value;
            ++count;
        }
    }
    return count ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

/// |e_i| over what it is held to, for each element; infinity for a special in the wrong place.
template <class Visit>
void visitScaled(
    std::span<const double> truth, std::span<const double> got, std::int64_t row, Visit visit)
{
    const double whole = rootMeanSquare(truth);
    const std::size_t step = static_cast<std::size_t>(std::max<std::int64_t>(row, 1));
    for (std::size_t begin = 0; begin < truth.size(); begin += step) {
        const std::size_t end = std::min(begin + step, truth.size());
        double scale = rootMeanSquare(truth.subspan(begin, end - begin));
        if (scale == 0)
            scale = whole;
        for (std::size_t i = begin; i < end; ++i) {
            double scaled = 0;
            if (!sameSpecial(truth[i], got[i]))
                scaled = Infinity;
            else if (std::isfinite(truth[i]) && truth[i] != got[i])
                scaled = std::fabs(got[i] - truth[i]) / std::max(std::fabs(truth[i]), scale);
            if (!visit(i, scaled))
                return;
        }
    }
}

bool isReduced(Yardstick yardstick)
{
    return yardstick >= Yardstick::Tf32;
}

Format formatOf(Yardstick yardstick)
{
    switch (yardstick) {
    case Yardstick::Tf32:
        return Format::Tf32;
    case Yardstick::Fp16:
        return Format::Fp16;
    case Yardstick::Bf16:
        return Format::Bf16;
    default:
        return Format::Fp32;
    }
}

/// The limits grow from step to step and never shrink.
void loosen(
    std::vector<OutputErrors> &limits, const std::vector<OutputErrors> &errors, Yardstick step)
{
    for (std::size_t k = 0; k < limits.size() && k < errors.size(); ++k) {
        if (errors[k].specialsDiffer)
            continue;
        for (const Statistic &statistic : Statistics) {
            double limit
                = errors[k].*statistic.value * (isReduced(step) ? ReducedFactor : Fp32Factor);
            if (isReduced(step) || step == Yardstick::Seed)
                limit = std::min(limit, statistic.cap);
            if (std::isfinite(limit))
                limits[k].*statistic.value = std::max(limits[k].*statistic.value, limit);
        }
    }
}

/// Largest ratio of an error to its limit, and which it was.
void findDeciding(Classification &result, const std::vector<OutputErrors> &candidate,
    const std::vector<OutputErrors> &limits)
{
    result.ratio = -1;
    for (std::size_t k = 0; k < candidate.size(); ++k) {
        for (const Statistic &statistic : Statistics) {
            const double error = candidate[k].*statistic.value;
            const double limit = limits[k].*statistic.value;
            const double ratio = error == 0 ? 0 : limit == 0 ? Infinity : error / limit;
            if (ratio > result.ratio) {
                result.ratio = ratio;
                result.error = error;
                result.statistic = statistic.name;
                result.output = k;
            }
        }
    }
}

} // namespace

std::string_view name(Format format)
{
    return FormatNames[static_cast<std::size_t>(format)];
}

std::optional<Format> formatFromName(std::string_view name)
{
    for (std::size_t i = 0; i < FormatNames.size(); ++i)
        if (FormatNames[i] == name)
            return static_cast<Format>(i);
    return std::nullopt;
}

std::string_view name(Yardstick yardstick)
{
    constexpr std::array<std::string_view, 6> Names{
        "rounded", "fp32 seed", "fp32 perturbed", "tf32", "fp16", "bf16"};
    return Names[static_cast<std::size_t>(yardstick)];
}

std::int64_t rowLength(const std::vector<std::int64_t> &shape)
{
    std::int64_t length = 1;
    for (auto extent = shape.rbegin(); extent != shape.rend() && length < LeastRow; ++extent)
        length *= *extent;
    return std::max<std::int64_t>(length, 1);
}

OutputErrors measure(
    std::span<const double> truth, std::span<const double> got, std::int64_t row, DType type)
{
    OutputErrors errors;
    double errorSum = 0, truthSum = 0;
    visitScaled(truth, got, row, [&](std::size_t i, double scaled) {
        if (std::isinf(scaled) && !sameSpecial(truth[i], got[i])) {
            errors.specialsDiffer = true;
            errors.worst = Infinity;
            errors.worstIndex = static_cast<std::int64_t>(i);
            return false;
        }
        if (scaled > errors.worst) {
            errors.worst = scaled;
            errors.worstIndex = static_cast<std::int64_t>(i);
        }
        if (std::isfinite(truth[i])) {
            errorSum += (got[i] - truth[i]) * (got[i] - truth[i]);
            truthSum += truth[i] * truth[i];
        }
        return true;
    });
    if (errors.specialsDiffer) {
        errors.rms = errors.typical = Infinity;
        return errors;
    }
    errors.rms = errorSum == 0 ? 0 : std::sqrt(errorSum / truthSum);

    const double least = smallestNormal(type);
    std::vector<double> relative;
    relative.reserve(truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i)
        if (std::isfinite(truth[i]) && truth[i] != 0 && std::fabs(truth[i]) >= least)
            relative.push_back(std::fabs((got[i] - truth[i]) / truth[i]));
    if (!relative.empty()) {
        const auto nth = relative.begin()
            + static_cast<std::ptrdiff_t>(
                TypicalQuantile * static_cast<double>(relative.size() - 1));
        std::nth_element(relative.begin(), nth, relative.end());
        errors.typical = *nth;
    }
    return errors;
}

std::optional<std::int64_t> firstBeyond(
    std::span<const double> truth, std::span<const double> got, std::int64_t row, double limit)
{
    std::optional<std::int64_t> first;
    visitScaled(truth, got, row, [&](std::size_t i, double scaled) {
        if (scaled > limit)
            first = static_cast<std::int64_t>(i);
        return !first;
    });
    return first;
}

bool allClose(std::span<const double> truth, std::span<const double> got, double tolerance)
{
    for (std::size_t i = 0; i < truth.size(); ++i)
        if (!(truth[i] == got[i]
                || std::fabs(got[i] - truth[i]) <= tolerance + tolerance * std::fabs(truth[i])))
            return false;
    return true;
}

Classification classify(const std::vector<OutputErrors> &candidate, const YardstickSource &source)
{
    Classification result;
    std::vector<OutputErrors> limits(candidate.size());
    for (const Yardstick step : Steps) {
        if (const auto errors = source(step))
            loosen(limits, *errors, step);
        Classification now;
        findDeciding(now, candidate, limits);
        // Up to the fp32 steps the deciding statistic is told against fp32's own limit.
        if (!isReduced(step))
            result = now;
        result.worstLimit = limits.empty() ? 0 : limits[result.output].worst;
        if (now.ratio <= 1) {
            result.format = formatOf(step);
            break;
        }
        const bool hopeless = std::any_of(candidate.begin(), candidate.end(),
            [](const OutputErrors &errors) { return errors.specialsDiffer; });
        if (hopeless)
            break;
    }
    return result;
}

std::map<std::string, double> yardstickValues(
    const Classification &classification, const YardstickSource &source)
{
    std::map<std::string, double> values;
    for (const Yardstick step : Steps) {
        const auto errors = source(step);
        if (!errors || classification.output >= errors->size())
            continue;
        for (const Statistic &statistic : Statistics) {
            if (statistic.name != classification.statistic)
                continue;
            double &value = values[std::string(name(formatOf(step)))];
            value = std::max(value, (*errors)[classification.output].*statistic.value);
        }
    }
    return values;
}

} // namespace gpu
