#pragma once

#include "gpu/compile/compiler.h"
#include "gpu/protocol/runnerclient.h"

#include <memory>
#include <string>
#include <vector>

namespace gpu {

struct WorkerOptions {
    std::string version;
    std::vector<std::string> runnerCommand;
    RunnerLimits runnerLimits;
    double compileSeconds = 60; ///< limit of one compile
    unsigned compileThreads = 2;
};

/// The server of gpu/protocol/PROTOCOL.md. Compiles in several children at once, evaluates in one
/// runner at a time. The calling thread reads requests; compile threads and one device thread
/// answer. Blocks until `quit` or the end of input, ends all children, returns the exit code.
int runWorker(int inputFd, int outputFd, std::unique_ptr<Compiler> compiler, WorkerOptions options);

} // namespace gpu
