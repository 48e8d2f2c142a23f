#include "core/session/sessionname.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QRegularExpression>

namespace core {

QString freshSessionFile(const QString &folder, const QString &problem)
{
    QString id = problem.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty);
    id.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9_-]")), QStringLiteral("_"));
    QString stem = QStringLiteral("%1-%2").arg(
        id, QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
    if (!folder.isEmpty())
        stem = QDir(folder).filePath(stem);
    QString file = stem + QStringLiteral(".espalier");
    for (int n = 2; QFile::exists(file); ++n)
        file = QStringLiteral("%1-%2.espalier").arg(stem).arg(n);
    return file;
}

} // namespace core
