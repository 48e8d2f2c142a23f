#pragma once

#include "gpu/protocol/preparation.h"
#include "gpu/verify/evaluation.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace gpu {

/// A problem in a worker, and the code of its oracle and seed by size, compiled when first needed.
struct LoadedProblem {
    explicit LoadedProblem(Problem loaded);

    std::string key; ///< names its content
    Problem problem;
    nlohmann::json text; ///< as it goes to the runner
    std::mutex mutex;
    std::map<std::string, nlohmann::json> codes; ///< size to {"oracle", "seed"}
    std::atomic<bool> probed = false;
};

/// A candidate of a job, and what the compile stage found.
struct Entry {
    std::string source;
    std::optional<TunablePoint> tunables;
    Evaluation evaluation = {};
    nlohmann::json codes = nlohmann::json::object(); ///< by size
};

/// A request that a worker works on: an evaluation, a run-off or an assembly.
struct Job {
    /// Its problem is left to the caller.
    explicit Job(const nlohmann::json &request);

    bool isRunOff() const { return op == "compare"; }
    bool isFirst(const Entry &entry) const { return &entry == &entries.front(); }
    /// At which its candidates are compiled and run.
    std::vector<std::string> sizes() const;

    std::int64_t id = 0;
    std::string op, size, form;
    std::shared_ptr<LoadedProblem> problem;
    std::vector<Entry> entries; ///< one; A and B of a run-off
    bool time = true;
    std::atomic<bool> cancelled = false;
};

/// What the runner gets for a probe: oracle and seed.
nlohmann::json probeRequest(LoadedProblem &problem, const std::vector<std::string> &sizes);
/// And for a job that is compiled: the candidate's source and code too, or those of A and B.
nlohmann::json runnerRequest(const Job &job);

} // namespace gpu
