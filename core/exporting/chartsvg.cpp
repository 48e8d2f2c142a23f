#include "core/exporting/chartsvg.h"

#include "core/exporting/treesvg.h"

#include <cmath>

namespace core {

namespace {
constexpr int Width = 640, Height = 280, Left = 56, Right = 16, Top = 16, Bottom = 36;

/// Steps of a logarithmic axis between two values: 1, 2, 5 of each power of ten.
QList<double> ticks(double low, double high)
{
    QList<double> result;
    for (int power = -3; power <= 6; ++power) {
        for (const double step : {1.0, 2.0, 5.0}) {
            const double value = step * std::pow(10.0, power);
            if (value >= low * 0.999 && value <= high * 1.001)
                result.append(value);
        }
    }
    return result;
}
} // namespace

QString speedupChartSvg(const NodeTree &tree)
{
    const QList<NodeSummary> nodes = tree.comparable();
    if (nodes.isEmpty())
        return {};
    double low = 1, high = 1;
    for (const NodeSummary &node : nodes) {
        low = std::min(low, *node.speedup);
        high = std::max(high, *node.speedup);
    }
    low /= 1.2;
    high *= 1.2;
    const int rounds = std::max(1, tree.lastRound());
    const auto x = [&](double round) { return Left + round / rounds * (Width - Left - Right); };
    const auto y = [&](double speedup) {
        return Top + std::log(high / speedup) / std::log(high / low) * (Height - Top - Bottom);
    };
    const auto number = [](double value) { return QString::number(value, 'f', 1); };
    QString svg = QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" "
                                 "role=\"img\" width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\">\n"
                                 "<title>Speed-up over the seed, by round</title>\n")
                      .arg(Width)
                      .arg(Height);
    for (const double tick : ticks(low, high))
        svg += QStringLiteral("<path class=\"grid\" d=\"M%1 %2H%3\"/><text x=\"%4\" y=\"%5\" "
                              "text-anchor=\"end\">%6x</text>\n")
                   .arg(Left)
                   .arg(number(y(tick)))
                   .arg(Width - Right)
                   .arg(Left - 6)
                   .arg(number(y(tick) + 4))
                   .arg(tick);
    const int roundStep = std::max(1, rounds / 12);
    for (int round = 0; round <= rounds; round += roundStep)
        svg += QStringLiteral("<text x=\"%1\" y=\"%2\" text-anchor=\"middle\">%3</text>\n")
                   .arg(number(x(round)))
                   .arg(Height - Bottom + 18)
                   .arg(
                       round == 0 ? QStringLiteral("seed") : QStringLiteral("round %1").arg(round));
    QString line;
    double best = 0;
    for (int round = 0; round <= rounds; ++round) {
        for (const NodeSummary &node : nodes) {
            if (node.round == round)
                best = std::max(best, *node.speedup);
        }
        if (best > 0)
            line += QStringLiteral("%1%2 %3").arg(
                line.isEmpty() ? QStringLiteral("M") : QStringLiteral("L"), number(x(round)),
                number(y(best)));
    }
    svg += QStringLiteral("<path class=\"bestline\" d=\"%1\"/>\n").arg(line);
    for (const NodeSummary &node : nodes)
        svg += QStringLiteral("<circle class=\"%1\" cx=\"%2\" cy=\"%3\" r=\"4\"><title>%4</title>"
                              "</circle>\n")
                   .arg(nodeClass(tree, node.id), number(x(node.round)), number(y(*node.speedup)),
                       escaped(QStringLiteral("#%1 %2x %3")
                                   .arg(node.id)
                                   .arg(*node.speedup, 0, 'f', 2)
                                   .arg(node.title)));
    return svg + QStringLiteral("</svg>\n");
}

} // namespace core
