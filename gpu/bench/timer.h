#pragma once

#include "gpu/bench/statistics.h"
#include "gpu/device/device.h"

#include <functional>
#include <optional>
#include <variant>

namespace gpu {

/// What happens around each timed run; `run` counts from 0, warm-up included.
struct TimerSteps {
    /// Sets inputs with contents other than the run before had. Not timed.
    std::function<std::optional<DeviceFault>(int run)> prepare;
    /// Executes the whole plan once and tells its time.
    std::function<std::optional<DeviceFault>(RunStatistics &statistics)> sample;
    /// Looks at the outputs. False ends the timing: the caller knows why. May be empty.
    std::function<bool(int run)> verify;
    std::function<bool()> cancelled; ///< may be empty
};

/// Warm-up, then samples until the rule is content (design §6). On the calling thread. A `verify`
/// that says no ends it with the samples so far.
std::variant<TimeStatistics, DeviceFault> timePlan(
    const TimerSteps &steps, const StoppingRule &rule, int warmUps = 2);

/// Decides between two close contenders by samples in turn (A B A B …), until the comparison is not
/// `Unclear` (asked from `leastSamples` pairs on) or the rule's limits are reached.
std::variant<RatioResult, DeviceFault> runOff(
    const TimerSteps &a, const TimerSteps &b, const StoppingRule &rule);

} // namespace gpu
