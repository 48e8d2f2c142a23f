#include "ui/window/statuspanel.h"

#include "core/search/durationtext.h"
#include "ui/verdictstyle.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>

namespace ui {

QString searchStateText(core::SearchState state)
{
    using State = core::SearchState;
    switch (state) {
    case State::Idle:
        return QObject::tr("Not running");
    case State::Starting:
        return QObject::tr("Starting");
    case State::Running:
        return QObject::tr("Searching");
    case State::Pausing:
        return QObject::tr("Pausing");
    case State::Paused:
        return QObject::tr("Paused");
    case State::Stopping:
        return QObject::tr("Stopping");
    case State::Finished:
        return QObject::tr("Finished");
    case State::Failed:
        return QObject::tr("Failed");
    }
    return {};
}

StatusPanel::StatusPanel(QWidget *parent)
    : QWidget(parent)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 0, 6, 0);
    layout->setSpacing(18);
    for (QLabel **label : {&m_state, &m_counts, &m_stages, &m_best, &m_time, &m_device}) {
        *label = new QLabel(this);
        layout->addWidget(*label);
    }
    QFont bold = font();
    bold.setBold(true);
    m_state->setFont(bold);
    m_best->setFont(bold);
    layout->insertStretch(layout->count() - 1, 1);
    m_bar = new QProgressBar(this);
    m_bar->setFixedWidth(160);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the search"));
    layout->insertWidget(1, m_bar);
    clear();
}

void StatusPanel::clear()
{
    for (QLabel *label : {m_state, m_counts, m_stages, m_best, m_time, m_device})
        label->clear();
    m_bar->hide();
}

void StatusPanel::show(const core::SearchProgress &progress)
{
    m_state->setText(searchStateText(progress.state));
    m_counts->setText(tr("round %1/%2 · %3 ideas · %4/%5 candidates")
                          .arg(progress.round)
                          .arg(progress.rounds)
                          .arg(progress.ideas)
                          .arg(progress.candidatesDone)
                          .arg(std::max(progress.candidatesExpected, progress.candidates)));
    QStringList stages;
    const auto add = [&stages](int count, const QString &what) {
        if (count > 0)
            stages.append(QStringLiteral("%1 %2").arg(count).arg(what));
    };
    add(progress.asking, tr("asking"));
    add(progress.queued, tr("queued"));
    add(progress.compiling, tr("compiling"));
    add(progress.checking, tr("checking"));
    add(progress.timing, tr("timing"));
    add(progress.runOffs, tr("in a run-off"));
    m_stages->setText(stages.join(QStringLiteral(", ")));
    m_stages->setVisible(!stages.isEmpty());
    m_best->setText(
        progress.bestSpeedup ? tr("best %1").arg(speedupText(progress.bestSpeedup)) : QString());
    QString time = core::durationText(progress.elapsedSeconds);
    if (progress.remainingSeconds && progress.state == core::SearchState::Running)
        time += tr(", about %1 left").arg(core::durationText(*progress.remainingSeconds));
    m_time->setText(time);
    m_device->setText(progress.deviceName);
    m_bar->setVisible(progress.candidatesExpected > 0);
    m_bar->setRange(0, std::max(1, progress.candidatesExpected));
    m_bar->setValue(std::min(progress.candidatesDone, progress.candidatesExpected));
    setAccessibleName(text());
}

QString StatusPanel::text() const
{
    QStringList parts;
    for (const QLabel *label : {m_state, m_counts, m_stages, m_best, m_time, m_device})
        if (!label->text().isEmpty())
            parts.append(label->text());
    return parts.join(QStringLiteral(" · "));
}

} // namespace ui
