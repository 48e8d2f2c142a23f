#pragma once

#include "core/session/node.h"

#include <QAbstractItemModel>
#include <QHash>

#include <vector>

namespace ui {

/// All nodes of the open session, shared by the tree, the list, the charts and accessibility.
/// An arena: a node's slot never changes and nothing is removed until `clear`. Lives on the GUI
/// thread. QModelIndex::internalId is the node's slot.
class NodeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column {
        TitleColumn,
        StatusColumn,
        SpeedupColumn,
        TimeColumn,
        PrecisionColumn,
        RoundColumn,
        AuthorColumn,
        ColumnCount
    };
    /// core::NodeId of an index, and the value to sort a column by.
    enum { NodeIdRole = Qt::UserRole, SortRole };
    using Slot = quint32;
    static constexpr Slot NoSlot = 0xffffffff;

    explicit NodeModel(QObject *parent = nullptr);

    /// Adds and changes nodes. A node whose parent is unknown waits until that comes.
    void apply(const QList<core::NodeSummary> &batch);
    void clear();

    qsizetype size() const { return static_cast<qsizetype>(m_nodes.size()); }
    /// nullptr if unknown. Valid until the next `apply` or `clear`.
    const core::NodeSummary *find(core::NodeId id) const;
    Slot slotOf(core::NodeId id) const { return m_slots.value(id, NoSlot); }
    const core::NodeSummary &at(Slot slot) const { return m_nodes[slot].summary; }
    Slot parentSlot(Slot slot) const { return m_nodes[slot].parent; }
    const std::vector<Slot> &children(Slot slot) const { return m_nodes[slot].children; }
    const std::vector<Slot> &roots() const { return m_roots; }
    /// The fastest node that is ok and not excluded; 0 if there is none.
    core::NodeId best() const;
    /// From the root to `id`; empty if unknown.
    QList<core::NodeId> path(core::NodeId id) const;
    QModelIndex indexOf(core::NodeId id, int column = 0) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    using QObject::parent;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    /// After each `apply`, once: which nodes are new and which have changed.
    void applied(QList<core::NodeId> added, QList<core::NodeId> changed);

private:
    struct Node {
        core::NodeSummary summary;
        Slot parent = NoSlot;
        int row = 0;
        std::vector<Slot> children;
    };

    std::vector<Slot> &siblings(Slot parent);
    void insertRun(Slot parent, const QList<core::NodeSummary> &run);
    QVariant displayText(const core::NodeSummary &node, int column) const;
    QVariant sortKey(const core::NodeSummary &node, int column) const;

    std::vector<Node> m_nodes;
    std::vector<Slot> m_roots;
    QHash<core::NodeId, Slot> m_slots;
    QHash<core::NodeId, QList<core::NodeSummary>> m_waiting; ///< by the missing parent
};

} // namespace ui
