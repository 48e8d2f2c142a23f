#pragma once

#include "core/commandline/exitcode.h"
#include "core/search/searchconfig.h"

namespace core {

/// Runs a search to its end on standard error. An empty `sessionFile` makes a fresh one in the
/// current folder. Needs a QCoreApplication.
ExitCode searchCommand(const SearchConfig &config, QString sessionFile, bool json);
/// Continues a stored search.
ExitCode resumeCommand(const QString &sessionFile, bool json);

} // namespace core
