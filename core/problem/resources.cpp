#include "core/problem/resources.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace core {

QStringList resourceFolders()
{
    const QString program = QCoreApplication::applicationDirPath();
    const QStringList candidates{qEnvironmentVariable("ESPALIER_RESOURCES"),
        program + QStringLiteral("/../resources"), program + QStringLiteral("/../share/espalier"),
        program + QStringLiteral("/../../resources"), QStringLiteral("resources")};
    QStringList folders;
    for (const QString &candidate : candidates) {
        const QString path = QFileInfo(candidate).canonicalFilePath();
        if (!candidate.isEmpty() && !path.isEmpty() && !folders.contains(path))
            folders.append(path);
    }
    return folders;
}

QString findResource(const QString &relative)
{
    for (const QString &folder : resourceFolders()) {
        const QString path = folder + QLatin1Char('/') + relative;
        if (QFileInfo::exists(path))
            return path;
    }
    return {};
}

QString defaultWorkerCommand()
{
    QString path = qEnvironmentVariable("ESPALIER_WORKER");
    if (path.isEmpty())
        path = QCoreApplication::applicationDirPath() + QStringLiteral("/espalier-worker");
    // The variable names a file, whatever blanks are in it, unless it is a command with arguments.
    if (!QFileInfo::exists(path))
        return path;
    return QLatin1Char('\'') + path.replace(QLatin1Char('\''), QLatin1String("'\\''"))
        + QLatin1Char('\'');
}

} // namespace core
