#pragma once

#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;

namespace ui {

class KernelEdit;

/// Find and replace in one text at a time, under the editor. Incremental; Escape closes it.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(QWidget *parent = nullptr);

    /// The text that is searched; nullptr: none.
    void setEdit(KernelEdit *edit);
    void openFind();
    void openReplace();

public Q_SLOTS:
    void findNext();
    void findPrevious();
    void replaceOne();
    /// One undo step; returns how many.
    int replaceAll();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void open(bool withReplace);
    void textEdited();
    bool search(bool forward, bool fromSelectionStart);
    void count();
    bool matchIsSelected() const;

    KernelEdit *m_edit = nullptr;
    QLineEdit *m_find, *m_replacement;
    QCheckBox *m_case, *m_word, *m_regex;
    QLabel *m_count;
    QWidget *m_replaceRow;
};

} // namespace ui
