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

RunOffResult runOff(const TimerSteps &a, const TimerSteps &b, const StoppingRule &rule)
{
    RunOffResult result;
    const auto sample = [&](Contender contender, int run, double &microseconds) {
        const TimerSteps &steps = contender == Contender::A ? a : b;
        result.fault = takeSample(steps, run, microseconds);
        if (result.fault || (steps.verify && !steps.verify(run)))
            result.failed = contender;
        return !result.failed;
    };
    // One untimed round, so that neither pays for a cold start.
    double timeA = 0, timeB = 0;
    if (!sample(Contender::A, 0, timeA) || !sample(Contender::B, 0, timeB))
        return result;
    const auto start = Clock::now();
    std::vector<double> timesA, timesB;
    for (int run = 1;; ++run) {
        if (!sample(Contender::A, run, timeA) || !sample(Contender::B, run, timeB))
            return result;
        timesA.push_back(timeA);
        timesB.push_back(timeB);
        result.pairs = timesA.size();
        if (result.pairs < rule.leastSamples)
            continue;
        result.times = compareTimes(timesA, timesB);
        if (result.pairs >= rule.mostSamples || secondsSince(start) >= rule.limitSeconds
            || result.times.ratio.relativeWidth() < rule.relativeWidth || stopped(a) || stopped(b))
            return result;
    }
}

} // namespace gpu
