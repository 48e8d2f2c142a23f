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

/// How a run-off ended: a comparison, or one of the two fell out of it.
struct RunOffResult {
    RatioResult times;
    std::size_t pairs = 0;
    std::optional<Contender> failed; ///< by `fault`, or without one by what its `verify` refused
    std::optional<DeviceFault> fault;
};

/// Decides between two close contenders by samples in turn (A B A B …). It ends when the interval
/// of the ratio is narrow enough or a limit is reached, never because the answer looks clear:
/// whoever looks again and again until a 95% interval leaves out 1 is wrong far more often than in
/// 5%.
RunOffResult runOff(const TimerSteps &a, const TimerSteps &b, const StoppingRule &rule);

} // namespace gpu
