#pragma once

#include <QString>
#include <QStringList>

namespace core {

/// Folders that may hold `problems/` and `recordings/`, best first: $ESPALIER_RESOURCES, beside the
/// program (../resources, ../share/espalier, and up to two folders above for a build tree),
/// ./resources. Only those that exist.
QStringList resourceFolders();

/// The first `relative` path that exists in one of them; empty if none does.
QString findResource(const QString &relative);

/// The command for a worker on this machine: $ESPALIER_WORKER, else espalier-worker beside the
/// program, quoted for `splitCommand`.
QString defaultWorkerCommand();

} // namespace core
