#pragma once

#include "core/session/node.h"

#include <QPointF>

#include <vector>

namespace ui {

class NodeModel;

/// What the chart of speed-ups shows: x is a candidate's place in the order they were made, from 1.
struct SpeedupSeries {
    struct Point {
        core::NodeId node = 0;
        double x = 0, speedup = 0;
    };
    std::vector<Point> ok; ///< all candidates with a speed, the root included
    std::vector<Point> failed; ///< ended without a speed; `speedup` is 0
    std::vector<QPointF> best; ///< steps of the best so far, ready to draw
    std::vector<double> roundStarts; ///< x between the last of a round and the first of the next
    double candidates = 0; ///< how many x there are
};

SpeedupSeries speedupSeries(const NodeModel &model);

} // namespace ui
