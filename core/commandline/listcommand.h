#pragma once

#include "core/commandline/exitcode.h"

namespace core {

/// The problems there are.
ExitCode problemsCommand(bool json);
/// The devices that the local worker offers. Needs a QCoreApplication.
ExitCode devicesCommand(const QString &workerCommand, bool json);

} // namespace core
