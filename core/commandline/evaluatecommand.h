#pragma once

#include "core/commandline/exitcode.h"

namespace core {

struct EvaluateOptions {
    QString problem, file;
    QString device = QStringLiteral("cpu");
    QString size = QStringLiteral("small");
    QString workerCommand; ///< empty: the one beside the program
    bool json = false;
};

/// Compiles, checks and times one candidate file. Needs a QCoreApplication.
ExitCode evaluateCommand(const EvaluateOptions &options);

} // namespace core
