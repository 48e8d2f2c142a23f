#pragma once

#include "core/commandline/exitcode.h"

namespace core {

struct ExportOptions {
    QString session;
    QString node = QStringLiteral("best");
    QString format;
    QString out;
};

/// Writes a kernel or a report out of a session; works while it is being searched.
ExitCode exportCommand(const ExportOptions &options);

} // namespace core
