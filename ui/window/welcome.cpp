#include "ui/window/welcome.h"

#include <QCommandLinkButton>
#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>

namespace ui {

Welcome::Welcome(QWidget *parent)
    : QWidget(parent)
    , m_recent(new QListWidget(this))
{
    auto *title = new QLabel(tr("Espalier"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 2.2);
    large.setBold(true);
    title->setFont(large);
    auto *subtitle = new QLabel(
        tr("Ideas in plain language, several kernels from each, every one compiled, checked and "
           "timed; the best seed the next round."),
        this);
    subtitle->setWordWrap(true);

    const auto button = [this](const QString &text, const QString &description) {
        return new QCommandLinkButton(text, description, this);
    };
    auto *demo = button(tr("Watch the demo search"),
        tr("Softmax on the CPU device with recorded replies: no GPU and no model key needed."));
    auto *fresh = button(tr("New search…"), tr("Choose a problem, a provider and a size."));
    auto *open = button(tr("Open a session…"), tr("Every attempt of an earlier search is in it."));
    auto *recentTitle = new QLabel(tr("Recent sessions"), this);
    m_recentTitle = recentTitle;
    m_recent->setAccessibleName(recentTitle->text());
    m_recent->setFrameShape(QFrame::NoFrame);

    auto *column = new QVBoxLayout;
    column->addStretch(2);
    column->addWidget(title);
    column->addWidget(subtitle);
    column->addSpacing(16);
    for (QWidget *widget :
        {static_cast<QWidget *>(demo), static_cast<QWidget *>(fresh), static_cast<QWidget *>(open)})
        column->addWidget(widget);
    column->addSpacing(16);
    column->addWidget(m_recentTitle);
    column->addWidget(m_recent, 3);
    column->addStretch(1);
    auto *layout = new QHBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(column, 2);
    layout->addStretch(1);
    setRecent({}, {});

    connect(demo, &QAbstractButton::clicked, this, &Welcome::demoRequested);
    connect(fresh, &QAbstractButton::clicked, this, &Welcome::newSearchRequested);
    connect(open, &QAbstractButton::clicked, this, &Welcome::openRequested);
    connect(m_recent, &QListWidget::itemActivated, this,
        [this](QListWidgetItem *item) { Q_EMIT fileRequested(item->text()); });
}

void Welcome::setRecent(const QStringList &files, const QStringList &missing)
{
    m_recent->clear();
    for (const QString &file : files) {
        auto *item = new QListWidgetItem(file, m_recent);
        if (missing.contains(file))
            item->setFlags(item->flags() & ~(Qt::ItemIsEnabled | Qt::ItemIsSelectable));
    }
    m_recent->setVisible(!files.isEmpty());
    m_recentTitle->setVisible(!files.isEmpty());
}

} // namespace ui
