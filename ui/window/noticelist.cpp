#include "ui/window/noticelist.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QScrollBar>
#include <QStyle>
#include <QTime>

namespace ui {

namespace {
constexpr int MostNotices = 1000;
constexpr int NodeRole = Qt::UserRole;
} // namespace

NoticeList::NoticeList(QWidget *parent)
    : QTreeWidget(parent)
{
    setHeaderLabels({tr("Time"), tr("Node"), tr("Message")});
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setAccessibleName(tr("Problems"));
    header()->resizeSection(0, 90);
    header()->resizeSection(1, 60);
    auto *copy = new QAction(tr("&Copy"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    addAction(copy);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copy, &QAction::triggered, this, &NoticeList::copySelected);
    connect(this, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem *item) {
        if (const core::NodeId node = item->data(1, NodeRole).toUInt())
            Q_EMIT nodeRequested(node);
    });
}

void NoticeList::add(const core::Notice &notice)
{
    const bool atEnd = verticalScrollBar()->value() == verticalScrollBar()->maximum();
    auto *item = new QTreeWidgetItem({QTime::currentTime().toString(QStringLiteral("HH:mm:ss")),
        notice.node ? QStringLiteral("#%1").arg(notice.node) : QString(),
        QString(notice.text).replace(QLatin1Char('\n'), QLatin1Char(' '))});
    const auto icon = notice.level == core::Notice::Level::Error ? QStyle::SP_MessageBoxCritical
        : notice.level == core::Notice::Level::Warning           ? QStyle::SP_MessageBoxWarning
                                                                 : QStyle::SP_MessageBoxInformation;
    item->setIcon(0, style()->standardIcon(icon));
    item->setToolTip(2, notice.text);
    item->setData(1, NodeRole, notice.node);
    addTopLevelItem(item);
    while (topLevelItemCount() > MostNotices)
        delete takeTopLevelItem(0);
    if (atEnd)
        scrollToBottom();
}

void NoticeList::copySelected()
{
    QStringList lines;
    for (const QTreeWidgetItem *item : selectedItems())
        lines.append(item->toolTip(2));
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace ui
