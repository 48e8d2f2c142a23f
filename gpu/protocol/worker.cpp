#include "gpu/protocol/worker.h"

#include "gpu/protocol/message.h"
#include "gpu/protocol/preparation.h"
#include "gpu/protocol/quietgate.h"
#include "gpu/protocol/taskqueue.h"

#include <atomic>
#include <map>
#include <mutex>

namespace gpu {

using nlohmann::json;

namespace {

constexpr int ProtocolVersion = 1;

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

/// A loaded problem and the code of its oracle and seed by size, compiled when first needed.
struct LoadedProblem {
    std::string key;
    Problem problem;
    json text; ///< as it goes to the runner
    std::mutex mutex;
    std::map<std::string, json> codes; ///< size to {"oracle", "seed"}
    std::atomic<bool> probed = false;
};

struct Job {
    std::int64_t id = 0;
    std::shared_ptr<LoadedProblem> problem;
    std::string source, size, form;
    std::optional<TunablePoint> tunables;
    bool time = true;
    std::atomic<bool> cancelled = false;
    // What the compile stage found.
    Evaluation evaluation;
    json codes = json::object();
};

class Worker {
public:
    Worker(int inputFd, int outputFd, std::unique_ptr<Compiler> compiler, WorkerOptions options)
        : m_reader(inputFd)
        , m_writer(outputFd)
        , m_compiler(std::move(compiler))
        , m_options(std::move(options))
        , m_runner(m_options.runnerCommand, m_options.runnerLimits)
        , m_compiles(m_options.compileThreads)
        , m_device(1)
    {
    }

    int run()
    {
        startDevice();
        std::string line;
        for (;;) {
            const LineReader::Outcome outcome = m_reader.read(line);
            if (outcome == LineReader::Outcome::End)
                break;
            if (outcome != LineReader::Outcome::Line) {
                sendError(0, callerError("A request is longer than this worker takes."));
                continue;
            }
            const auto request = parseMessage(line);
            if (!request)
                sendError(0, request.error());
            else if (textAt(*request, "op") == "quit")
                break;
            else
                handle(*request);
        }
        const std::lock_guard lock(m_mutex);
        m_quitting = true;
        for (const auto &[id, job] : m_jobs)
            job->cancelled = true;
        return 0;
    }

private:
    // The runner is started, asked and ended on the device thread only: it dies with its starter.
    void startDevice()
    {
        std::mutex mutex;
        std::condition_variable done;
        bool ready = false;
        m_device.add([&] {
            auto facts = m_runner.start();
            const std::lock_guard lock(mutex);
            if (facts)
                m_facts = *facts;
            else
                m_missing.push_back("No device: " + facts.error().message);
            ready = true;
            done.notify_one();
        });
        std::unique_lock lock(mutex);
        done.wait(lock, [&] { return ready; });
        lock.unlock();

        json hello
            = {{"event", "hello"}, {"protocol", ProtocolVersion}, {"version", m_options.version},
                {"device", nullptr}, {"compiler", nullptr}, {"warnings", json::array()}};
        if (m_facts)
            hello["device"] = toJson(*m_facts);
        const auto description = m_compiler->description();
        if (description)
            hello["compiler"] = *description;
        else
            m_missing.push_back(description.error().message);
        hello["missing"] = m_missing;
        if (const std::string warning = m_compiler->sandboxWarning(); !warning.empty())
            hello["warnings"].push_back(warning);
        m_writer.write(hello);
    }

    void handle(const json &request)
    {
        const std::int64_t id = integerAt(request, "id");
        const std::string op = textAt(request, "op");
        if (op == "load")
            load(id, request);
        else if (op == "evaluate" || op == "assembly")
            addJob(id, op, request);
        else if (op == "cancel")
            cancel(integerAt(request, "target", -1));
        else
            sendError(id,
                callerError("The operation \"" + op
                    + "\" is not known; use load, evaluate, assembly, cancel or quit."));
    }

    void load(std::int64_t id, const json &request)
    {
        auto problem = problemFromJson(request.value("problem", json::object()));
        if (!problem)
            return sendError(id, problem.error());
        if (!m_facts)
            return sendError(id, environmentError(m_missing.front()));
        auto loaded = std::make_shared<LoadedProblem>();
        loaded->problem = std::move(*problem);
        loaded->text = toJson(loaded->problem);
        loaded->key = contentKey(loaded->text.dump());
        {
            const std::lock_guard lock(m_mutex);
            auto &known = m_problems[loaded->key];
            if (known)
                loaded = known;
            else
                known = loaded;
        }
        m_compiles.add([this, id, loaded] {
            const std::vector<std::string> sizes = checkedSizes(defaultSize(*m_facts));
            for (const std::string &size : sizes)
                if (Status status = compileReferences(*loaded, size); !status)
                    return sendError(id, status.error());
            m_device.add([this, id, loaded, sizes] { probe(id, *loaded, sizes); });
        });
    }

    void probe(std::int64_t id, LoadedProblem &problem, const std::vector<std::string> &sizes)
    {
        if (!problem.probed) {
            const RunnerReply reply = askRunner(
                runnerRequest("probe", problem, sizes), [](const json &) {}, m_quitting);
            if (reply.end != RunnerReply::End::Answered)
                return sendError(id,
                    environmentError(
                        "The problem could not be probed: the runner " + reply.detail + "."));
            if (textAt(reply.message, "event") != "probed") {
                const Blame blame = textAt(reply.message, "blame") == "environment"
                    ? Blame::Environment
                    : Blame::Caller;
                return sendError(id, {blame, textAt(reply.message, "message")});
            }
            problem.probed = true;
        }
        m_writer.write({{"id", id}, {"event", "loaded"}, {"problem", problem.problem.id},
            {"key", problem.key}});
    }

    /// Asks again once if the runner was killed from outside, which says nothing of the request.
    RunnerReply askRunner(const json &request, const std::function<void(const json &)> &onStage,
        const std::atomic<bool> &cancelled)
    {
        RunnerReply reply = m_runner.ask(request, onStage, cancelled);
        if (reply.end == RunnerReply::End::Killed)
            reply = m_runner.ask(request, onStage, cancelled);
        return reply;
    }

    json runnerRequest(
        const char *op, LoadedProblem &problem, const std::vector<std::string> &sizes)
    {
        const std::lock_guard lock(problem.mutex);
        json codes = json::object();
        for (const std::string &size : sizes)
            codes[size] = problem.codes.at(size);
        return {{"op", op}, {"key", problem.key}, {"problem", problem.text}, {"sizes", sizes},
            {"codes", codes}};
    }

    CompileOutput compile(const CompileRequest &request)
    {
        m_gate.enterShared();
        CompileOutput output = m_compiler->compile(request, m_options.compileSeconds);
        m_gate.leaveShared();
        return output;
    }

    Status compileReferences(LoadedProblem &problem, const std::string &size)
    {
        const std::lock_guard lock(problem.mutex);
        if (problem.codes.contains(size))
            return Unit();
        json codes = json::object();
        for (const auto &[name, source] : {std::pair("oracle", problem.problem.oracleSource),
                 std::pair("seed", problem.problem.seedSource)}) {
            const std::string file = std::string(name) + ".cu";
            auto prepared = prepareSource(source, problem.problem, size, {}, *m_facts);
            if (const auto *error = std::get_if<PlanError>(&prepared))
                return callerError(file + ": " + error->message);
            if (const auto *error = std::get_if<Error>(&prepared))
                return *error;
            const PreparedSource &ready = std::get<PreparedSource>(prepared);
            const CompileOutput code = compile(ready.request);
            if (!code.environmentError.empty())
                return environmentError(code.environmentError);
            if (!code.ok)
                return callerError(file + " does not compile at size " + size + ":\n" + code.log);
            if (const auto error = checkPlan(ready.plan, code))
                return callerError(file + ": " + error->message);
            codes[name] = toJson(code);
        }
        problem.codes[size] = std::move(codes);
        return Unit();
    }

    void addJob(std::int64_t id, const std::string &op, const json &request)
    {
        auto job = std::make_shared<Job>();
        job->id = id;
        job->source = textAt(request, "source");
        job->size = textAt(request, "size");
        job->form = op == "assembly" ? textAt(request, "form") : std::string();
        job->time = booleanAt(request, "time", true);
        if (request.contains("tunables"))
            job->tunables = pointFromJson(request["tunables"]);
        {
            const std::lock_guard lock(m_mutex);
            const auto found = m_problems.find(textAt(request, "problem"));
            if (found != m_problems.end())
                job->problem = found->second;
        }
        if (!job->problem)
            return sendError(id,
                callerError("No problem with the key \"" + textAt(request, "problem")
                    + "\" is loaded; send `load` first and use the key of its answer."));
        if (op == "assembly" && job->form != "ptx" && job->form != "sass")
            return sendError(id, callerError("`form` must be ptx or sass."));
        if (job->size.empty())
            job->size = defaultSize(*m_facts);
        {
            const std::lock_guard lock(m_mutex);
            if (!m_jobs.emplace(id, job).second)
                return sendError(
                    id, callerError("The id " + std::to_string(id) + " is still in use."));
        }
        if (op == "assembly") {
            m_compiles.add([this, job] { assemble(*job); });
        } else {
            sendStage(*job, "queued");
            m_compiles.add([this, job] { compileJob(job); });
        }
    }

    void cancel(std::int64_t target)
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_jobs.find(target);
        // A job that has just ended cannot be cancelled, and its result is on its way.
        if (found != m_jobs.end())
            found->second->cancelled = true;
    }

    bool endIfCancelled(const Job &job)
    {
        if (!job.cancelled)
            return false;
        finish(job, {{"id", job.id}, {"event", "cancelled"}});
        return true;
    }

    /// Answers a job for the last time.
    void finish(const Job &job, const json &event)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_jobs.erase(job.id);
        }
        m_writer.write(event);
    }

    void finish(Job &job, Verdict verdict, const std::string &message)
    {
        job.evaluation.verdict = verdict;
        job.evaluation.message = message;
        finish(job, resultEvent(job));
    }

    json resultEvent(Job &job)
    {
        Evaluation &evaluation = job.evaluation;
        evaluation.problem = job.problem->problem.id;
        evaluation.size = job.size;
        evaluation.deviceKind = m_facts->kind;
        evaluation.deviceName = m_facts->name;
        return {{"id", job.id}, {"event", "result"}, {"evaluation", toJson(evaluation)}};
    }

    void compileJob(const std::shared_ptr<Job> &job)
    {
        if (endIfCancelled(*job))
            return;
        sendStage(*job, "compile");
        const std::vector<std::string> sizes = checkedSizes(job->size);
        for (const std::string &size : sizes) {
            if (Status status = compileReferences(*job->problem, size); !status) {
                if (status.error().blame != Blame::Environment)
                    return finish(*job,
                        {{"id", job->id}, {"event", "error"}, {"blame", "caller"},
                            {"message", status.error().message}});
                return finish(*job, Verdict::EnvironmentError, status.error().message);
            }
            auto prepared
                = prepareSource(job->source, job->problem->problem, size, job->tunables, *m_facts);
            if (const auto *error = std::get_if<PlanError>(&prepared))
                return finish(*job, Verdict::PlanError, error->message);
            if (const auto *error = std::get_if<Error>(&prepared))
                return finish(*job,
                    {{"id", job->id}, {"event", "error"}, {"blame", "caller"},
                        {"message", error->message}});
            if (!compileSize(*job, size, std::get<PreparedSource>(prepared))
                || endIfCancelled(*job))
                return;
        }
        m_device.add([this, job, sizes] { runJob(*job, sizes); });
    }

    /// False: the job is finished.
    bool compileSize(Job &job, const std::string &size, const PreparedSource &prepared)
    {
        const CompileOutput code = compile(prepared.request);
        job.evaluation.compileMs += code.compileMs;
        if (size == job.size || !code.ok) {
            job.evaluation.resources = code.resources;
            job.evaluation.diagnostics = code.diagnostics;
            job.evaluation.compileLog = code.log;
            job.evaluation.tunables = prepared.request.tunables;
        }
        if (!code.environmentError.empty())
            finish(job, Verdict::EnvironmentError, code.environmentError);
        else if (code.timedOut)
            finish(job, Verdict::CompileError, "The compiler did not end within its time limit.");
        else if (!code.ok)
            finish(job, Verdict::CompileError, compileMessage(code, size));
        else if (const auto error = checkPlan(prepared.plan, code))
            finish(job, Verdict::PlanError, error->message);
        else {
            job.codes[size] = toJson(code);
            return true;
        }
        return false;
    }

    static std::string compileMessage(const CompileOutput &code, const std::string &size)
    {
        for (const Diagnostic &diagnostic : code.diagnostics)
            if (diagnostic.severity == "error")
                return "Line " + std::to_string(diagnostic.line) + ": " + diagnostic.text
                    + " (size " + size + ").";
        return "The code does not compile at size " + size + ".";
    }

    void runJob(Job &job, const std::vector<std::string> &sizes)
    {
        if (endIfCancelled(job))
            return;
        json request = runnerRequest("evaluate", *job.problem, sizes);
        for (const std::string &size : sizes)
            request["codes"][size]["candidate"] = job.codes[size];
        request["source"] = job.source;
        request["tunables"] = job.evaluation.tunables;
        request["time"] = job.time;
        bool quiet = false;
        const auto setQuiet = [&](bool wanted) {
            if (wanted == quiet)
                return;
            quiet = wanted;
            if (quiet)
                m_gate.enterQuiet();
            else
                m_gate.leaveQuiet();
        };
        const RunnerReply reply = askRunner(
            request,
            [&](const json &stage) {
                const std::string name = textAt(stage, "stage");
                setQuiet(name == "time");
                sendStage(job, name, integerAt(stage, "done"), integerAt(stage, "total"));
            },
            job.cancelled);
        setQuiet(false);
        conclude(job, reply);
    }

    void conclude(Job &job, const RunnerReply &reply)
    {
        switch (reply.end) {
        case RunnerReply::End::Answered:
            break;
        case RunnerReply::End::Cancelled:
            endIfCancelled(job);
            return;
        case RunnerReply::End::Silent:
            return finish(job, Verdict::Timeout,
                "The runner " + reply.detail + " while it ran this candidate, and was replaced.");
        case RunnerReply::End::Died:
            return finish(job, Verdict::Crash,
                "The runner died while it ran this candidate: " + reply.detail + ".");
        case RunnerReply::End::Killed:
            return finish(job, Verdict::EnvironmentError,
                "The runner was killed from outside (short of memory?): " + reply.detail + ".");
        case RunnerReply::End::Unavailable:
            return finish(job, Verdict::EnvironmentError, reply.detail);
        }
        if (textAt(reply.message, "event") == "error")
            return finish(job, Verdict::EnvironmentError, textAt(reply.message, "message"));
        Evaluation found = evaluationFromJson(reply.message.value("evaluation", json::object()));
        found.compileMs = job.evaluation.compileMs;
        found.resources = std::move(job.evaluation.resources);
        found.diagnostics = std::move(job.evaluation.diagnostics);
        found.compileLog = std::move(job.evaluation.compileLog);
        found.tunables = std::move(job.evaluation.tunables);
        job.evaluation = std::move(found);
        finish(job, resultEvent(job));
    }

    void assemble(Job &job)
    {
        if (endIfCancelled(job))
            return;
        const auto refuse = [&](const Error &error) {
            finish(job,
                {{"id", job.id}, {"event", "error"},
                    {"blame", error.blame == Blame::Environment ? "environment" : "caller"},
                    {"message", error.message}});
        };
        auto prepared
            = prepareSource(job.source, job.problem->problem, job.size, job.tunables, *m_facts);
        if (const auto *error = std::get_if<PlanError>(&prepared))
            return refuse(callerError(error->message));
        if (const auto *error = std::get_if<Error>(&prepared))
            return refuse(*error);
        const CompileOutput code = compile(std::get<PreparedSource>(prepared).request);
        if (!code.environmentError.empty())
            return refuse(environmentError(code.environmentError));
        if (!code.ok)
            return refuse(callerError("The code does not compile:\n" + code.log));
        Result<std::string> text
            = job.form == "ptx" ? Result(code.ptx) : m_compiler->disassemble(code.cubin);
        if (!text)
            return refuse(text.error());
        finish(job, {{"id", job.id}, {"event", "assembly"}, {"text", *text}});
    }

    void sendStage(
        const Job &job, const std::string &stage, std::int64_t done = 0, std::int64_t total = 0)
    {
        m_writer.write({{"id", job.id}, {"event", "stage"}, {"stage", stage}, {"done", done},
            {"total", total}});
    }

    void sendError(std::int64_t id, const Error &error)
    {
        m_writer.write({{"id", id}, {"event", "error"},
            {"blame", error.blame == Blame::Environment ? "environment" : "caller"},
            {"message", error.message}});
    }

    LineReader m_reader;
    LineWriter m_writer;
    std::unique_ptr<Compiler> m_compiler;
    WorkerOptions m_options;
    std::optional<DeviceFacts> m_facts; ///< written before the first request is read
    std::vector<std::string> m_missing;
    QuietGate m_gate;
    std::atomic<bool> m_quitting = false;
    std::mutex m_mutex; ///< guards the two maps
    std::map<std::string, std::shared_ptr<LoadedProblem>> m_problems;
    std::map<std::int64_t, std::shared_ptr<Job>> m_jobs;
    RunnerClient m_runner;
    // Last, so that their threads end before what they use.
    TaskQueue m_compiles, m_device;
};

} // namespace

int runWorker(int inputFd, int outputFd, std::unique_ptr<Compiler> compiler, WorkerOptions options)
{
    return Worker(inputFd, outputFd, std::move(compiler), std::move(options)).run();
}

} // namespace gpu
