#include "ui/window/newsearchdialog.h"

#include "core/provider/providers.h"
#include "core/session/sessionname.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

namespace ui {

NewSearchDialog::NewSearchDialog(const QString &folder, QWidget *parent)
    : QDialog(parent)
    , m_folder(folder)
    , m_problem(new QComboBox(this))
    , m_provider(new QComboBox(this))
    , m_device(new QComboBox(this))
    , m_size(new QComboBox(this))
    , m_rounds(number(1, 100))
    , m_ideas(number(1, 32))
    , m_branches(number(1, 32))
    , m_repairs(number(0, 10))
    , m_seeds(number(1, 16))
    , m_file(new QLineEdit(this))
    , m_hint(new QLabel(this))
    , m_buttons(new QDialogButtonBox(QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("New search"));
    m_provider->addItem(tr("Recorded replies"), QStringLiteral("replay"));
    m_device->addItem(tr("CPU device (runs the kernel's PTX)"), QStringLiteral("cpu"));
    m_hint->setWordWrap(true);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setMinimumHeight(fontMetrics().lineSpacing() * 2);
    QPushButton *start = m_buttons->addButton(tr("&Start"), QDialogButtonBox::AcceptRole);
    start->setDefault(true);

    auto *browse = new QToolButton(this);
    browse->setText(QStringLiteral("…"));
    browse->setToolTip(tr("Choose where the session is stored"));
    auto *fileRow = new QHBoxLayout;
    fileRow->addWidget(m_file, 1);
    fileRow->addWidget(browse);

    auto *form = new QFormLayout;
    form->addRow(tr("&Problem"), m_problem);
    form->addRow(QString(), m_hint);
    form->addRow(tr("Pro&vider"), m_provider);
    form->addRow(tr("&Device"), m_device);
    form->addRow(tr("Si&ze"), m_size);
    form->addRow(tr("&Rounds"), m_rounds);
    form->addRow(tr("&Ideas a round"), m_ideas);
    form->addRow(tr("Im&plementations an idea"), m_branches);
    form->addRow(tr("R&epairs of each"), m_repairs);
    form->addRow(tr("See&ds a round"), m_seeds);
    form->addRow(tr("Session &file"), fileRow);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(m_buttons);
    setMinimumWidth(560);

    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_problem, &QComboBox::currentIndexChanged, this, &NewSearchDialog::problemChanged);
    connect(m_file, &QLineEdit::textEdited, this, [this] {
        m_fileIsOurs = false;
        refresh();
    });
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString file = QFileDialog::getSaveFileName(
            this, tr("Session file"), m_file->text(), tr("Espalier sessions (*.espalier)"));
        if (file.isEmpty())
            return;
        m_fileIsOurs = false;
        m_file->setText(file);
        refresh();
    });
    m_hint->setText(tr("Reading the problems…"));
    refresh();
}

QSpinBox *NewSearchDialog::number(int low, int high)
{
    auto *box = new QSpinBox(this);
    box->setRange(low, high);
    return box;
}

void NewSearchDialog::setProblems(const QList<core::CatalogueEntry> &problems)
{
    m_problems = problems;
    m_problem->clear();
    int first = -1;
    for (const core::CatalogueEntry &entry : problems) {
        m_problem->addItem(entry.error.isEmpty()
                ? QStringLiteral("%1 — %2").arg(entry.id, entry.title)
                : tr("%1 — cannot be used").arg(entry.id));
        if (first < 0 && entry.error.isEmpty())
            first = m_problem->count() - 1;
    }
    m_problem->setCurrentIndex(first);
    problemChanged();
}

void NewSearchDialog::problemChanged()
{
    const int index = m_problem->currentIndex();
    if (index < 0 || index >= m_problems.size()) {
        refresh();
        return;
    }
    const core::CatalogueEntry &entry = m_problems[index];
    const core::SearchConfig usual
        = core::defaultConfig(entry.id, m_provider->currentData().toString());
    m_rounds->setValue(usual.rounds);
    m_ideas->setValue(usual.ideas);
    m_branches->setValue(usual.branches);
    m_repairs->setValue(usual.repairs);
    m_seeds->setValue(usual.seeds);
    m_size->clear();
    m_size->addItems(entry.sizes);
    m_size->setCurrentText(usual.size);
    if (m_fileIsOurs)
        m_file->setText(core::freshSessionFile(m_folder, entry.id));
    refresh();
}

void NewSearchDialog::refresh()
{
    const int index = m_problem->currentIndex();
    const bool known = index >= 0 && index < m_problems.size();
    if (known) {
        const core::CatalogueEntry &entry = m_problems[index];
        m_hint->setText(!entry.error.isEmpty() ? entry.error
                : !entry.hasRecording
                ? tr("There are no recorded replies for this problem, so nothing can answer.")
                : tr("Must keep %1. Replies are recorded: the kernels are compiled, checked and "
                     "timed for real.")
                      .arg(entry.precision));
    }
    const bool usable = known && m_problems[index].error.isEmpty() && m_problems[index].hasRecording
        && !m_file->text().trimmed().isEmpty();
    for (QAbstractButton *button : m_buttons->buttons())
        if (m_buttons->buttonRole(button) == QDialogButtonBox::AcceptRole)
            button->setEnabled(usable);
}

core::SearchConfig NewSearchDialog::config() const
{
    core::SearchConfig config;
    const int index = m_problem->currentIndex();
    if (index >= 0 && index < m_problems.size())
        config.problem = m_problems[index].id;
    config.provider = m_provider->currentData().toString();
    config.device = m_device->currentData().toString();
    config.size = m_size->currentText();
    config.rounds = m_rounds->value();
    config.ideas = m_ideas->value();
    config.branches = m_branches->value();
    config.repairs = m_repairs->value();
    config.seeds = m_seeds->value();
    return config;
}

QString NewSearchDialog::sessionFile() const
{
    return m_file->text().trimmed();
}

} // namespace ui
