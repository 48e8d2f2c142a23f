#include "ui/window/recentfiles.h"

#include <QFileInfo>
#include <QSettings>

namespace ui {

namespace {
constexpr int MostFiles = 10;
const QString Key = QStringLiteral("recent");
} // namespace

QStringList recentFiles()
{
    return QSettings().value(Key).toStringList();
}

void addRecentFile(const QString &file)
{
    const QString path = QFileInfo(file).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    QSettings().setValue(Key, QStringList(files.mid(0, MostFiles)));
}

void clearRecentFiles()
{
    QSettings().remove(Key);
}

QStringList missingFiles(const QStringList &files)
{
    QStringList missing;
    for (const QString &file : files)
        if (!QFileInfo::exists(file))
            missing.append(file);
    return missing;
}

} // namespace ui
