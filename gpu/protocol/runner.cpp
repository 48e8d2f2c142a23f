#include "gpu/protocol/runner.h"

#include "gpu/problem/problem.h"
#include "gpu/protocol/message.h"
#include "gpu/protocol/preparation.h"
#include "gpu/verify/checker.h"
#include "gpu/verify/probe.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <unistd.h>

namespace gpu {

using nlohmann::json;

namespace {

/// The worker answers at once unless compiles are still running, which have limits of their own.
constexpr double GoSeconds = 300;
/// Limit on the samples of a run-off: twice an evaluation's, as there are two to time.
constexpr double RunOffSeconds = 1.4;
/// Kept references of problems other than the current one.
constexpr std::size_t MostReferences = 32;

std::uint64_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

json errorEvent(const Error &error)
{
    return {{"event", "error"},
        {"blame", error.blame == Blame::Environment ? "environment" : "caller"},
        {"message", error.message}};
}

class Runner {
public:
    Runner(
        int inputFd, int outputFd, std::unique_ptr<Device> device, std::unique_ptr<Device> trusted)
        : m_reader(inputFd)
        , m_writer(outputFd)
        , m_device(std::move(device))
        , m_trusted(std::move(trusted))
    {
    }

    int run()
    {
        m_writer.write({{"event", "hello"}, {"device", toJson(m_device->facts())}});
        std::string line;
        for (;;) {
            switch (m_reader.read(line)) {
            case LineReader::Outcome::End:
                return 0;
            case LineReader::Outcome::Line:
                break;
            default:
                continue;
            }
            const auto request = parseMessage(line);
            if (!request)
                continue;
            const std::string op = textAt(*request, "op");
            const Status status = op == "probe" ? probe(*request)
                : op == "evaluate"              ? evaluate(*request)
                : op == "compare"               ? compare(*request)
                                                : Status(Unit());
            if (!status)
                m_writer.write(errorEvent(status.error()));
        }
    }

private:
    Status probe(const json &request)
    {
        auto opened = openReferences(request);
        if (!opened)
            return opened.error();
        if (Status status = probeProblem(*m_device, *opened, m_problem.precision); !status)
            return status;
        m_writer.write({{"event", "probed"}});
        return Unit();
    }

    Status evaluate(const json &request)
    {
        auto references = openReferences(request);
        if (!references)
            return references.error();
        auto programs = makePrograms(request, "candidate", *references);
        if (!programs)
            return programs.error();
        std::vector<Trial> trials;
        for (std::size_t i = 0; i < programs->size(); ++i)
            trials.push_back({(*references)[i], &(*programs)[i]});
        CheckOptions options = checkOptions();
        options.time = booleanAt(request, "time", true);
        const Evaluation evaluation
            = Checker(*m_device, std::move(trials), std::move(options)).evaluate();
        m_writer.write({{"event", "result"}, {"evaluation", toJson(evaluation)},
            {"resident_bytes", residentBytes()}});
        return Unit();
    }

    Status compare(const json &request)
    {
        auto references = openReferences(request);
        if (!references)
            return references.error();
        auto a = makePrograms(request, "a", *references);
        auto b = makePrograms(request, "b", *references);
        if (!a || !b)
            return a ? b.error() : a.error();
        CheckOptions options = checkOptions();
        options.stopping.limitSeconds = RunOffSeconds;
        Checker checkerA(*m_device, {{references->front(), &a->front()}}, options);
        Checker checkerB(*m_device, {{references->front(), &b->front()}}, options);
        const RunOffAnswer answer = Checker::runOff(checkerA, checkerB);
        m_writer.write({{"event", "compared"}, {"answer", toJson(answer)},
            {"resident_bytes", residentBytes()}});
        return Unit();
    }

    CheckOptions checkOptions()
    {
        CheckOptions options;
        options.precision = m_problem.precision;
        options.progress = [this](const std::string &stage, int done, int total) {
            m_writer.write(
                {{"event", "stage"}, {"stage", stage}, {"done", done}, {"total", total}});
            if (stage == "time")
                awaitGo();
        };
        return options;
    }

    /// The program at `key` of the request, for each size.
    Result<std::vector<SizedProgram>> makePrograms(
        const json &request, const char *key, const std::vector<Reference *> &references)
    {
        const json part = request.value(key, json::object());
        std::vector<SizedProgram> programs;
        for (Reference *reference : references) {
            const std::string &size = reference->problem().size;
            auto program = makeProgram(textAt(part, "source"), size,
                pointFromJson(part.value("tunables", json::object())),
                request.at("codes").at(size).value(key, json::object()));
            if (!program)
                return program.error();
            programs.push_back(std::move(*program));
        }
        return programs;
    }

    void awaitGo()
    {
        std::string line;
        // A worker that is gone, or silent for so long, is no reason to hang here.
        while (m_reader.read(line, GoSeconds) == LineReader::Outcome::Line) {
            const auto message = parseMessage(line);
            if (message && textAt(*message, "op") == "go")
                return;
        }
    }

    Result<std::vector<Reference *>> openReferences(const json &request)
    {
        const std::string key = textAt(request, "key");
        auto problem = problemFromJson(request.value("problem", json::object()));
        if (!problem)
            return problem.error();
        m_problem = std::move(*problem);
        if (m_references.size() > MostReferences)
            m_references.clear();
        std::vector<Reference *> references;
        for (const json &entry : request.value("sizes", json::array())) {
            const std::string size = entry.is_string() ? entry.get<std::string>() : std::string();
            std::unique_ptr<Reference> &known = m_references[{key, size}];
            if (!known) {
                auto opened = openReference(size, request.value("codes", json::object()));
                if (!opened)
                    return opened.error();
                known = std::move(*opened);
            }
            references.push_back(known.get());
        }
        return references;
    }

    Result<std::unique_ptr<Reference>> openReference(const std::string &size, const json &codes)
    {
        auto sized = sizeProblem(m_problem, size);
        if (!sized)
            return sized.error();
        const json code = codes.value(size, json::object());
        auto oracle
            = makeProgram(m_problem.oracleSource, size, {}, code.value("oracle", json::object()));
        if (!oracle)
            return oracle.error();
        auto seed = makeProgram(m_problem.seedSource, size, {}, code.value("seed", json::object()));
        if (!seed)
            return seed.error();
        return Reference::open(*m_trusted, std::move(*sized), std::move(*oracle), std::move(*seed));
    }

    /// The worker has resolved the same plan before it compiled, so an error here is a surprise.
    Result<SizedProgram> makeProgram(const std::string &source, const std::string &size,
        const TunablePoint &point, const json &code)
    {
        auto prepared = prepareSource(source, m_problem, size, point, m_device->facts());
        if (const auto *error = std::get_if<PlanError>(&prepared))
            return callerError(error->message);
        if (const auto *error = std::get_if<Error>(&prepared))
            return *error;
        return SizedProgram{std::move(std::get<PreparedSource>(prepared).plan), codeFromJson(code)};
    }

    LineReader m_reader;
    LineWriter m_writer;
    std::unique_ptr<Device> m_device;
    std::unique_ptr<Device> m_trusted; ///< runs oracles and seeds; no candidate can address it
    Problem m_problem; ///< of the current request
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Reference>> m_references;
};

} // namespace

int runRunner(
    int inputFd, int outputFd, const std::function<Result<std::unique_ptr<Device>>()> &makeDevice)
{
    auto device = makeDevice();
    auto trusted = device ? makeDevice() : Result<std::unique_ptr<Device>>(device.error());
    if (!trusted) {
        LineWriter(outputFd).write(errorEvent(trusted.error()));
        return 3;
    }
    return Runner(inputFd, outputFd, std::move(*device), std::move(*trusted)).run();
}

} // namespace gpu
