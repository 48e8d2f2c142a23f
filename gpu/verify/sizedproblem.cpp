#include "gpu/verify/sizedproblem.h"

#include "gpu/problem/expression.h"
#include "gpu/verify/distribution.h"
#include "gpu/verify/numberformat.h"

#include <algorithm>

namespace gpu {

namespace {

Result<std::vector<SizedTensor>> sizeTensors(
    const std::vector<TensorSpec> &specs, const Variables &variables)
{
    std::vector<SizedTensor> tensors;
    for (const TensorSpec &spec : specs) {
        SizedTensor tensor{spec.name, spec.dtype, {}, spec.parameter, 0};
        for (const std::string &expression : spec.shape) {
            const Result<std::int64_t> extent = evaluateInteger(expression, variables);
            if (!extent)
                return callerError("Shape of " + spec.name + ": " + extent.error().message);
            if (*extent <= 0)
                return callerError("Shape of " + spec.name + ": \"" + expression + "\" is "
                    + std::to_string(*extent) + "; extents must be positive.");
            tensor.shape.push_back(*extent);
        }
        tensor.count = elementCount(tensor.shape);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

} // namespace

std::size_t SizedProblem::tensorBytes() const
{
    std::size_t sum = 0;
    for (const auto *tensors : {&inputs, &outputs})
        for (const SizedTensor &tensor : *tensors)
            sum += tensor.bytes();
    return sum;
}

TensorBytes SizedProblem::generateInputs(const std::string &distribution, std::uint64_t seed) const
{
    TensorBytes bytes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const InputShape shape{
            inputs[i].dtype, inputs[i].shape, inputs[i].parameter, static_cast<std::uint32_t>(i)};
        bytes.push_back(encodeElements(inputs[i].dtype, generate(distribution, shape, seed)));
    }
    return bytes;
}

Result<SizedProblem> sizeProblem(const Problem &problem, const std::string &size)
{
    Result<Dims> dims = problem.dimsAt(size);
    if (!dims)
        return dims.error();
    const Variables variables(dims->begin(), dims->end());
    auto inputs = sizeTensors(problem.inputs, variables);
    if (!inputs)
        return inputs.error();
    auto outputs = sizeTensors(problem.outputs, variables);
    if (!outputs)
        return outputs.error();
    std::size_t rank = 0;
    for (const SizedTensor &input : *inputs)
        if (!input.parameter)
            rank = std::max(rank, input.shape.size());
    auto distributions = expandDistributions(problem.distributions, rank);
    if (!distributions)
        return distributions.error();
    const Result<double> flops = evaluate(problem.flops, variables);
    const Result<double> bytes = evaluate(problem.bytes, variables);
    if (!flops || !bytes)
        return callerError("`work`: " + (flops ? bytes : flops).error().message);
    return SizedProblem{size, std::move(*dims), std::move(*inputs), std::move(*outputs),
        std::move(*distributions), *flops, *bytes};
}

TensorValues decodeTensors(const std::vector<SizedTensor> &tensors, const TensorBytes &bytes)
{
    TensorValues values;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        values.push_back(decodeElements(tensors[i].dtype, bytes[i]));
    return values;
}

std::vector<std::int64_t> unflatten(const std::vector<std::int64_t> &shape, std::int64_t index)
{
    std::vector<std::int64_t> indices(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        indices[axis] = index % shape[axis];
        index /= shape[axis];
    }
    return indices;
}

} // namespace gpu
