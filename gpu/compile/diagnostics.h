#pragma once

#include "gpu/verify/evaluation.h"

#include <string>
#include <vector>

namespace gpu {

/// The messages in NVRTC's log (front end and ptxas). Those about `file` carry its line and, from
/// the caret below the quoted line, the column; those about other files name them in the text.
std::vector<Diagnostic> parseDiagnostics(const std::string &log, const std::string &file);

/// ptxas -v on one function.
struct PtxasUsage {
    std::string function; ///< mangled
    int registers = 0, sharedBytes = 0, frameBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
};
std::vector<PtxasUsage> parsePtxasUsage(const std::string &log);

/// The log without what only our own ptxas -v put there: what a person or model should read.
std::string readableLog(const std::string &log);

} // namespace gpu
