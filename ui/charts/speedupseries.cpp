#include "ui/charts/speedupseries.h"

#include "core/session/nodetree.h"
#include "ui/tree/nodemodel.h"

namespace ui {

SpeedupSeries speedupSeries(const NodeModel &model)
{
    SpeedupSeries series;
    std::vector<const core::NodeSummary *> candidates;
    for (NodeModel::Slot slot = 0; slot < NodeModel::Slot(model.size()); ++slot) {
        const core::NodeSummary &node = model.at(slot);
        if (node.kind != core::NodeKind::Idea && core::hasEnded(node))
            candidates.push_back(&node);
    }
    std::sort(candidates.begin(), candidates.end(),
        [](const auto *a, const auto *b) { return a->id < b->id; });
    double best = 0, x = 0;
    int round = 0;
    for (const core::NodeSummary *node : candidates) {
        ++x;
        if (node->round > round && x > 1)
            series.roundStarts.push_back(x - 0.5);
        round = std::max(round, node->round);
        if (!node->speedup) {
            series.failed.push_back({node->id, x, 0});
            continue;
        }
        series.ok.push_back({node->id, x, *node->speedup});
        if (*node->speedup > best && !node->excluded) {
            if (!series.best.empty())
                series.best.emplace_back(x, best);
            best = *node->speedup;
            series.best.emplace_back(x, best);
        }
    }
    if (!series.best.empty())
        series.best.emplace_back(x + 0.5, best);
    series.candidates = x;
    return series;
}

} // namespace ui
