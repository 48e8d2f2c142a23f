#include "gpu/verify/reference.h"

#include "gpu/verify/generator.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

namespace gpu {

namespace {

/// How often the inputs are moved for the yardstick. Where an output hangs on few inputs, one trial
/// may move none of them against each other: a softmax of large values has a handful of outputs
/// that are neither one nor zero.
constexpr std::uint64_t PerturbedTrials = 4;

/// Moves each fp32 input to a neighbour or leaves it, by chance. Narrower inputs are exact as they
/// are: their last bit is far more than fp32's.
TensorBytes perturbed(
    const std::vector<SizedTensor> &tensors, TensorBytes inputs, std::uint64_t trial)
{
    constexpr std::uint64_t PerturbationSeed = 0x0070657274757262;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (tensors[k].dtype != DType::F32)
            continue;
        const Generator generator(PerturbationSeed + trial, static_cast<std::uint32_t>(k));
        for (std::size_t i = 0; i < inputs[k].size() / sizeof(float); ++i) {
            float value;
            std::memcpy(&value, inputs[k].data() + i * sizeof(float), sizeof(float));
            const std::uint32_t choice = generator.bits(i)[0] & 3;
            if (value == 0 || choice > 1)
                continue;
            value = std::nextafter(value, choice ? HUGE_VALF : -HUGE_VALF);
            std::memcpy(inputs[k].data() + i * sizeof(float), &value, sizeof(float));
        }
    }
    return inputs;
}

/// What correct rounding to an output's type may be off. For the 16-bit types an eighth of that, so
/// that `Fp32Factor` allows two units in their last place and not sixteen.
double roundingError(DType type)
{
    switch (type) {
    case DType::F64:
        return 0x1p-53;
    case DType::F32:
        return 0x1p-24;
    case DType::F16:
        return 0x1p-14;
    case DType::BF16:
        return 0x1p-11;
    default:
        return 0;
    }
}

/// The larger of each statistic. A trial that turned a number into a special says nothing.
void keepWorst(std::vector<OutputErrors> &worst, const std::vector<OutputErrors> &trial)
{
    if (worst.empty())
        worst = trial;
    for (std::size_t k = 0; k < worst.size(); ++k) {
        if (worst[k].specialsDiffer) {
            worst[k] = trial[k];
        } else if (!trial[k].specialsDiffer) {
            worst[k].rms = std::max(worst[k].rms, trial[k].rms);
            worst[k].worst = std::max(worst[k].worst, trial[k].worst);
            worst[k].typical = std::max(worst[k].typical, trial[k].typical);
        }
    }
}

void cut(const std::vector<SizedTensor> &tensors, TensorValues &values, Format format)
{
    for (std::size_t k = 0; k < values.size(); ++k)
        if (isFloating(tensors[k].dtype))
            for (double &value : values[k])
                value = truncateTo(format, value);
}

/// What the output's type cannot hold is infinite there, in the truth too.
void overflow(const std::vector<SizedTensor> &tensors, TensorValues &values)
{
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double largest = tensors[k].dtype == DType::F16 ? 65504
            : tensors[k].dtype == DType::F64                  ? DBL_MAX
                                                              : static_cast<double>(FLT_MAX);
        if (isFloating(tensors[k].dtype))
            for (double &value : values[k])
                if (std::fabs(value) > largest)
                    value = std::copysign(HUGE_VAL, value);
    }
}

TensorBytes encodeTensors(const std::vector<SizedTensor> &tensors, const TensorValues &values)
{
    TensorBytes bytes;
    for (std::size_t k = 0; k < values.size(); ++k)
        bytes.push_back(encodeElements(tensors[k].dtype, values[k]));
    return bytes;
}

} // namespace

Result<std::unique_ptr<Reference>> Reference::open(
    Device &device, SizedProblem problem, SizedProgram oracle, SizedProgram seed)
{
    std::unique_ptr<Reference> reference(new Reference);
    reference->m_problem = std::move(problem);
    reference->m_oracleProblem = reference->m_problem;
    for (SizedTensor &output : reference->m_oracleProblem.outputs)
        if (isFloating(output.dtype))
            output.dtype = DType::F64;
    reference->m_oracleProgram = std::move(oracle);
    reference->m_seedProgram = std::move(seed);
    const auto load = [&](const SizedProblem &sized, const SizedProgram &program,
                          std::unique_ptr<Workspace> &workspace, const char *what) -> Status {
        auto opened = Workspace::open(device, sized, program);
        if (const auto *fault = std::get_if<DeviceFault>(&opened)) {
            const bool environment = fault->verdict == Verdict::EnvironmentError;
            return Error{environment ? Blame::Environment : Blame::Caller,
                std::string(what) + ": " + fault->message};
        }
        workspace = std::move(std::get<0>(opened));
        return Unit();
    };
    if (Status status = load(reference->m_oracleProblem, reference->m_oracleProgram,
            reference->m_oracle, "oracle.cu");
        !status)
        return status.error();
    if (Status status
        = load(reference->m_problem, reference->m_seedProgram, reference->m_seed, "seed.cu");
        !status)
        return status.error();
    return reference;
}

Result<TensorValues> Reference::truth(const TensorBytes &inputs)
{
    return run(*m_oracle, m_oracleProblem, inputs, "oracle.cu");
}

Result<TensorValues> Reference::seed(const TensorBytes &inputs)
{
    return run(*m_seed, m_problem, inputs, "seed.cu");
}

Result<TensorValues> Reference::run(
    Workspace &workspace, const SizedProblem &sized, const TensorBytes &inputs, const char *what)
{
    RunStatistics statistics;
    auto fault = workspace.setInputs(inputs);
    if (!fault) {
        workspace.poison(FirstPoison);
        fault = workspace.run({}, &statistics);
    }
    if (fault) {
        const bool environment = fault->verdict == Verdict::EnvironmentError;
        return Error{environment ? Blame::Environment : Blame::Caller,
            std::string(what) + " at size " + m_problem.size + ": " + fault->message};
    }
    m_instructions = std::max(m_instructions, statistics.warpInstructions);
    return decodeTensors(sized.outputs, workspace.outputs());
}

Measure::Measure(Reference &reference, TensorBytes inputs, TensorValues truth)
    : m_reference(reference)
    , m_inputs(std::move(inputs))
    , m_truth(std::move(truth))
{
}

Result<std::unique_ptr<Measure>> Measure::make(Reference &reference, TensorBytes inputs)
{
    auto truth = reference.truth(inputs);
    if (!truth)
        return truth.error();
    overflow(reference.problem().outputs, *truth);
    return std::unique_ptr<Measure>(new Measure(reference, std::move(inputs), std::move(*truth)));
}

std::vector<OutputErrors> Measure::errorsOf(const TensorValues &outputs) const
{
    std::vector<OutputErrors> errors;
    const std::vector<SizedTensor> &tensors = m_reference.problem().outputs;
    for (std::size_t k = 0; k < tensors.size(); ++k)
        errors.push_back(
            measure(m_truth[k], outputs[k], rowLength(tensors[k].shape), tensors[k].dtype));
    return errors;
}

std::optional<std::vector<OutputErrors>> Measure::compute(Yardstick yardstick)
{
    const SizedProblem &problem = m_reference.problem();
    if (yardstick == Yardstick::Rounded) {
        TensorValues rounded = m_truth;
        for (std::size_t k = 0; k < rounded.size(); ++k)
            for (double &value : rounded[k])
                value *= 1 + roundingError(problem.outputs[k].dtype);
        return errorsOf(rounded);
    }
    if (yardstick == Yardstick::Seed) {
        const auto outputs = m_reference.seed(m_inputs);
        return outputs ? std::optional(errorsOf(*outputs)) : std::nullopt;
    }
    if (yardstick == Yardstick::Perturbed) {
        std::vector<OutputErrors> worst;
        for (std::uint64_t trial = 0; trial < PerturbedTrials; ++trial) {
            const auto outputs = m_reference.truth(perturbed(problem.inputs, m_inputs, trial));
            if (!outputs)
                return std::nullopt;
            keepWorst(worst, errorsOf(*outputs));
        }
        return worst;
    }
    const Format format = yardstick == Yardstick::Tf32 ? Format::Tf32
        : yardstick == Yardstick::Fp16                 ? Format::Fp16
                                                       : Format::Bf16;
    TensorValues values = decodeTensors(problem.inputs, m_inputs);
    cut(problem.inputs, values, format);
    auto outputs = m_reference.truth(encodeTensors(problem.inputs, values));
    if (!outputs)
        return std::nullopt;
    cut(problem.outputs, *outputs, format);
    return errorsOf(*outputs);
}

YardstickSource Measure::source()
{
    return [this](Yardstick yardstick) {
        const auto known = m_known.find(yardstick);
        if (known != m_known.end())
            return known->second;
        return m_known[yardstick] = compute(yardstick);
    };
}

Classification Measure::classifyOutputs(const TensorValues &outputs)
{
    return classify(errorsOf(outputs), source());
}

Result<Classification> Measure::classifySeed()
{
    const auto outputs = m_reference.seed(m_inputs);
    if (!outputs)
        return outputs.error();
    return classify(errorsOf(*outputs),
        [known = source()](Yardstick yardstick) -> std::optional<std::vector<OutputErrors>> {
            return yardstick == Yardstick::Seed ? std::nullopt : known(yardstick);
        });
}

std::map<std::string, double> Measure::yardsticks(const Classification &classification)
{
    return yardstickValues(classification, source());
}

} // namespace gpu
