#pragma once

#include "gpu/base/result.h"

#include <QStringList>

namespace core {

/// Splits a command template into program and arguments as a POSIX shell would: blanks separate,
/// quotes and backslashes keep. Nothing is expanded and no shell runs. Caller error for an empty
/// command or an open quote.
gpu::Result<QStringList> splitCommand(const QString &command);

} // namespace core
