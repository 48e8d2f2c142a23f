#include "gpu/bench/timer.h"

#include <chrono>

namespace gpu {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::optional<DeviceFault> takeSample(const TimerSteps &steps, int run, double &microseconds)
{
    if (steps.prepare)
        if (auto fault = steps.prepare(run))
            return fault;
    RunStatistics statistics;
    auto fault = steps.sample(statistics);
    microseconds = statistics.microseconds;
    return fault;
}

bool stopped(const TimerSteps &steps)
{
    return steps.cancelled && steps.cancelled();
}

} // namespace

std::variant<TimeStatistics, DeviceFault> timePlan(
    const TimerSteps &steps, const StoppingRule &rule, int warmUps)
{
    std::vector<double> samples;
    auto start = Clock::now();
    for (int run = 0;; ++run) {
        double microseconds = 0;
        if (auto fault = takeSample(steps, run, microseconds))
            return *fault;
        if (run >= warmUps)
            samples.push_back(microseconds);
        else
            start = Clock::now();
        if ((steps.verify && !steps.verify(run)) || stopped(steps))
            break;
        if (rule.enough(samples, secondsSince(start)))
            break;
    }
    return summarise(samples);
}

std::variant<RatioResult, DeviceFault> runOff(
    const TimerSteps &a, const TimerSteps &b, const StoppingRule &rule)
{
    std::vector<double> timesA, timesB;
    // One untimed round each, so that neither pays for a cold start.
    double ignored = 0;
    for (const TimerSteps *steps : {&a, &b})
        if (auto fault = takeSample(*steps, 0, ignored))
            return *fault;
    const auto start = Clock::now();
    RatioResult result;
    for (int run = 1;; ++run) {
        timesA.emplace_back();
        timesB.emplace_back();
        if (auto fault = takeSample(a, run, timesA.back()))
            return *fault;
        if (auto fault = takeSample(b, run, timesB.back()))
            return *fault;
        if (timesA.size() < rule.leastSamples)
            continue;
        result = compareTimes(timesA, timesB);
        if (result.comparison != Comparison::Unclear || timesA.size() >= rule.mostSamples
            || secondsSince(start) >= rule.limitSeconds || stopped(a) || stopped(b))
            return result;
    }
}

} // namespace gpu
