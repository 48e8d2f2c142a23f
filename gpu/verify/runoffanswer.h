#pragma once

#include "gpu/bench/statistics.h"

namespace gpu {

/// What a run-off of two candidates brought: how B's time compares with A's, or who fell out.
struct RunOffAnswer {
    RatioResult times;
    std::size_t pairs = 0; ///< of samples
    std::optional<Contender> failed;
    Evaluation failure; ///< of the one that fell out: verdict, message, wrong, fault
};

nlohmann::json toJson(const RunOffAnswer &answer);
/// Tolerates missing keys.
RunOffAnswer runOffAnswerFromJson(const nlohmann::json &json);

} // namespace gpu
