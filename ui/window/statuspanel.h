#pragma once

#include "core/search/searchconfig.h"

#include <QWidget>

class QLabel;
class QProgressBar;

namespace ui {

/// Where the search is, for the status bar: state, round, candidates, what runs, best, time.
class StatusPanel : public QWidget {
    Q_OBJECT
public:
    explicit StatusPanel(QWidget *parent = nullptr);

    void show(const core::SearchProgress &progress);
    void clear();
    /// All of it in one line, also what accessibility reads.
    QString text() const;

private:
    QLabel *m_state, *m_counts, *m_stages, *m_best, *m_time, *m_device;
    QProgressBar *m_bar;
};

QString searchStateText(core::SearchState state);

} // namespace ui
