#include "gpu/verify/checker.h"

#include "gpu/verify/generator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace gpu {

namespace {

constexpr int InputSets = 2; // addresses that timing rotates
constexpr int TimedContents = 3; // contents that timing rotates; coprime to InputSets
// A candidate may take this many times the instructions of the costlier of oracle and seed before
// it counts as endless, and never less than the floor.
constexpr std::uint64_t BudgetFactor = 40;
constexpr std::uint64_t LeastBudget = 20'000'000;

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string place(const SizedTensor &tensor, std::int64_t index)
{
    std::string text = tensor.name + "[";
    for (const std::int64_t i : unflatten(tensor.shape, index))
        text += std::to_string(i) + ", ";
    if (text.ends_with(", "))
        text.resize(text.size() - 2);
    return text + "]";
}

/// First element that holds both poisons in turn: no run wrote it.
std::optional<std::int64_t> firstUnwritten(
    DType type, const std::vector<std::byte> &first, const std::vector<std::byte> &second)
{
    const std::size_t width = sizeInBytes(type);
    const auto holds = [width](const std::byte *element, std::uint16_t pattern) {
        for (std::size_t i = 0; i < width; ++i)
            if (element[i] != std::byte(i % 2 ? pattern >> 8 : pattern & 0xff))
                return false;
        return true;
    };
    for (std::size_t i = 0; i + width <= first.size(); i += width)
        if (holds(first.data() + i, FirstPoison) && holds(second.data() + i, SecondPoison))
            return static_cast<std::int64_t>(i / width);
    return std::nullopt;
}

} // namespace

/// One trial with its open workspace.
struct Checker::Bench {
    Reference &reference;
    const SizedProblem &problem;
    std::unique_ptr<Workspace> workspace;
    std::uint64_t budget = 0; ///< warp instructions of one run
};

Checker::Checker(Device &device, std::vector<Trial> trials, CheckOptions options)
    : m_device(device)
    , m_trials(std::move(trials))
    , m_options(std::move(options))
{
    m_required = formatFromName(m_options.precision).value_or(Format::Fp32);
}

Checker::~Checker() = default;

std::uint64_t Checker::nextSeed()
{
    const auto bits = Generator(m_evaluation.seed, 0).bits(m_seedsUsed++);
    return (std::uint64_t{bits[0]} << 32) | bits[1];
}

bool Checker::fail(Verdict verdict, const std::string &message)
{
    m_evaluation.verdict = verdict;
    m_evaluation.message = message;
    return false;
}

bool Checker::fail(const DeviceFault &fault)
{
    m_evaluation.fault = fault.location;
    return fail(fault.verdict, fault.message);
}

void Checker::begin()
{
    m_evaluation = {};
    m_evaluation.deviceKind = m_device.facts().kind;
    m_evaluation.deviceName = m_device.facts().name;
    m_evaluation.size = m_trials.front().reference->problem().size;
    m_evaluation.seed = secretSeed();
    const SizedProblem &timed = m_trials.front().reference->problem();
    m_evaluation.floorUs = 1e6
        * std::max(timed.flops / m_device.facts().peakFlopsPerSecond,
            timed.trafficBytes / m_device.facts().peakBytesPerSecond);
}

Evaluation Checker::evaluate()
{
    begin();
    if (open() && checkAll() && (!m_options.time || (timeAll() && recheck()))) {
        m_evaluation.verdict = Verdict::Ok;
        if (!m_reproducible)
            m_evaluation.message = "Two runs on the same inputs differ in their last bits; both "
                                   "hold the class (float atomics, for example).";
    }
    if (m_evaluation.verdict != Verdict::Ok)
        m_evaluation.time.reset();
    tellYardsticks();
    m_benches.clear();
    return m_evaluation;
}

bool Checker::open()
{
    for (std::size_t i = 0; i < m_trials.size(); ++i) {
        Reference &reference = *m_trials[i].reference;
        const bool timed = i == 0 && m_options.time;
        auto opened = Workspace::open(
            m_device, reference.problem(), *m_trials[i].program, timed ? InputSets : 1);
        if (const auto *fault = std::get_if<DeviceFault>(&opened))
            return fail(*fault);
        m_benches.push_back(std::make_unique<Bench>(
            Bench{reference, reference.problem(), std::move(std::get<0>(opened)), 0}));
        m_total += static_cast<int>(reference.problem().distributions.size());
    }
    return true;
}

bool Checker::checkAll()
{
    // The first distribution of each size rejects most wrong candidates, so all sizes have it
    // first.
    for (auto &bench : m_benches)
        if (!checkOne(*bench, 0))
            return false;
    for (auto &bench : m_benches)
        for (std::size_t d = 1; d < bench->problem.distributions.size(); ++d)
            if (!checkOne(*bench, d))
                return false;
    return true;
}

bool Checker::checkOne(Bench &bench, std::size_t distribution)
{
    if (m_options.cancelled && m_options.cancelled())
        return fail(Verdict::EnvironmentError, "The evaluation was cancelled.");
    if (m_options.progress)
        m_options.progress("check", m_done, m_total);
    ++m_done;
    CheckResult check;
    check.size = bench.problem.size;
    check.distribution = bench.problem.distributions[distribution];
    TensorBytes inputs = bench.problem.generateInputs(check.distribution, nextSeed());
    TensorBytes first, second;
    Classification result;
    std::unique_ptr<Measure> measure;
    bool passed = runTwice(bench, inputs, first, second);
    if (passed) {
        auto made = Measure::make(bench.reference, std::move(inputs));
        if (!made) {
            passed = fail(Verdict::EnvironmentError, made.error().message);
        } else {
            measure = std::move(*made);
            passed = judge(bench, *measure, first, second, check, result);
        }
    }
    check.passed = passed;
    if (!passed)
        check.message = m_evaluation.message;
    if (measure && check.distribution == "normal" && &bench == m_benches.front().get()) {
        const TensorValues outputs = decodeTensors(bench.problem.outputs, second);
        PrecisionResult &precision = m_evaluation.precision;
        precision.allclose1e4 = precision.allclose1e2 = true;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            precision.allclose1e4 &= allClose(measure->truth()[k], outputs[k], 1e-4);
            precision.allclose1e2 &= allClose(measure->truth()[k], outputs[k], 1e-2);
        }
    }
    if (measure && (!m_worst || !passed || result.ratio > m_worstResult.ratio)) {
        m_worst = std::move(measure);
        m_worstResult = result;
    }
    m_evaluation.checks.push_back(std::move(check));
    return passed;
}

bool Checker::runTwice(
    Bench &bench, const TensorBytes &inputs, TensorBytes &first, TensorBytes &second)
{
    if (bench.budget == 0 && !setBudget(bench, inputs))
        return false;
    RunOptions options = limits(bench);
    for (TensorBytes *outputs : {&first, &second}) {
        const bool checked = outputs == &first;
        options.checked = checked;
        options.shuffleSeed = checked ? nextSeed() | 1 : 0;
        if (auto fault = bench.workspace->setInputs(inputs))
            return fail(*fault);
        bench.workspace->poison(checked ? FirstPoison : SecondPoison);
        if (auto fault = bench.workspace->run(options))
            return fail(*fault);
        *outputs = bench.workspace->outputs();
        if (auto fault = bench.workspace->findDamage(inputs))
            return fail(*fault);
    }
    return true;
}

bool Checker::setBudget(Bench &bench, const TensorBytes &inputs)
{
    // The oracle's own run for these inputs comes later; a seed run tells the scale of the work.
    const auto seed = bench.reference.seed(inputs);
    if (!seed)
        return fail(Verdict::EnvironmentError, seed.error().message);
    bench.budget = std::max(LeastBudget, BudgetFactor * bench.reference.instructions());
    return true;
}

RunOptions Checker::limits(const Bench &bench) const
{
    RunOptions options;
    options.instructionBudget = bench.budget;
    options.cancelled = m_options.cancelled;
    return options;
}

bool Checker::judge(Bench &bench, Measure &measure, const TensorBytes &first,
    const TensorBytes &second, CheckResult &check, Classification &result)
{
    const std::vector<SizedTensor> &tensors = bench.problem.outputs;
    for (std::size_t k = 0; k < tensors.size(); ++k) {
        const auto unwritten = firstUnwritten(tensors[k].dtype, first[k], second[k]);
        if (!unwritten)
            continue;
        m_evaluation.wrong = WrongElement{tensors[k].name, unflatten(tensors[k].shape, *unwritten),
            measure.truth()[k][static_cast<std::size_t>(*unwritten)], std::nan("")};
        check.error = INFINITY;
        return fail(Verdict::WrongResult,
            place(tensors[k], *unwritten) + " was never written (size " + check.size
                + ", distribution " + check.distribution + ").");
    }

    result = measure.classifyOutputs(decodeTensors(tensors, first));
    check.error = result.error;
    check.precisionClass = result.format ? std::string(name(*result.format)) : std::string();
    const std::string when = " (size " + check.size + ", distribution " + check.distribution + ")";
    if (first != second) {
        m_reproducible = false;
        const Classification again = measure.classifyOutputs(decodeTensors(tensors, second));
        const auto right
            = [this](const Classification &c) { return c.format && *c.format <= m_required; };
        if (right(result) != right(again))
            return fail(Verdict::Nondeterministic,
                "Two runs on the same inputs differ: the error is " + number(result.error)
                    + " in one and " + number(again.error) + " in the other" + when + ".");
    }
    if (!result.format || *result.format > m_required)
        return refuse(bench, measure, first, result, when, check);
    m_loosest = std::max(m_loosest.value_or(*result.format), *result.format);
    m_evaluation.precision.precisionClass = name(*m_loosest);
    return true;
}

bool Checker::refuse(Bench &bench, Measure &measure, const TensorBytes &outputs,
    const Classification &result, const std::string &when, CheckResult &check)
{
    const std::vector<SizedTensor> &tensors = bench.problem.outputs;
    const SizedTensor &tensor = tensors[result.output];
    const std::vector<double> got = decodeElements(tensor.dtype, outputs[result.output]);
    const std::vector<double> &truth = measure.truth()[result.output];
    const std::int64_t row = rowLength(tensor.shape);
    std::int64_t index = gpu::measure(truth, got, row, tensor.dtype).worstIndex;
    if (!result.format)
        index = firstBeyond(truth, got, row, result.worstLimit).value_or(index);
    const double wanted = truth[static_cast<std::size_t>(index)];
    const double had = got[static_cast<std::size_t>(index)];
    m_evaluation.wrong = WrongElement{tensor.name, unflatten(tensor.shape, index), wanted, had};
    check.error = result.error;
    const std::string facts = " The " + result.statistic + " error of " + tensor.name + " is "
        + number(result.error) + "; " + place(tensor, index) + " should be " + number(wanted)
        + " and is " + number(had) + when + ".";
    if (!result.format) {
        m_evaluation.precision.precisionClass.clear();
        return fail(Verdict::WrongResult, "Wrong result." + facts);
    }
    m_evaluation.precision.precisionClass = name(*result.format);
    return fail(Verdict::Precision,
        "The precision is that of " + std::string(name(*result.format)) + ", the problem asks for "
            + m_options.precision + "." + facts);
}

bool Checker::makeTimedContents()
{
    Bench &bench = *m_benches.front();
    m_contents.clear();
    for (int i = 0; i < TimedContents; ++i) {
        auto made
            = Measure::make(bench.reference, bench.problem.generateInputs("normal", nextSeed()));
        if (!made)
            return fail(Verdict::EnvironmentError, made.error().message);
        m_contents.push_back(std::move(*made));
    }
    return true;
}

TimerSteps Checker::timerSteps()
{
    Bench &bench = *m_benches.front();
    const auto contentOf = [](int run) { return static_cast<std::size_t>(run % TimedContents); };
    m_verified.assign(TimedContents, {});
    TimerSteps steps;
    steps.prepare = [this, &bench, contentOf](int run) {
        return bench.workspace->setInputs(m_contents[contentOf(run)]->inputs(), run % InputSets);
    };
    steps.sample = [this, &bench](RunStatistics &statistics) {
        return bench.workspace->time(limits(bench), &statistics);
    };
    steps.verify = [this, &bench, contentOf](int run) {
        const TensorBytes outputs = bench.workspace->outputs();
        TensorBytes &known = m_verified[contentOf(run)];
        if (outputs == known)
            return true;
        known = outputs;
        return verifyTimed(bench, *m_contents[contentOf(run)], outputs,
            " in timed run " + std::to_string(run + 1));
    };
    steps.cancelled = m_options.cancelled;
    return steps;
}

bool Checker::timeAll()
{
    if (!makeTimedContents())
        return false;
    if (m_options.progress)
        m_options.progress("time", 0, 1);
    const TimerSteps steps = timerSteps();
    auto timed = timePlan(steps, m_options.stopping);
    if (const auto *fault = std::get_if<DeviceFault>(&timed))
        return fail(*fault);
    if (m_evaluation.wrong)
        return false;
    const TimeStatistics &time = std::get<TimeStatistics>(timed);
    if (time.medianUs < m_evaluation.floorUs)
        return fail(Verdict::ImpossibleTime,
            "The median of " + number(time.medianUs) + " us is below the speed-of-light floor of "
                + number(m_evaluation.floorUs) + " us: the work cannot have been done.");
    m_evaluation.time = time;
    return true;
}

RunOffAnswer Checker::runOff(Checker &a, Checker &b)
{
    RunOffAnswer answer;
    const auto fellOut = [&](Contender contender) {
        answer.failed = contender;
        answer.failure = (contender == Contender::A ? a : b).m_evaluation;
        return answer;
    };
    a.begin();
    if (!a.open() || !a.makeTimedContents())
        return fellOut(Contender::A);
    b.begin();
    b.m_contents = a.m_contents;
    if (!b.open())
        return fellOut(Contender::B);
    const TensorBytes &inputs = a.m_contents.front()->inputs();
    for (const auto &[contender, checker] : {std::pair(Contender::A, &a), {Contender::B, &b}})
        if (!checker->setBudget(*checker->m_benches.front(), inputs))
            return fellOut(contender);
    if (a.m_options.progress)
        a.m_options.progress("time", 0, 1);
    const RunOffResult result = gpu::runOff(a.timerSteps(), b.timerSteps(), a.m_options.stopping);
    answer.times = result.times;
    answer.pairs = result.pairs;
    if (!result.failed)
        return answer;
    if (result.fault)
        (result.failed == Contender::A ? a : b).fail(*result.fault);
    return fellOut(*result.failed);
}

bool Checker::verifyTimed(
    Bench &bench, Measure &measure, const TensorBytes &outputs, const std::string &when)
{
    const Classification result
        = measure.classifyOutputs(decodeTensors(bench.problem.outputs, outputs));
    if (result.format && *result.format <= m_required)
        return true;
    CheckResult check{bench.problem.size, "normal", false, 0, "", ""};
    refuse(bench, measure, outputs, result, when, check);
    m_evaluation.message += " It was right before the timing.";
    check.message = m_evaluation.message;
    m_evaluation.checks.push_back(std::move(check));
    return false;
}

bool Checker::recheck()
{
    if (m_options.progress)
        m_options.progress("recheck", 0, 1);
    Bench &bench = *m_benches.front();
    for (int set = 0; set < InputSets; ++set) {
        const TensorBytes inputs = bench.problem.generateInputs("normal", nextSeed());
        if (auto fault = bench.workspace->setInputs(inputs, set))
            return fail(*fault);
        if (auto fault = bench.workspace->run(limits(bench)))
            return fail(*fault);
        const TensorBytes outputs = bench.workspace->outputs();
        if (auto fault = bench.workspace->findDamage(inputs))
            return fail(*fault);
        auto measure = Measure::make(bench.reference, inputs);
        if (!measure)
            return fail(Verdict::EnvironmentError, measure.error().message);
        if (!verifyTimed(bench, **measure, outputs, " in the check after the timing"))
            return false;
    }
    return true;
}

void Checker::tellYardsticks()
{
    if (!m_worst)
        return;
    m_evaluation.precision.error = m_worstResult.error;
    if (!m_worstResult.statistic.empty())
        m_evaluation.precision.yardsticks = m_worst->yardsticks(m_worstResult);
}

} // namespace gpu
