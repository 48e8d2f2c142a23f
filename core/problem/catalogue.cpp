#include "core/problem/catalogue.h"

#include "core/problem/resources.h"

#include <QDir>
#include <QFileInfo>

namespace core {

namespace {
QString problemFile(const QString &folder)
{
    return folder + QStringLiteral("/problem.json");
}
} // namespace

QList<CatalogueEntry> listProblems()
{
    QList<CatalogueEntry> entries;
    QStringList seen;
    for (const QString &resources : resourceFolders()) {
        const QDir dir(resources + QStringLiteral("/problems"));
        for (const QString &id : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
            const QString folder = dir.filePath(id);
            if (seen.contains(id) || !QFileInfo::exists(problemFile(folder)))
                continue;
            seen.append(id);
            CatalogueEntry entry;
            entry.id = id;
            entry.folder = folder;
            entry.hasRecording
                = !findResource(QStringLiteral("recordings/%1/recording.json").arg(id)).isEmpty();
            const gpu::Result<gpu::Problem> problem = gpu::loadProblem(folder.toStdString());
            if (problem) {
                entry.title = QString::fromStdString(problem->title);
                entry.precision = QString::fromStdString(problem->precision);
                for (const auto &[size, dims] : problem->sizes)
                    entry.sizes.append(QString::fromStdString(size));
            } else {
                entry.error = QString::fromStdString(problem.error().message);
            }
            entries.append(entry);
        }
    }
    return entries;
}

gpu::Result<gpu::Problem> findProblem(const QString &idOrFolder)
{
    const bool isName = !idOrFolder.isEmpty() && !idOrFolder.contains(QLatin1Char('/'))
        && idOrFolder != QLatin1String(".") && idOrFolder != QLatin1String("..");
    if (isName) {
        const QString folder = findResource(QStringLiteral("problems/") + idOrFolder);
        if (!folder.isEmpty() && QFileInfo::exists(problemFile(folder)))
            return gpu::loadProblem(folder.toStdString());
    }
    if (!idOrFolder.isEmpty() && QFileInfo(idOrFolder).isDir())
        return gpu::loadProblem(idOrFolder.toStdString());

    QStringList ids;
    for (const QString &resources : resourceFolders()) {
        const QDir dir(resources + QStringLiteral("/problems"));
        for (const QString &id : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
            if (QFileInfo::exists(problemFile(dir.filePath(id))) && !ids.contains(id))
                ids.append(id);
        }
    }
    const QString known = ids.isEmpty()
        ? QStringLiteral("No problems were found; set ESPALIER_RESOURCES to the folder that holds "
                         "problems/.")
        : QStringLiteral("Known problems: %1. A folder with a problem.json is one too.")
              .arg(ids.join(QLatin1String(", ")));
    return gpu::callerError(
        QStringLiteral("There is no problem `%1`. %2").arg(idOrFolder, known).toStdString());
}

} // namespace core
