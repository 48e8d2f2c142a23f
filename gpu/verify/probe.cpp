#include "gpu/verify/probe.h"

#include "gpu/verify/checker.h"
#include "gpu/verify/generator.h"
#include "gpu/verify/numberformat.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gpu {

namespace {

double meanOf(const std::vector<double> &values)
{
    double sum = 0;
    std::size_t count = 0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            sum += value;
            ++count;
        }
    }
    return count ? sum / static_cast<double>(count) : 0;
}

struct TrivialAnswer {
    std::string name;
    TensorValues outputs;
};

/// All answers that can be given without looking at the inputs, or by copying them.
std::vector<TrivialAnswer> trivialAnswers(
    const SizedProblem &problem, const TensorBytes &inputs, const TensorValues &otherTruth)
{
    TrivialAnswer zeros{"zeros", {}}, constant{"a constant", {}}, mean{"the mean", {}};
    for (std::size_t k = 0; k < problem.outputs.size(); ++k) {
        const std::size_t count = static_cast<std::size_t>(problem.outputs[k].count);
        zeros.outputs.emplace_back(count, 0.0);
        constant.outputs.emplace_back(count, otherTruth[k][count / 2]);
        mean.outputs.emplace_back(count, meanOf(otherTruth[k]));
    }
    std::vector<TrivialAnswer> answers{zeros, constant, mean};
    const TensorValues values = decodeTensors(problem.inputs, inputs);
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
        const auto fits
            = [&](const SizedTensor &output) { return output.count == problem.inputs[i].count; };
        if (!std::all_of(problem.outputs.begin(), problem.outputs.end(), fits))
            continue;
        answers.push_back({"a copy of the input " + problem.inputs[i].name,
            TensorValues(problem.outputs.size(), values[i])});
    }
    return answers;
}

/// The names of those answers that pass in the required class or better.
std::vector<std::string> passing(
    Measure &measure, const std::vector<TrivialAnswer> &answers, Format required)
{
    std::vector<std::string> names;
    for (const TrivialAnswer &answer : answers) {
        const auto format = measure.classifyOutputs(answer.outputs).format;
        if (format && *format <= required)
            names.push_back(answer.name);
    }
    return names;
}

/// The seed is a yardstick, so a wrong one would let anything pass: it is held to the others. A
/// long fp32 sum may be as far off as tf32 on some inputs, a wrong one is farther.
Status probeSeed(Measure &measure, Format required, const std::string &where)
{
    const auto seed = measure.classifySeed();
    if (!seed)
        return seed.error();
    if (seed->format && *seed->format <= std::max(Format::Tf32, required))
        return Unit();
    char error[32];
    std::snprintf(error, sizeof error, "%.3g", seed->error);
    return callerError("seed.cu is not an fp32 solution of its problem: its " + seed->statistic
        + " error against oracle.cu is " + error + where + ".");
}

Status probeSize(Reference &reference, Format required)
{
    const SizedProblem &problem = reference.problem();
    std::optional<std::vector<std::string>> standing; // answers that no check has refused yet
    std::string distributions;
    for (const std::string &distribution : problem.distributions) {
        auto measure = Measure::make(reference, problem.generateInputs(distribution, secretSeed()));
        if (!measure)
            return measure.error();
        const std::string where = " (size " + problem.size + ", distribution " + distribution + ")";
        if (Status status = probeSeed(**measure, required, where); !status)
            return status;
        if (standing && standing->empty())
            continue;
        const auto other = reference.truth(problem.generateInputs(distribution, secretSeed()));
        if (!other)
            return other.error();
        const std::vector<std::string> passed
            = passing(**measure, trivialAnswers(problem, (*measure)->inputs(), *other), required);
        if (!standing)
            standing = passed;
        else
            std::erase_if(*standing, [&](const std::string &answer) {
                return std::find(passed.begin(), passed.end(), answer) == passed.end();
            });
        distributions += (distributions.empty() ? "" : ", ") + distribution;
    }
    if (!standing || standing->empty())
        return Unit();
    return callerError("The problem accepts a trivial answer: " + standing->front()
        + " passes at size " + problem.size + " on " + distributions
        + ". Give it distributions, or a size, on which the answer depends on the inputs.");
}

} // namespace

Status probeProblem(
    Device &device, const std::vector<Reference *> &references, const std::string &precision)
{
    const Format required = formatFromName(precision).value_or(Format::Fp32);
    std::vector<Trial> trials;
    for (Reference *reference : references) {
        if (Status status = probeSize(*reference, required); !status)
            return status;
        trials.push_back({reference, &reference->seedProgram()});
    }
    CheckOptions options;
    options.precision = precision;
    options.time = false;
    const Evaluation seed = Checker(device, trials, options).evaluate();
    if (seed.verdict == Verdict::Ok)
        return Unit();
    const std::string message = "seed.cu does not pass its own problem: "
        + std::string(name(seed.verdict)) + ": " + seed.message;
    if (seed.verdict == Verdict::EnvironmentError)
        return environmentError(message);
    return callerError(message);
}

} // namespace gpu
