#include "gpu/verify/runoffanswer.h"

#include <nlohmann/json.hpp>

namespace gpu {

using nlohmann::json;

json toJson(const RunOffAnswer &answer)
{
    const Interval &ratio = answer.times.ratio;
    json object = {{"comparison", name(answer.times.comparison)},
        {"ratio", {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}}},
        {"pairs", answer.pairs}};
    if (answer.failed) {
        object["failed"] = *answer.failed == Contender::A ? "a" : "b";
        object["evaluation"] = toJson(answer.failure);
    }
    return object;
}

RunOffAnswer runOffAnswerFromJson(const json &object)
{
    RunOffAnswer answer;
    const auto number = [](const json &part, const char *key) {
        const auto it = part.is_object() ? part.find(key) : part.end();
        return it != part.end() && it->is_number() ? it->get<double>() : 0.0;
    };
    const auto text = [&object](const char *key) {
        const auto it = object.find(key);
        return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    if (!object.is_object())
        return answer;
    const json ratio = object.value("ratio", json::object());
    answer.times.ratio = {number(ratio, "value"), number(ratio, "low"), number(ratio, "high")};
    answer.times.comparison = comparisonFromName(text("comparison"));
    answer.pairs = static_cast<std::size_t>(std::max(0.0, number(object, "pairs")));
    if (const std::string failed = text("failed"); !failed.empty()) {
        answer.failed = failed == "a" ? Contender::A : Contender::B;
        answer.failure = evaluationFromJson(object.value("evaluation", json::object()));
    }
    return answer;
}

} // namespace gpu
