#include "ui/editor/findbar.h"

#include "ui/editor/kerneledit.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

namespace ui {

FindBar::FindBar(QWidget *parent)
    : QWidget(parent)
    , m_find(new QLineEdit(this))
    , m_replacement(new QLineEdit(this))
    , m_case(new QCheckBox(tr("&Case"), this))
    , m_word(new QCheckBox(tr("&Word"), this))
    , m_regex(new QCheckBox(tr("Re&gex"), this))
    , m_count(new QLabel(this))
    , m_replaceRow(new QWidget(this))
{
    m_find->setPlaceholderText(tr("Find"));
    m_find->setAccessibleName(tr("Find"));
    m_find->setClearButtonEnabled(true);
    m_replacement->setPlaceholderText(tr("Replace with"));
    m_replacement->setAccessibleName(tr("Replace with"));
    const auto arrow = [this](Qt::ArrowType type, const QString &tip) {
        auto *button = new QToolButton(this);
        button->setArrowType(type);
        button->setAutoRaise(true);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        return button;
    };
    auto *previous = arrow(Qt::UpArrow, tr("Previous (Shift+F3)"));
    auto *next = arrow(Qt::DownArrow, tr("Next (F3)"));
    auto *close = new QToolButton(this);
    close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Close"));
    auto *one = new QPushButton(tr("&Replace"), this);
    auto *all = new QPushButton(tr("Replace &all"), this);

    auto *findRow = new QHBoxLayout;
    findRow->addWidget(m_find, 1);
    findRow->addWidget(m_count);
    for (QWidget *widget : {static_cast<QWidget *>(previous), static_cast<QWidget *>(next),
             static_cast<QWidget *>(m_case), static_cast<QWidget *>(m_word),
             static_cast<QWidget *>(m_regex), static_cast<QWidget *>(close)})
        findRow->addWidget(widget);
    auto *replaceRow = new QHBoxLayout(m_replaceRow);
    replaceRow->setContentsMargins(0, 0, 0, 0);
    replaceRow->addWidget(m_replacement, 1);
    replaceRow->addWidget(one);
    replaceRow->addWidget(all);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->setSpacing(4);
    layout->addLayout(findRow);
    layout->addWidget(m_replaceRow);

    connect(m_find, &QLineEdit::textEdited, this, &FindBar::textEdited);
    connect(m_find, &QLineEdit::returnPressed, this, &FindBar::findNext);
    connect(m_replacement, &QLineEdit::returnPressed, this, &FindBar::replaceOne);
    connect(previous, &QToolButton::clicked, this, &FindBar::findPrevious);
    connect(next, &QToolButton::clicked, this, &FindBar::findNext);
    connect(one, &QPushButton::clicked, this, &FindBar::replaceOne);
    connect(all, &QPushButton::clicked, this, &FindBar::replaceAll);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    for (QCheckBox *box : {m_case, m_word, m_regex})
        connect(box, &QCheckBox::toggled, this, &FindBar::textEdited);
    hide();
}

void FindBar::setEdit(KernelEdit *edit)
{
    m_edit = edit;
    if (isVisible())
        count();
}

void FindBar::openFind()
{
    open(false);
}

void FindBar::openReplace()
{
    open(true);
}

void FindBar::open(bool withReplace)
{
    m_replaceRow->setVisible(withReplace);
    const QString selected = m_edit ? m_edit->selectedText() : QString();
    if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n')))
        m_find->setText(selected);
    show();
    m_find->setFocus();
    m_find->selectAll();
    count();
}

void FindBar::textEdited()
{
    search(true, true);
    count();
}

bool FindBar::search(bool forward, bool fromSelectionStart)
{
    if (!m_edit || m_find->text().isEmpty())
        return false;
    int line = -1, column = -1, endLine = -1, endColumn = -1;
    m_edit->getSelection(&line, &column, &endLine, &endColumn);
    // Backwards Scintilla goes on from the selection's start by itself only after its own search.
    const bool fromStart = line >= 0 && (fromSelectionStart || !forward);
    return m_edit->findFirst(m_find->text(), m_regex->isChecked(), m_case->isChecked(),
        m_word->isChecked(), true, forward, fromStart ? line : -1, fromStart ? column : -1, true,
        false, true);
}

void FindBar::findNext()
{
    search(true, false);
    count();
}

void FindBar::findPrevious()
{
    search(false, false);
    count();
}

void FindBar::count()
{
    if (!m_edit || m_find->text().isEmpty()) {
        m_count->clear();
        return;
    }
    int flags = 0;
    flags |= m_case->isChecked() ? QsciScintilla::SCFIND_MATCHCASE : 0;
    flags |= m_word->isChecked() ? QsciScintilla::SCFIND_WHOLEWORD : 0;
    flags |= m_regex->isChecked() ? QsciScintilla::SCFIND_REGEXP | QsciScintilla::SCFIND_CXX11REGEX
                                  : 0;
    const QByteArray text = m_find->text().toUtf8();
    const long length = m_edit->SendScintilla(QsciScintilla::SCI_GETLENGTH);
    m_edit->SendScintilla(QsciScintilla::SCI_SETSEARCHFLAGS, flags);
    int matches = 0;
    long from = 0;
    while (from <= length) {
        m_edit->SendScintilla(QsciScintilla::SCI_SETTARGETRANGE, ulong(from), length);
        if (m_edit->SendScintilla(
                QsciScintilla::SCI_SEARCHINTARGET, ulong(text.size()), text.constData())
            < 0)
            break;
        ++matches;
        const long end = m_edit->SendScintilla(QsciScintilla::SCI_GETTARGETEND);
        from = std::max(end, from + 1);
    }
    m_count->setText(matches == 0 ? tr("no match")
            : matches == 1        ? tr("1 match")
                                  : tr("%1 matches").arg(matches));
}

bool FindBar::matchIsSelected() const
{
    const Qt::CaseSensitivity sensitivity
        = m_case->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
    return m_edit->hasSelectedText()
        && (m_regex->isChecked()
            || m_edit->selectedText().compare(m_find->text(), sensitivity) == 0);
}

void FindBar::replaceOne()
{
    if (!m_edit)
        return;
    // Starts the search at the selection, so that `replace` has a match to put its text for.
    if (matchIsSelected() && search(true, true))
        m_edit->replace(m_replacement->text());
    findNext();
}

int FindBar::replaceAll()
{
    if (!m_edit || m_find->text().isEmpty())
        return 0;
    int replaced = 0;
    m_edit->beginUndoAction();
    // Not wrapping: what was put in is not searched again.
    bool found = m_edit->findFirst(m_find->text(), m_regex->isChecked(), m_case->isChecked(),
        m_word->isChecked(), false, true, 0, 0, false, false, true);
    while (found) {
        const bool empty = !m_edit->hasSelectedText();
        m_edit->replace(m_replacement->text());
        ++replaced;
        if (empty)
            break;
        found = m_edit->findNext();
    }
    m_edit->endUndoAction();
    m_count->setText(tr("%1 replaced").arg(replaced));
    return replaced;
}

void FindBar::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        hide();
        if (m_edit)
            m_edit->setFocus();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace ui
