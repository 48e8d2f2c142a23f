#pragma once

#include "gpu/base/result.h"

#include <QString>

namespace core {

struct ExportOptions {
    QString session;
    QString node = QStringLiteral("best"); ///< an id or "best"
    QString format; ///< "cu" or "html"
    QString out;
};

/// Reads a session and writes one file of it, whole or not at all. Takes its time: call off the GUI
/// thread.
gpu::Status exportSession(const ExportOptions &options);

/// Writes a file whole or not at all. Environment error that names it.
gpu::Status writeFile(const QString &path, const QByteArray &bytes);

} // namespace core
