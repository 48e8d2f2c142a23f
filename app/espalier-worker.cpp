#include "gpu/compile/child.h"
#include "gpu/device/cpudevice.h"
#include "gpu/protocol/runner.h"
#include "gpu/protocol/worker.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <filesystem>
#include <string_view>
#include <unistd.h>

namespace {

constexpr int EnvironmentExit = 3, CallExit = 2;

gpu::Result<std::unique_ptr<gpu::Device>> makeDevice(const std::string &name)
{
    if (name == "cpu")
        return gpu::makeCpuDevice();
    return gpu::environmentError("There is no device " + name + "; this build has: cpu.");
}

/// Our own path, to start children from.
std::string ownPath(const char *called)
{
    std::error_code error;
    const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? called : path.string();
}

} // namespace

int main(int argc, char **argv)
{
    // The compile child has a command line of its own, and every millisecond counts there.
    if (argc > 1 && std::string_view(argv[1]) == "--compile-child")
        return gpu::compileChildMain(argc - 2, argv + 2);
    // A closed pipe is seen by the write that fails.
    std::signal(SIGPIPE, SIG_IGN);

    CLI::App app("Compiles, checks and times CUDA kernels; speaks JSON lines on standard input and "
                 "output.",
        "espalier-worker");
    std::string device = "cpu";
    bool runner = false;
    app.add_option("--device", device, "cpu")->capture_default_str();
    app.add_flag("--runner", runner, "Hold the device and evaluate (started by the worker itself)");
    app.set_version_flag("--version", ESPALIER_VERSION);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : CallExit;
    }
    if (runner)
        return gpu::runRunner(STDIN_FILENO, STDOUT_FILENO, [&] { return makeDevice(device); });
    if (device != "cpu") {
        std::fprintf(stderr, "%s\n", makeDevice(device).error().message.c_str());
        return EnvironmentExit;
    }
    const std::string self = ownPath(argv[0]);
    gpu::WorkerOptions options;
    options.version = ESPALIER_VERSION;
    options.runnerCommand = {self, "--runner", "--device", device};
    return gpu::runWorker(STDIN_FILENO, STDOUT_FILENO, gpu::makeCompiler(self), std::move(options));
}
