#pragma once

#include "core/problem/catalogue.h"
#include "core/search/searchconfig.h"

#include <QDialog>

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace ui {

/// What to search, with what, how much, and in which file. The problems are read off the GUI
/// thread; until they are there the search cannot be started.
class NewSearchDialog : public QDialog {
    Q_OBJECT
public:
    /// `folder` is where session files go unless the user says otherwise.
    NewSearchDialog(const QString &folder, QWidget *parent = nullptr);

    void setProblems(const QList<core::CatalogueEntry> &problems);
    core::SearchConfig config() const;
    QString sessionFile() const;

private:
    void problemChanged();
    void refresh();
    QSpinBox *number(int low, int high);

    QList<core::CatalogueEntry> m_problems;
    QString m_folder;
    QComboBox *m_problem, *m_provider, *m_device, *m_size;
    QSpinBox *m_rounds, *m_ideas, *m_branches, *m_repairs, *m_seeds;
    QLineEdit *m_file;
    QLabel *m_hint;
    QDialogButtonBox *m_buttons;
    bool m_fileIsOurs = true; ///< the name follows the problem until the user changes it
};

} // namespace ui
