#include "gpu/protocol/worker.h"

#include "gpu/protocol/job.h"
#include "gpu/protocol/message.h"
#include "gpu/protocol/quietgate.h"
#include "gpu/protocol/taskqueue.h"
#include "gpu/verify/runoffanswer.h"

#include <atomic>
#include <map>
#include <mutex>

namespace gpu {

using nlohmann::json;

namespace {

constexpr int ProtocolVersion = 1;

std::string compileMessage(const CompileOutput &code, const std::string &size)
{
    for (const Diagnostic &diagnostic : code.diagnostics)
        if (diagnostic.severity == "error")
            return "Line " + std::to_string(diagnostic.line) + ": " + diagnostic.text + " (size "
                + size + ").";
    return "The code does not compile at size " + size + ".";
}

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
        else if (op == "evaluate" || op == "compare" || op == "assembly")
            addJob(request);
        else if (op == "cancel")
            cancel(integerAt(request, "target", -1));
        else
            sendError(id,
                callerError("The operation \"" + op
                    + "\" is not known; use load, evaluate, compare, assembly, cancel or quit."));
    }

    void load(std::int64_t id, const json &request)
    {
        auto problem = problemFromJson(request.value("problem", json::object()));
        if (!problem)
            return sendError(id, problem.error());
        if (!m_facts)
            return sendError(id, environmentError(m_missing.front()));
        auto loaded = std::make_shared<LoadedProblem>(std::move(*problem));
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
                probeRequest(problem, sizes), [](const json &) {}, m_quitting);
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

    void addJob(const json &request)
    {
        auto job = std::make_shared<Job>(request);
        {
            const std::lock_guard lock(m_mutex);
            const auto found = m_problems.find(textAt(request, "problem"));
            if (found != m_problems.end())
                job->problem = found->second;
        }
        if (!job->problem)
            return sendError(job->id,
                callerError("No problem with the key \"" + textAt(request, "problem")
                    + "\" is loaded; send `load` first and use the key of its answer."));
        if (job->op == "assembly" && job->form != "ptx" && job->form != "sass")
            return sendError(job->id, callerError("`form` must be ptx or sass."));
        if (job->size.empty())
            job->size = defaultSize(*m_facts);
        {
            const std::lock_guard lock(m_mutex);
            if (!m_jobs.emplace(job->id, job).second)
                return sendError(job->id,
                    callerError("The id " + std::to_string(job->id) + " is still in use."));
        }
        if (job->op == "assembly") {
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

    void finish(Job &job, Entry &entry, Verdict verdict, const std::string &message)
    {
        entry.evaluation.verdict = verdict;
        entry.evaluation.message = message;
        finish(job, entry);
    }

    /// With that candidate's evaluation; in a run-off it is the one that fell out.
    void finish(Job &job, Entry &entry)
    {
        Evaluation &evaluation = entry.evaluation;
        evaluation.problem = job.problem->problem.id;
        evaluation.size = job.size;
        evaluation.deviceKind = m_facts->kind;
        evaluation.deviceName = m_facts->name;
        if (!job.isRunOff())
            return finish(
                job, {{"id", job.id}, {"event", "result"}, {"evaluation", toJson(evaluation)}});
        RunOffAnswer answer;
        answer.failed = job.isFirst(entry) ? Contender::A : Contender::B;
        answer.failure = evaluation;
        finishRunOff(job, toJson(answer));
    }

    void finishRunOff(const Job &job, json answer)
    {
        answer["id"] = job.id;
        answer["event"] = "compared";
        finish(job, answer);
    }

    void finish(const Job &job, const Error &error)
    {
        finish(job,
            {{"id", job.id}, {"event", "error"},
                {"blame", error.blame == Blame::Environment ? "environment" : "caller"},
                {"message", error.message}});
    }

    void compileJob(const std::shared_ptr<Job> &job)
    {
        if (endIfCancelled(*job))
            return;
        sendStage(*job, "compile");
        for (const std::string &size : job->sizes()) {
            if (Status status = compileReferences(*job->problem, size); !status) {
                if (status.error().blame != Blame::Environment)
                    return finish(*job, status.error());
                return finish(
                    *job, job->entries.front(), Verdict::EnvironmentError, status.error().message);
            }
            for (Entry &entry : job->entries)
                if (!compileEntry(*job, entry, size) || endIfCancelled(*job))
                    return;
        }
        m_device.add([this, job] { runJob(*job); });
    }

    /// False: the job is finished.
    bool compileEntry(Job &job, Entry &entry, const std::string &size)
    {
        auto made
            = prepareSource(entry.source, job.problem->problem, size, entry.tunables, *m_facts);
        if (const auto *error = std::get_if<Error>(&made)) {
            finish(job, callerError(error->message));
            return false;
        }
        if (const auto *error = std::get_if<PlanError>(&made)) {
            finish(job, entry, Verdict::PlanError, error->message);
            return false;
        }
        const PreparedSource &prepared = std::get<PreparedSource>(made);
        const CompileOutput code = compile(prepared.request);
        Evaluation &evaluation = entry.evaluation;
        evaluation.compileMs += code.compileMs;
        if (size == job.size || !code.ok) {
            evaluation.resources = code.resources;
            evaluation.diagnostics = code.diagnostics;
            evaluation.compileLog = code.log;
            evaluation.tunables = prepared.request.tunables;
        }
        if (!code.environmentError.empty())
            finish(job, entry, Verdict::EnvironmentError, code.environmentError);
        else if (code.timedOut)
            finish(job, entry, Verdict::CompileError,
                "The compiler did not end within its time limit.");
        else if (!code.ok)
            finish(job, entry, Verdict::CompileError, compileMessage(code, size));
        else if (const auto error = checkPlan(prepared.plan, code))
            finish(job, entry, Verdict::PlanError, error->message);
        else {
            entry.codes[size] = toJson(code);
            return true;
        }
        return false;
    }

    void runJob(Job &job)
    {
        if (endIfCancelled(job))
            return;
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
            runnerRequest(job),
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
        Entry &entry = job.entries.front();
        // Which of two candidates brought the runner down is not known: neither is to blame.
        const auto lost = [&](Verdict verdict, const std::string &message) {
            if (job.isRunOff())
                finish(job, environmentError(message));
            else
                finish(job, entry, verdict, message);
        };
        const std::string what = job.isRunOff() ? "a run-off" : "this candidate";
        switch (reply.end) {
        case RunnerReply::End::Answered:
            break;
        case RunnerReply::End::Cancelled:
            endIfCancelled(job);
            return;
        case RunnerReply::End::Silent:
            return lost(Verdict::Timeout,
                "The runner " + reply.detail + " while it ran " + what + ", and was replaced.");
        case RunnerReply::End::Died:
            return lost(
                Verdict::Crash, "The runner died while it ran " + what + ": " + reply.detail + ".");
        case RunnerReply::End::Killed:
            return lost(Verdict::EnvironmentError,
                "The runner was killed from outside (short of memory?): " + reply.detail + ".");
        case RunnerReply::End::Unavailable:
            return lost(Verdict::EnvironmentError, reply.detail);
        }
        if (textAt(reply.message, "event") == "error")
            return lost(Verdict::EnvironmentError, textAt(reply.message, "message"));
        if (job.isRunOff())
            return finishRunOff(job, reply.message.value("answer", json::object()));
        Evaluation found = evaluationFromJson(reply.message.value("evaluation", json::object()));
        found.compileMs = entry.evaluation.compileMs;
        found.resources = std::move(entry.evaluation.resources);
        found.diagnostics = std::move(entry.evaluation.diagnostics);
        found.compileLog = std::move(entry.evaluation.compileLog);
        found.tunables = std::move(entry.evaluation.tunables);
        entry.evaluation = std::move(found);
        finish(job, entry);
    }

    void assemble(Job &job)
    {
        if (endIfCancelled(job))
            return;
        const Entry &entry = job.entries.front();
        auto prepared
            = prepareSource(entry.source, job.problem->problem, job.size, entry.tunables, *m_facts);
        if (const auto *error = std::get_if<PlanError>(&prepared))
            return finish(job, callerError(error->message));
        if (const auto *error = std::get_if<Error>(&prepared))
            return finish(job, *error);
        const CompileOutput code = compile(std::get<PreparedSource>(prepared).request);
        if (!code.environmentError.empty())
            return finish(job, environmentError(code.environmentError));
        if (!code.ok)
            return finish(job, callerError("The code does not compile:\n" + code.log));
        Result<std::string> text
            = job.form == "ptx" ? Result(code.ptx) : m_compiler->disassemble(code.cubin);
        if (!text)
            return finish(job, text.error());
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
