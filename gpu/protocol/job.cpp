#include "gpu/protocol/job.h"

#include "gpu/protocol/message.h"

#include <cstdio>

namespace gpu {

using nlohmann::json;

namespace {

/// FNV-1a, 64 bits: names content, protects against nothing.
std::string contentKey(const std::string &text)
{
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    char key[17];
    std::snprintf(key, sizeof key, "%016llx", static_cast<unsigned long long>(hash));
    return key;
}

Entry entryFrom(const json &request)
{
    Entry entry{textAt(request, "source"), std::nullopt};
    if (request.is_object() && request.contains("tunables"))
        entry.tunables = pointFromJson(request["tunables"]);
    return entry;
}

json requestOf(const std::string &op, LoadedProblem &problem, const std::vector<std::string> &sizes)
{
    const std::lock_guard lock(problem.mutex);
    json codes = json::object();
    for (const std::string &size : sizes)
        codes[size] = problem.codes.at(size);
    return {{"op", op}, {"key", problem.key}, {"problem", problem.text}, {"sizes", sizes},
        {"codes", codes}};
}

} // namespace

LoadedProblem::LoadedProblem(Problem loaded)
    : problem(std::move(loaded))
    , text(toJson(problem))
{
    key = contentKey(text.dump());
}

Job::Job(const json &request)
    : id(integerAt(request, "id"))
    , op(textAt(request, "op"))
    , size(textAt(request, "size"))
    , form(textAt(request, "form"))
    , time(booleanAt(request, "time", true))
{
    if (!isRunOff()) {
        entries = {entryFrom(request)};
        return;
    }
    for (const char *key : {"a", "b"})
        entries.push_back(entryFrom(request.value(key, json::object())));
}

std::vector<std::string> Job::sizes() const
{
    return isRunOff() ? std::vector{size} : checkedSizes(size);
}

json probeRequest(LoadedProblem &problem, const std::vector<std::string> &sizes)
{
    return requestOf("probe", problem, sizes);
}

json runnerRequest(const Job &job)
{
    json request = requestOf(job.op, *job.problem, job.sizes());
    request["time"] = job.time;
    for (const Entry &entry : job.entries) {
        const char *key = !job.isRunOff() ? "candidate" : job.isFirst(entry) ? "a" : "b";
        request[key] = {{"source", entry.source}, {"tunables", entry.evaluation.tunables}};
        for (const std::string &size : job.sizes())
            request["codes"][size][key] = entry.codes[size];
    }
    return request;
}

} // namespace gpu
