#pragma once

#include "core/commandline/exitcode.h"
#include "core/exporting/exporter.h"

namespace core {

/// Writes a kernel or a report out of a session; works while it is being searched.
ExitCode exportCommand(const ExportOptions &options);

} // namespace core
