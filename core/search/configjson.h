#pragma once

#include "core/search/searchconfig.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

nlohmann::json toJson(const SearchConfig &config);
/// Missing keys keep their defaults: an older session opens in a newer program.
SearchConfig searchConfigFromJson(const nlohmann::json &json);

} // namespace core
