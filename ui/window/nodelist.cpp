#include "ui/window/nodelist.h"

#include "ui/tree/nodemodel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTimer>
#include <QTreeView>

namespace ui {

namespace {

int matches(const QSortFilterProxyModel &proxy, const QModelIndex &parent = {})
{
    int count = 0;
    for (int row = 0; row < proxy.rowCount(parent); ++row)
        count += 1 + matches(proxy, proxy.index(row, 0, parent));
    return count;
}

} // namespace

NodeList::NodeList(NodeModel *model, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_proxy(new QSortFilterProxyModel(this))
    , m_view(new QTreeView(this))
    , m_filter(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_delay(new QTimer(this))
{
    m_proxy->setSourceModel(model);
    m_proxy->setSortRole(NodeModel::SortRole);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setRecursiveFilteringEnabled(true);

    m_view->setModel(m_proxy);
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setAccessibleName(tr("Nodes of the search"));
    m_view->header()->resizeSection(NodeModel::TitleColumn, 340);
    m_view->header()->setStretchLastSection(true);

    m_filter->setPlaceholderText(tr("Filter by title, status, precision or author"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(tr("Filter"));
    m_delay->setSingleShot(true);
    m_delay->setInterval(200);

    auto *top = new QHBoxLayout;
    top->setContentsMargins(4, 4, 4, 0);
    top->addWidget(m_filter, 1);
    top->addWidget(m_count);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(top);
    layout->addWidget(m_view, 1);
    setTabOrder(m_filter, m_view);

    connect(m_filter, &QLineEdit::textChanged, m_delay, qOverload<>(&QTimer::start));
    connect(m_delay, &QTimer::timeout, this, &NodeList::applyFilter);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
        [this](const QModelIndex &index) {
            if (!m_selecting)
                Q_EMIT selectionChanged(nodeAt(index));
        });
    connect(m_view, &QTreeView::activated, this,
        [this](const QModelIndex &index) { Q_EMIT activated(nodeAt(index)); });
    connect(m_view, &QWidget::customContextMenuRequested, this, [this](const QPoint &position) {
        if (const core::NodeId node = nodeAt(m_view->indexAt(position)))
            Q_EMIT contextMenuRequested(node, m_view->viewport()->mapToGlobal(position));
    });
    // Only what is new: expanding all of a large tree for each batch would cost its whole size.
    connect(model, &NodeModel::applied, this, [this](const QList<core::NodeId> &added) {
        for (core::NodeId node : added)
            if (const core::NodeSummary *summary = m_model->find(node); summary && summary->parent)
                m_view->expand(m_proxy->mapFromSource(m_model->indexOf(summary->parent)));
    });
}

core::NodeId NodeList::nodeAt(const QModelIndex &index) const
{
    return index.isValid() ? index.data(NodeModel::NodeIdRole).value<core::NodeId>() : 0;
}

core::NodeId NodeList::selected() const
{
    return nodeAt(m_view->currentIndex());
}

void NodeList::select(core::NodeId node)
{
    m_selecting = true;
    const QModelIndex index = m_proxy->mapFromSource(m_model->indexOf(node));
    m_view->setCurrentIndex(index);
    if (index.isValid())
        m_view->scrollTo(index);
    m_selecting = false;
}

void NodeList::setFilter(const QString &text)
{
    m_filter->setText(text);
    m_delay->stop();
    applyFilter();
}

void NodeList::applyFilter()
{
    m_proxy->setFilterFixedString(m_filter->text().trimmed());
    const bool filtered = !m_filter->text().trimmed().isEmpty();
    m_count->setText(filtered ? tr("%1 shown").arg(matches(*m_proxy)) : QString());
    if (filtered)
        m_view->expandAll();
}

} // namespace ui
