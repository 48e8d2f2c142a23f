#pragma once

#include "core/session/nodetree.h"

namespace core {

/// Speed-up over rounds as an SVG element: a dot for each kernel that is ok, a line for the best so
/// far. Logarithmic. Empty text if nothing has a speed-up.
QString speedupChartSvg(const NodeTree &tree);

} // namespace core
