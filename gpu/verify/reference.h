#pragma once

#include "gpu/verify/precision.h"
#include "gpu/verify/workspace.h"

#include <map>
#include <memory>

namespace gpu {

/// The trusted programs of a problem at one size, loaded on a device of their own, so that no
/// candidate's address space ever holds the truth.
class Reference {
public:
    /// An error here is of the problem (its oracle or seed does not run) or of the environment.
    static Result<std::unique_ptr<Reference>> open(
        Device &device, SizedProblem problem, SizedProgram oracle, SizedProgram seed);

    const SizedProblem &problem() const { return m_problem; }
    const SizedProgram &seedProgram() const { return m_seedProgram; }
    /// The oracle's outputs for these inputs.
    Result<TensorValues> truth(const TensorBytes &inputs);
    Result<TensorValues> seed(const TensorBytes &inputs);
    /// Warp instructions of the costlier of the last oracle and seed runs; 0 if unknown.
    std::uint64_t instructions() const { return m_instructions; }

private:
    Reference() = default;
    Result<TensorValues> run(Workspace &workspace, const SizedProblem &sized,
        const TensorBytes &inputs, const char *what);

    SizedProblem m_problem;
    SizedProblem m_oracleProblem; ///< the same with fp64 outputs
    SizedProgram m_oracleProgram, m_seedProgram;
    std::unique_ptr<Workspace> m_oracle, m_seed;
    std::uint64_t m_instructions = 0;
};

/// The truth for one check's inputs and, worked out as they are asked for, the yardsticks on the
/// very same inputs.
class Measure {
public:
    static Result<std::unique_ptr<Measure>> make(Reference &reference, TensorBytes inputs);

    const TensorBytes &inputs() const { return m_inputs; }
    const TensorValues &truth() const { return m_truth; }
    Classification classifyOutputs(const TensorValues &outputs);
    /// The seed's own class, found without the yardstick that it is.
    Result<Classification> classifySeed();
    /// By class name, in the statistic of that classification.
    std::map<std::string, double> yardsticks(const Classification &classification);

private:
    Measure(Reference &reference, TensorBytes inputs, TensorValues truth);
    YardstickSource source();
    std::optional<std::vector<OutputErrors>> compute(Yardstick yardstick);
    std::vector<OutputErrors> errorsOf(const TensorValues &outputs) const;

    Reference &m_reference;
    TensorBytes m_inputs;
    TensorValues m_truth;
    std::map<Yardstick, std::optional<std::vector<OutputErrors>>> m_known;
};

} // namespace gpu
