#pragma once

#include "gpu/bench/timer.h"
#include "gpu/verify/reference.h"
#include "gpu/verify/runoffanswer.h"

#include <functional>

namespace gpu {

/// A candidate at one size, and what it is judged by. Both outlive the checker.
struct Trial {
    Reference *reference = nullptr;
    const SizedProgram *program = nullptr;
};

struct CheckOptions {
    std::string precision = "fp32"; ///< class that a win must keep
    bool time = true; ///< time the first trial
    StoppingRule stopping;
    /// "check", "time", "recheck" with steps done and in all. A `time` call returns when timing may
    /// begin, so that it can wait until the machine is quiet.
    std::function<void(const std::string &stage, int done, int total)> progress;
    std::function<bool()> cancelled;
};

/// One evaluation of design §6, on the calling thread: check, time, check again.
///
/// Each (size, distribution) is run twice on inputs from a secret seed: first in the device's
/// checked mode with a shuffled schedule, then fast; outputs and scratch hold different NaN
/// patterns before each. The oracle runs after the candidate, in an address space of its own: while
/// the candidate runs the truth does not exist. Stops at the first failure.
///
/// Two runs whose bits differ are `nondeterministic` only if one of them is right and the other is
/// not: kernel engineers accept that float atomics reorder a sum, and both orders are held to the
/// same class. Races and reads of memory never written are faults of their own.
///
/// Buffers stay at their addresses and the module stays loaded over all runs, so answers cached by
/// address, in scratch or in `__device__` variables turn out stale. Every timed run is compared
/// with the truth as well, and after the timing there is a run on fresh inputs in which nothing was
/// poisoned: a kernel that counts its calls or leaves old outputs in place is caught there.
class Checker {
public:
    Checker(Device &device, std::vector<Trial> trials, CheckOptions options);
    ~Checker();
    Checker(const Checker &) = delete;
    Checker &operator=(const Checker &) = delete;

    /// Fills verdict, message, checks, precision, time, floor, wrong, fault, seed, size and device.
    Evaluation evaluate();

    /// Times the first trials of two checkers in turn, on the same inputs; both candidates have
    /// been evaluated before. Every run is compared with the truth, as in any timing.
    static RunOffAnswer runOff(Checker &a, Checker &b);

private:
    struct Bench;
    void begin();
    bool open();
    bool setBudget(Bench &bench, const TensorBytes &inputs);
    bool checkAll();
    bool checkOne(Bench &bench, std::size_t distribution);
    /// What each run of the candidate may use, timed or not.
    RunOptions limits(const Bench &bench) const;
    bool runTwice(Bench &bench, const TensorBytes &inputs, TensorBytes &first, TensorBytes &second);
    bool judge(Bench &bench, Measure &measure, const TensorBytes &first, const TensorBytes &second,
        CheckResult &check, Classification &result);
    bool refuse(Bench &bench, Measure &measure, const TensorBytes &outputs,
        const Classification &result, const std::string &when, CheckResult &check);
    bool makeTimedContents();
    TimerSteps timerSteps();
    bool timeAll();
    bool verifyTimed(
        Bench &bench, Measure &measure, const TensorBytes &outputs, const std::string &when);
    bool recheck();
    bool fail(const DeviceFault &fault);
    bool fail(Verdict verdict, const std::string &message);
    void tellYardsticks();
    std::uint64_t nextSeed();

    Device &m_device;
    std::vector<Trial> m_trials;
    CheckOptions m_options;
    std::vector<std::unique_ptr<Bench>> m_benches;
    std::vector<std::shared_ptr<Measure>> m_contents; ///< that timing rotates
    std::vector<TensorBytes> m_verified; ///< by content: outputs that are known to be right
    Evaluation m_evaluation;
    Format m_required = Format::Fp32;
    std::uint64_t m_seedsUsed = 0;
    int m_done = 0, m_total = 0;
    bool m_reproducible = true;
    std::optional<Format> m_loosest;
    /// The check that came nearest to its limit, for the yardsticks that are shown.
    std::unique_ptr<Measure> m_worst;
    Classification m_worstResult;
};

} // namespace gpu
