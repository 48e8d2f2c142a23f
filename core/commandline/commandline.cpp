#include "core/commandline/commandline.h"

#include "core/commandline/evaluatecommand.h"
#include "core/commandline/exportcommand.h"
#include "core/commandline/listcommand.h"
#include "core/commandline/searchcommand.h"
#include "core/commandline/showcommand.h"
#include "core/provider/providers.h"

#include <CLI/CLI.hpp>

#include <QCoreApplication>

#include <clocale>

namespace core {

namespace {
/// What the options are parsed into; CLI11 speaks std::string.
struct Words {
    std::string problem, session, file, provider = "replay", policy = "best", device = "cpu";
    std::string size = "small", worker, node = "best", format, out;
    std::vector<std::string> models;
    std::optional<int> rounds, seeds, ideas, branches, repairs;
    std::optional<qint64> budgetTokens;
    std::optional<double> budgetUsd, budgetMinutes;
    bool json = false;
};

QString text(const std::string &word)
{
    return QString::fromStdString(word);
}

/// Exit 3 for a GPU, 2 for what is no device at all.
std::optional<ExitCode> refuseDevice(const Words &words)
{
    if (words.device == "cpu" || !words.worker.empty())
        return std::nullopt;
    if (words.device == "all" || words.device.rfind("cuda", 0) == 0)
        return fail(gpu::environmentError("The device `" + words.device
            + "` is not available: this build has the CPU device only and opens no CUDA driver. "
              "Use --device cpu."));
    return fail(gpu::callerError(
        "There is no device `" + words.device + "`. Known ones: cpu, cuda:N, all."));
}

ExitCode search(const Words &words)
{
    SearchConfig config = defaultConfig(text(words.problem), text(words.provider));
    for (const std::string &model : words.models)
        config.models.append(text(model));
    config.policy = text(words.policy);
    config.rounds = words.rounds.value_or(config.rounds);
    config.seeds = words.seeds.value_or(config.seeds);
    config.ideas = words.ideas.value_or(config.ideas);
    config.branches = words.branches.value_or(config.branches);
    config.repairs = words.repairs.value_or(config.repairs);
    config.device = text(words.device);
    config.size = text(words.size);
    config.workerCommand = text(words.worker);
    config.budgetTokens = words.budgetTokens;
    config.budgetUsd = words.budgetUsd;
    config.budgetMinutes = words.budgetMinutes;
    return searchCommand(config, text(words.session), words.json);
}

void addSearch(CLI::App &app, Words &words)
{
    CLI::App *search = app.add_subcommand("search", "Search for a faster kernel");
    search->add_option("problem", words.problem, "Id or folder of a problem")->required();
    search->add_option("--provider", words.provider, "replay, replay:FOLDER or replay:SESSION");
    search->add_option("--model", words.models, "A model to ask; may be given several times")
        ->allow_extra_args(false);
    search->add_option("--policy", words.policy, "How seeds are chosen: best");
    search->add_option("--rounds", words.rounds, "Rounds of ideas");
    search->add_option("--seeds", words.seeds, "Kernels a round starts from");
    search->add_option("--ideas", words.ideas, "Ideas a round");
    search->add_option("--branches", words.branches, "Implementations an idea");
    search->add_option("--repairs", words.repairs, "Repair attempts an implementation");
    search->add_option("--device", words.device, "cpu, cuda:N or all");
    search->add_option("--size", words.size, "Size of the problem that is timed");
    search->add_option("--worker", words.worker, "Command that starts the worker");
    search->add_option("--budget-tokens", words.budgetTokens)->check(CLI::PositiveNumber);
    search->add_option("--budget-usd", words.budgetUsd)->check(CLI::PositiveNumber);
    search->add_option("--budget-minutes", words.budgetMinutes)->check(CLI::PositiveNumber);
    search->add_option("--session", words.session, "File to make; a fresh one if left out");
    search->add_flag("--json", words.json, "Print one JSON document");
}

void addOthers(CLI::App &app, Words &words)
{
    const auto json = [&words](CLI::App *command) {
        command->add_flag("--json", words.json, "Print one JSON document");
    };
    const auto session = [&words](CLI::App *command) {
        command->add_option("session", words.session, "A session file")->required();
    };
    json(app.add_subcommand("problems", "List the problems"));
    CLI::App *devices = app.add_subcommand("devices", "List the devices");
    devices->add_option("--worker", words.worker, "Command that starts the worker");
    json(devices);
    CLI::App *resume = app.add_subcommand("resume", "Continue a search where it was");
    session(resume);
    json(resume);
    CLI::App *show = app.add_subcommand("show", "Print a session");
    session(show);
    json(show);
    CLI::App *evaluate = app.add_subcommand("evaluate", "Compile, check and time one candidate");
    evaluate->add_option("problem", words.problem, "Id or folder of a problem")->required();
    evaluate->add_option("file", words.file, "The candidate's .cu file")->required();
    evaluate->add_option("--device", words.device, "cpu, cuda:N or all");
    evaluate->add_option("--size", words.size, "Size of the problem that is timed");
    evaluate->add_option("--worker", words.worker, "Command that starts the worker");
    json(evaluate);
    CLI::App *exporting = app.add_subcommand("export", "Write a kernel or a report");
    session(exporting);
    exporting->add_option("--node", words.node, "Number of a node, or best");
    exporting->add_option("--format", words.format, "cu or html")->required();
    exporting->add_option("--out", words.out, "File to write")->required();
}

ExitCode dispatch(const std::string &command, const Words &words)
{
    if (command == "problems")
        return problemsCommand(words.json);
    if (command == "devices")
        return devicesCommand(text(words.worker), words.json);
    if (command == "resume")
        return resumeCommand(text(words.session), words.json);
    if (command == "show")
        return showCommand(text(words.session), words.json);
    if (command == "export")
        return exportCommand(
            {text(words.session), text(words.node), text(words.format), text(words.out)});
    if (const std::optional<ExitCode> refused = refuseDevice(words))
        return *refused;
    if (command == "search")
        return search(words);
    return evaluateCommand({text(words.problem), text(words.file), text(words.device),
        text(words.size), text(words.worker), words.json});
}
} // namespace

int commandLineMain(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("espalier"));
    // Numbers in JSON and messages are written with a point, whatever the locale.
    std::setlocale(LC_NUMERIC, "C");
    Words words;
    CLI::App app("Espalier: explore CUDA kernels in a branching search.\n"
                 "Without a command, or with `open FILE`, the window opens.",
        "espalier");
    app.require_subcommand(1);
    app.set_version_flag("--version", ESPALIER_VERSION);
    addSearch(app, words);
    addOthers(app, words);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        const bool isHelp = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
        app.exit(error);
        return static_cast<int>(isHelp ? ExitCode::Done : ExitCode::WrongCall);
    }
    return static_cast<int>(dispatch(app.get_subcommands().front()->get_name(), words));
}

} // namespace core
