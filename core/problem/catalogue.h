#pragma once

#include "gpu/base/result.h"
#include "gpu/problem/problem.h"

#include <QList>
#include <QString>

namespace core {

/// A problem that was found, read or not.
struct CatalogueEntry {
    QString id, title, folder;
    QString precision;
    QStringList sizes;
    bool hasRecording = false; ///< so that `replay` can answer
    QString error; ///< why it cannot be used; empty if it can
};

/// The problems in the resource folders, by id. Reads each folder; call off the GUI thread.
QList<CatalogueEntry> listProblems();

/// A problem by id or folder. Caller error that lists the known ids if there is none.
gpu::Result<gpu::Problem> findProblem(const QString &idOrFolder);

} // namespace core
