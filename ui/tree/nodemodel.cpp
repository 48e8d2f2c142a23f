#include "ui/tree/nodemodel.h"

#include "ui/verdictstyle.h"

#include <QSet>

#include <limits>

namespace ui {

NodeModel::NodeModel(QObject *parent)
    : QAbstractItemModel(parent)
{
    qRegisterMetaType<QList<core::NodeId>>();
}

std::vector<NodeModel::Slot> &NodeModel::siblings(Slot parent)
{
    return parent == NoSlot ? m_roots : m_nodes[parent].children;
}

void NodeModel::insertRun(Slot parent, const QList<core::NodeSummary> &run)
{
    const int first = static_cast<int>(siblings(parent).size());
    const QModelIndex parentIndex = parent == NoSlot
        ? QModelIndex()
        : createIndex(m_nodes[parent].row, 0, static_cast<quintptr>(parent));
    beginInsertRows(parentIndex, first, first + static_cast<int>(run.size()) - 1);
    for (const core::NodeSummary &summary : run) {
        const auto slot = static_cast<Slot>(m_nodes.size());
        const int row = static_cast<int>(siblings(parent).size());
        m_nodes.push_back({summary, parent, row, {}});
        siblings(parent).push_back(slot);
        m_slots.insert(summary.id, slot);
    }
    endInsertRows();
}

void NodeModel::apply(const QList<core::NodeSummary> &batch)
{
    QList<core::NodeId> added, changed;
    QSet<core::NodeId> known;
    QList<core::NodeSummary> run; // new nodes of one parent, inserted together
    Slot runParent = NoSlot;
    const auto flush = [&] {
        if (!run.isEmpty())
            insertRun(runParent, run);
        run.clear();
    };
    QList<core::NodeSummary> pending = batch;
    for (qsizetype i = 0; i < pending.size(); ++i) {
        const core::NodeSummary node = pending[i];
        if (node.id == 0)
            continue;
        if (known.contains(node.id) && !m_slots.contains(node.id))
            flush();
        if (const Slot slot = slotOf(node.id); slot != NoSlot) {
            m_nodes[slot].summary = node;
            if (!known.contains(node.id)) {
                known.insert(node.id);
                changed.append(node.id);
            }
            continue;
        }
        if (node.parent != 0 && known.contains(node.parent) && !m_slots.contains(node.parent))
            flush();
        const Slot parent = node.parent == 0 ? NoSlot : slotOf(node.parent);
        if (node.parent != 0 && parent == NoSlot) {
            m_waiting[node.parent].append(node);
            continue;
        }
        if (parent != runParent)
            flush();
        runParent = parent;
        run.append(node);
        known.insert(node.id);
        added.append(node.id);
        pending.append(m_waiting.take(node.id));
    }
    flush();
    for (const core::NodeId id : changed)
        Q_EMIT dataChanged(indexOf(id), indexOf(id, ColumnCount - 1));
    if (!added.isEmpty() || !changed.isEmpty())
        Q_EMIT applied(added, changed);
}

void NodeModel::clear()
{
    beginResetModel();
    m_nodes.clear();
    m_roots.clear();
    m_slots.clear();
    m_waiting.clear();
    endResetModel();
}

const core::NodeSummary *NodeModel::find(core::NodeId id) const
{
    const Slot slot = slotOf(id);
    return slot == NoSlot ? nullptr : &m_nodes[slot].summary;
}

core::NodeId NodeModel::best() const
{
    const core::NodeSummary *best = nullptr;
    for (const Node &node : m_nodes) {
        const core::NodeSummary &s = node.summary;
        if (s.verdict != gpu::Verdict::Ok || !s.medianUs || s.excluded || s.archived
            || s.beatenBy != 0)
            continue;
        if (!best || *s.medianUs < *best->medianUs)
            best = &s;
    }
    return best ? best->id : 0;
}

QList<core::NodeId> NodeModel::path(core::NodeId id) const
{
    QList<core::NodeId> path;
    for (Slot slot = slotOf(id); slot != NoSlot; slot = m_nodes[slot].parent)
        path.prepend(m_nodes[slot].summary.id);
    return path;
}

QModelIndex NodeModel::indexOf(core::NodeId id, int column) const
{
    const Slot slot = slotOf(id);
    if (slot == NoSlot)
        return {};
    return createIndex(m_nodes[slot].row, column, static_cast<quintptr>(slot));
}

QModelIndex NodeModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const auto &list
        = parent.isValid() ? m_nodes[static_cast<Slot>(parent.internalId())].children : m_roots;
    return createIndex(row, column, static_cast<quintptr>(list[static_cast<std::size_t>(row)]));
}

QModelIndex NodeModel::parent(const QModelIndex &child) const
{
    if (!child.isValid())
        return {};
    const Slot slot = m_nodes[static_cast<Slot>(child.internalId())].parent;
    if (slot == NoSlot)
        return {};
    return createIndex(m_nodes[slot].row, 0, static_cast<quintptr>(slot));
}

int NodeModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_roots.size());
    if (parent.column() > 0)
        return 0;
    return static_cast<int>(m_nodes[static_cast<Slot>(parent.internalId())].children.size());
}

int NodeModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

QVariant NodeModel::displayText(const core::NodeSummary &node, int column) const
{
    switch (column) {
    case TitleColumn:
        return node.title.isEmpty() ? kindText(node.kind) : node.title;
    case StatusColumn:
        return statusText(node);
    case SpeedupColumn:
        return speedupText(node.speedup);
    case TimeColumn:
        return node.medianUs ? timeText(*node.medianUs) : QString();
    case PrecisionColumn:
        return node.precisionClass;
    case RoundColumn:
        return node.round;
    case AuthorColumn:
        return node.author;
    default:
        return {};
    }
}

QVariant NodeModel::sortKey(const core::NodeSummary &node, int column) const
{
    switch (column) {
    case SpeedupColumn:
        return node.speedup.value_or(-1);
    case TimeColumn:
        return node.medianUs.value_or(std::numeric_limits<double>::infinity());
    default:
        return displayText(node, column);
    }
}

QVariant NodeModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const core::NodeSummary &node = m_nodes[static_cast<Slot>(index.internalId())].summary;
    switch (role) {
    case Qt::DisplayRole:
        return displayText(node, index.column());
    case Qt::ToolTipRole:
        return node.message;
    case Qt::TextAlignmentRole:
        if (index.column() == SpeedupColumn || index.column() == TimeColumn)
            return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2, %3 %4")
            .arg(displayText(node, TitleColumn).toString(), kindText(node.kind), statusText(node),
                speedupText(node.speedup));
    case NodeIdRole:
        return node.id;
    case SortRole:
        return sortKey(node, index.column());
    default:
        return {};
    }
}

QVariant NodeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case TitleColumn:
        return tr("Node");
    case StatusColumn:
        return tr("Status");
    case SpeedupColumn:
        return tr("Speed-up");
    case TimeColumn:
        return tr("Time");
    case PrecisionColumn:
        return tr("Precision");
    case RoundColumn:
        return tr("Round");
    case AuthorColumn:
        return tr("Author");
    default:
        return {};
    }
}

} // namespace ui
