#pragma once

#include "core/commandline/exitcode.h"

namespace core {

/// Prints a session's nodes; works while it is being searched.
ExitCode showCommand(const QString &sessionFile, bool json);

} // namespace core
