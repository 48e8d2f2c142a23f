#pragma once

#include "core/session/node.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTimer;
class QTreeView;

namespace ui {

class NodeModel;

/// The same nodes as the tree, as an ordinary table tree: sortable, with a filter, and readable by
/// a screen reader.
class NodeList : public QWidget {
    Q_OBJECT
public:
    explicit NodeList(NodeModel *model, QWidget *parent = nullptr);

    core::NodeId selected() const;
    void setFilter(const QString &text);

public Q_SLOTS:
    void select(core::NodeId node);

Q_SIGNALS:
    void selectionChanged(core::NodeId node);
    void activated(core::NodeId node);
    void contextMenuRequested(core::NodeId node, QPoint globalPosition);

private:
    void applyFilter();
    core::NodeId nodeAt(const QModelIndex &index) const;

    NodeModel *m_model;
    QSortFilterProxyModel *m_proxy;
    QTreeView *m_view;
    QLineEdit *m_filter;
    QLabel *m_count;
    QTimer *m_delay;
    bool m_selecting = false;
};

} // namespace ui
