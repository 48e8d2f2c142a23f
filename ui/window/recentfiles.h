#pragma once

#include <QStringList>

namespace ui {

/// The session files opened last, newest first, in the user's settings.
QStringList recentFiles();
void addRecentFile(const QString &file);
void clearRecentFiles();
/// Those of the list that are gone.
QStringList missingFiles(const QStringList &files);

} // namespace ui
