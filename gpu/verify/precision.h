#pragma once

#include "gpu/base/dtype.h"
#include "gpu/verify/numberformat.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Precision is measured, not claimed: a candidate's errors against the fp64 truth are compared
/// with the errors that known formats make on the very same inputs.
namespace gpu {

/// "fp32", "tf32", "fp16", "bf16".
std::string_view name(Format format);
std::optional<Format> formatFromName(std::string_view name);

/// How far one output is from the truth. Three statistics, because each is blind where the others
/// see: `rms` finds a general loss of precision, `worst` one wrong element in a million, `typical`
/// wrong values that are tiny beside the rest of their row (zeros for a softmax's small outputs).
struct OutputErrors {
    double rms = 0; ///< ||e|| / ||t|| over the whole output
    /// Largest |e_i| / max(|t_i|, rms of t over its row): a t_i that is near zero only because
    /// large terms cancelled is not held to its own size.
    double worst = 0;
    /// 99th percentile of |e_i| / |t_i| over normal t_i != 0; what cancelled is among the top 1 %.
    double typical = 0;
    bool specialsDiffer = false; ///< NaN, +Inf and -Inf are not in exactly the same places
    std::int64_t worstIndex = 0; ///< flat; of the first differing special if there is one
};

/// The shortest run of trailing axes with at least 32 elements: the "row" of `worst`.
std::int64_t rowLength(const std::vector<std::int64_t> &shape);

OutputErrors measure(
    std::span<const double> truth, std::span<const double> got, std::int64_t row, DType type);

/// Flat index of the first element whose error over max(|t|, row rms) exceeds `limit` or that is
/// special where the truth is not; nullopt if there is none.
std::optional<std::int64_t> firstBeyond(
    std::span<const double> truth, std::span<const double> got, std::int64_t row, double limit);

/// numpy.allclose(got, truth, rtol=tolerance, atol=tolerance).
bool allClose(std::span<const double> truth, std::span<const double> got, double tolerance);

/// What a candidate is measured with, loosening from step to step.
enum class Yardstick {
    Rounded, ///< the truth rounded to the output's own type
    Seed, ///< the fp32 seed
    /// The truth on inputs moved by at most one last fp32 bit: what rounding does to a stable
    /// algorithm. Keeps honest kernels in fp32 where the seed was exact by luck.
    Perturbed,
    Tf32, ///< from here: inputs and outputs of the truth cut to that format
    Fp16,
    Bf16
};
std::string_view name(Yardstick yardstick);

/// How much more than a yardstick a candidate of its class may err. fp32 and the next class are
/// 2^13 apart per operation, so 16 leaves honest kernels (other summation orders, fast-math
/// exponentials) far inside and tf32 far outside. fp16 and bf16 are only 8 apart and their
/// yardsticks are already worst cases (cut, not rounded), so 2.
constexpr double Fp32Factor = 16;
constexpr double ReducedFactor = 2;
/// Whatever the seed's or a reduced format's yardstick says, an answer this far off is wrong: zeros
/// would pass where a format has no bits left for the data (bf16 at mean 1000). `Perturbed` has no
/// cap: where the last fp32 bit decides (a layernorm of constant rows) nobody can do better.
constexpr double Cap = 0.1;
/// Of `typical`, which cancellation alone can bring near 1 in bf16; zeros have exactly 1.
constexpr double TypicalCap = 0.9;

/// The class of one check.
struct Classification {
    std::optional<Format> format; ///< the tightest that holds; nullopt: wrong in every class
    double error = 0; ///< the statistic nearest to (or farthest beyond) its fp32 limit
    std::string statistic; ///< "rms", "worst" or "typical"
    std::size_t output = 0; ///< whose statistic it is
    double ratio = 0; ///< error over its fp32 limit, as far as that was worked out
    double worstLimit = 0; ///< loosest limit of `worst` for that output
};

/// Errors of each output under a yardstick; nullopt where it does not apply (fp16 overflowed).
using YardstickSource = std::function<std::optional<std::vector<OutputErrors>>(Yardstick)>;

/// Finds the tightest class whose yardsticks (asked for one after another, only as needed) hold for
/// all outputs and statistics. Yardsticks are for the same inputs as the candidate, not for a seed
/// of their own: heavy-tailed inputs differ too much from seed to seed.
Classification classify(const std::vector<OutputErrors> &candidate, const YardstickSource &source);

/// The value of every class's yardstick in the statistic and output of a classification.
std::map<std::string, double> yardstickValues(
    const Classification &classification, const YardstickSource &source);

} // namespace gpu
