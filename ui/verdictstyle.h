#pragma once

#include "core/session/node.h"
#include "ui/theme.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace ui {

/// How a node's standing is shown: the same family has the same colour and the same shape.
enum class Family {
    Faster, ///< ok, at least as fast as the root
    Slower, ///< ok, slower than the root
    Build, ///< did not compile, plan refused, launch refused
    Wrong, ///< ran, but its answer does not count
    Fault, ///< memory fault, timeout, crash
    Neutral, ///< nobody's fault: environment, unsupported, lost
    Running,
    Idea,
    Count
};

Family familyOf(const core::NodeSummary &node);
Role roleOf(Family family);
/// The order in which families win when many nodes share one pixel; larger is better.
int rankOf(Family family);

/// For people: "wrong result", "timing", "idea". Never empty.
QString statusText(const core::NodeSummary &node);
QString verdictText(gpu::Verdict verdict);
QString kindText(core::NodeKind kind);
QString stateText(core::NodeState state);

/// "3.42×", or an empty string.
QString speedupText(const std::optional<double> &speedup);
/// A time with a fitting unit: "812 ns", "13.4 µs", "2.31 ms".
QString timeText(double microseconds);

/// The family's glyph: shape and sign, filling `box`.
void paintGlyph(QPainter &painter, const QRectF &box, Family family, const Theme &theme);

} // namespace ui
