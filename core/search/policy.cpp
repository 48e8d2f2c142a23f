#include "core/search/policy.h"

#include <algorithm>

namespace core {

SeedChoice BestPolicy::choose(const QList<NodeSummary> &nodes, int seeds) const
{
    QList<NodeSummary> eligible;
    for (const NodeSummary &node : nodes) {
        if (node.verdict == gpu::Verdict::Ok && node.medianUs && !node.excluded && !node.archived)
            eligible.append(node);
    }
    std::stable_partition(
        eligible.begin(), eligible.end(), [](const NodeSummary &node) { return node.pinned; });
    SeedChoice choice;
    if (eligible.isEmpty()) {
        choice.reason = QStringLiteral("no node is ok and not excluded");
        return choice;
    }
    QStringList words;
    for (const NodeSummary &node : eligible.first(std::min<qsizetype>(seeds, eligible.size()))) {
        choice.seeds.append(node.id);
        words.append(
            QStringLiteral("#%1 %2 (%3, %4 us)")
                .arg(node.id)
                .arg(node.title, node.pinned ? QStringLiteral("pinned") : QStringLiteral("fastest"))
                .arg(*node.medianUs, 0, 'f', 1));
    }
    choice.reason = QStringLiteral("best: ") + words.join(QLatin1String(", "));
    return choice;
}

gpu::Result<std::unique_ptr<Policy>> makePolicy(const QString &name)
{
    if (name == QLatin1String("best"))
        return std::unique_ptr<Policy>(std::make_unique<BestPolicy>());
    return gpu::callerError(
        QStringLiteral("There is no policy `%1`. Known ones: best.").arg(name).toStdString());
}

} // namespace core
