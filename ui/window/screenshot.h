#pragma once

#include <QObject>
#include <QString>

namespace ui {

class MainWindow;

/// Waits until the window shows a whole session with its best node, then writes a PNG of it.
class Screenshot : public QObject {
    Q_OBJECT
public:
    /// Lives as long as `window`.
    Screenshot(MainWindow *window, const QString &file);

Q_SIGNALS:
    /// Once. Empty: the picture is written.
    void finished(const QString &error);

private:
    void take();

    MainWindow *m_window;
    QString m_file;
    bool m_done = false;
};

} // namespace ui
