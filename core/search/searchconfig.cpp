#include "core/search/searchconfig.h"

#include "core/search/configjson.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {
using nlohmann::json;

void read(const json &document, const char *key, QString &target)
{
    if (const auto found = document.find(key); found != document.end() && found->is_string())
        target = QString::fromStdString(found->get<std::string>());
}

void read(const json &document, const char *key, int &target)
{
    if (const auto found = document.find(key); found != document.end() && found->is_number())
        target = found->get<int>();
}

template <class Number>
void read(const json &document, const char *key, std::optional<Number> &target)
{
    if (const auto found = document.find(key); found != document.end() && found->is_number())
        target = found->get<Number>();
}

template <class Number> json orNull(const std::optional<Number> &value)
{
    return value ? json(*value) : json();
}
} // namespace

QString name(SearchState state)
{
    switch (state) {
    case SearchState::Idle:
        return QStringLiteral("idle");
    case SearchState::Starting:
        return QStringLiteral("starting");
    case SearchState::Running:
        return QStringLiteral("running");
    case SearchState::Pausing:
        return QStringLiteral("pausing");
    case SearchState::Paused:
        return QStringLiteral("paused");
    case SearchState::Stopping:
        return QStringLiteral("stopping");
    case SearchState::Finished:
        return QStringLiteral("finished");
    case SearchState::Failed:
        return QStringLiteral("failed");
    }
    return {};
}

json toJson(const SearchConfig &config)
{
    json models = json::array();
    for (const QString &model : config.models)
        models.push_back(model.toStdString());
    return {{"problem", config.problem.toStdString()}, {"provider", config.provider.toStdString()},
        {"models", models}, {"policy", config.policy.toStdString()}, {"rounds", config.rounds},
        {"seeds", config.seeds}, {"ideas", config.ideas}, {"branches", config.branches},
        {"repairs", config.repairs}, {"device", config.device.toStdString()},
        {"size", config.size.toStdString()}, {"worker", config.workerCommand.toStdString()},
        {"budget_tokens", orNull(config.budgetTokens)}, {"budget_usd", orNull(config.budgetUsd)},
        {"budget_minutes", orNull(config.budgetMinutes)}};
}

SearchConfig searchConfigFromJson(const json &document)
{
    SearchConfig config;
    if (!document.is_object())
        return config;
    read(document, "problem", config.problem);
    read(document, "provider", config.provider);
    read(document, "policy", config.policy);
    read(document, "rounds", config.rounds);
    read(document, "seeds", config.seeds);
    read(document, "ideas", config.ideas);
    read(document, "branches", config.branches);
    read(document, "repairs", config.repairs);
    read(document, "device", config.device);
    read(document, "size", config.size);
    read(document, "worker", config.workerCommand);
    read(document, "budget_tokens", config.budgetTokens);
    read(document, "budget_usd", config.budgetUsd);
    read(document, "budget_minutes", config.budgetMinutes);
    if (const auto models = document.find("models"); models != document.end()) {
        for (const json &model : *models) {
            if (model.is_string())
                config.models.append(QString::fromStdString(model.get<std::string>()));
        }
    }
    return config;
}

} // namespace core
