#include "core/session/node.h"

#include <array>
#include <utility>

namespace core {

namespace {
constexpr std::array<std::pair<NodeKind, const char *>, 7> Kinds{
    {{NodeKind::Root, "root"}, {NodeKind::Idea, "idea"},
        {NodeKind::Implementation, "implementation"}, {NodeKind::Repair, "repair"},
        {NodeKind::Tune, "tune"}, {NodeKind::Edit, "edit"}, {NodeKind::Merge, "merge"}}};

constexpr std::array<std::pair<NodeState, const char *>, 7> States{
    {{NodeState::Asking, "asking"}, {NodeState::Queued, "queued"},
        {NodeState::Compiling, "compiling"}, {NodeState::Checking, "checking"},
        {NodeState::Timing, "timing"}, {NodeState::Done, "done"}, {NodeState::Lost, "lost"}}};

template <class Table, class Value> QString nameIn(const Table &table, Value value)
{
    for (const auto &[entry, text] : table) {
        if (entry == value)
            return QString::fromLatin1(text);
    }
    return {};
}

template <class Value, class Table>
std::optional<Value> valueIn(const Table &table, const QString &name)
{
    for (const auto &[entry, text] : table) {
        if (name == QLatin1String(text))
            return entry;
    }
    return std::nullopt;
}
} // namespace

QString name(NodeKind kind)
{
    return nameIn(Kinds, kind);
}

QString name(NodeState state)
{
    return nameIn(States, state);
}

std::optional<NodeKind> nodeKindFromName(const QString &name)
{
    return valueIn<NodeKind>(Kinds, name);
}

std::optional<NodeState> nodeStateFromName(const QString &name)
{
    return valueIn<NodeState>(States, name);
}

} // namespace core
