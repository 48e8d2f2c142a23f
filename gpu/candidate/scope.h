#pragma once

#include "gpu/candidate/plan.h"
#include "gpu/problem/expression.h"

namespace gpu {

/// The names that a plan's expressions see at one tunable point, and their evaluation with errors
/// that carry key and line. After the first failure everything evaluates to zero.
class PlanScope {
public:
    PlanScope(
        const Plan &plan, const Dims &dims, const TunablePoint &point, const DeviceLimits &limits);

    double number(const PlanExpression &expression, const std::string &key);
    std::int64_t integer(const PlanExpression &expression, const std::string &key);
    /// A whole number within [low, high]; `what` says what it is, as in "a grid extent".
    std::int64_t integerIn(const PlanExpression &expression, const std::string &key, double low,
        double high, const std::string &what);

    void fail(int line, const std::string &key, const std::string &message);
    const std::optional<PlanError> &error() const { return m_error; }
    bool isNumber(const std::string &name) const { return m_variables.count(name) > 0; }

private:
    Variables m_variables;
    std::optional<PlanError> m_error;
};

/// The scalar's bytes; fails in the scope where the value does not fit the type.
std::vector<std::byte> encodeScalar(
    PlanScope &scope, const PlanExpression &expression, const std::string &key, DType type);

/// A tensor map in numbers; fails in the scope where it breaks a rule of the TMA unit.
ResolvedTensorMap resolveTensorMap(PlanScope &scope, const TensorMapSpec &map, DType dtype);

} // namespace gpu
