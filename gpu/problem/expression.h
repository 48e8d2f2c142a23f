#pragma once

#include "gpu/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gpu {

/// What an expression may name.
using Variables = std::map<std::string, double, std::less<>>;

/// The value of an expression of a plan or problem: numbers, names, `+ - * / %`, comparisons,
/// `&& || !`, `c ? a : b`, and the functions ceil_div, floor_div, align, min, max, floor, ceil,
/// abs, sqrt, exp, log, log2, pow. Arithmetic is in double, so integers are exact to 2^53; `/` does
/// not round. Names may be written `dim.rows` and `tune.TILE` too. Thread-safe.
///
/// A caller error names the expression and what is wrong in it, never a file or line.
Result<double> evaluate(std::string_view expression, const Variables &variables);

/// The same for a whole number: a fraction, or a value that double cannot hold exactly, is an
/// error.
Result<std::int64_t> evaluateInteger(std::string_view expression, const Variables &variables);

/// Whether a name is taken by a function or a device fact of expressions, so that no dim, tunable
/// or `let` may have it.
bool isReservedInExpressions(std::string_view name);

/// A number as it would be written: without a fraction where it has none.
std::string numberText(double value);

} // namespace gpu
