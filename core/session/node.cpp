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

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}
} // namespace

QString verdictName(gpu::Verdict verdict)
{
    return fromView(gpu::name(verdict));
}

QString comparisonName(gpu::Comparison comparison)
{
    return fromView(gpu::name(comparison));
}

QString name(NodeKind kind)
{
    return nameIn(Kinds, kind);
}

QString name(NodeState state)
{
    return nameIn(States, state);
}

RunOff RunOff::seenFrom(NodeId node) const
{
    if (node == b)
        return *this;
    RunOff turned = *this;
    std::swap(turned.a, turned.b);
    const gpu::Interval &ratio = times.ratio;
    const auto inverse = [](double value) { return value > 0 ? 1 / value : 0; };
    turned.times.ratio = {inverse(ratio.value), inverse(ratio.high), inverse(ratio.low)};
    if (times.comparison == gpu::Comparison::Faster)
        turned.times.comparison = gpu::Comparison::Slower;
    else if (times.comparison == gpu::Comparison::Slower)
        turned.times.comparison = gpu::Comparison::Faster;
    return turned;
}

QString text(const RunOff &runOff)
{
    if (!runOff.message.isEmpty())
        return runOff.message;
    const gpu::Interval &ratio = runOff.times.ratio;
    return QStringLiteral("%1 (%2 to %3) of its time: %4")
        .arg(ratio.value, 0, 'f', 3)
        .arg(ratio.low, 0, 'f', 3)
        .arg(ratio.high, 0, 'f', 3)
        .arg(comparisonName(runOff.times.comparison));
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
