#pragma once

#include <QWidget>

class QListWidget;

namespace ui {

/// What the window shows while no session is open.
class Welcome : public QWidget {
    Q_OBJECT
public:
    explicit Welcome(QWidget *parent = nullptr);

    /// Files that are gone are shown greyed.
    void setRecent(const QStringList &files, const QStringList &missing);

Q_SIGNALS:
    void demoRequested();
    void newSearchRequested();
    void openRequested();
    void fileRequested(const QString &file);

private:
    QListWidget *m_recent;
    QWidget *m_recentTitle;
};

} // namespace ui
