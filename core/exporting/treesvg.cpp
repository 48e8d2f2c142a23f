#include "core/exporting/treesvg.h"

#include <QSet>

namespace core {

namespace {
constexpr int MaxDrawn = 800;
constexpr int ColumnWidth = 150, RowHeight = 26, NodeWidth = 128, NodeHeight = 20, Margin = 10;

/// Where each drawn node goes. Leaves take a row each; a parent stands midway between its children.
class Layout {
public:
    Layout(const NodeTree &tree, const QSet<NodeId> &drawn)
        : m_tree(tree)
        , m_drawn(drawn)
    {
        if (tree.contains(1))
            place(1, 0);
    }

    QHash<NodeId, QPair<int, double>> places; ///< column and row
    int columns = 0;
    double rows = 0;

private:
    double place(NodeId id, int column)
    {
        columns = std::max(columns, column + 1);
        double first = 0, last = 0;
        bool isLeaf = true;
        for (const NodeId child : m_tree.children(id)) {
            if (!m_drawn.contains(child))
                continue;
            last = place(child, column + 1);
            if (isLeaf)
                first = last;
            isLeaf = false;
        }
        const double row = isLeaf ? rows++ : (first + last) / 2;
        places.insert(id, {column, row});
        return row;
    }

    const NodeTree &m_tree;
    const QSet<NodeId> &m_drawn;
};

QSet<NodeId> nodesToDraw(const NodeTree &tree)
{
    QSet<NodeId> drawn;
    const bool all = tree.all().size() <= MaxDrawn;
    for (const NodeRecord &node : tree.all()) {
        if (!all && !node.summary.speedup)
            continue;
        if (!all && drawn.size() >= MaxDrawn)
            break;
        for (NodeId id = node.summary.id; id != 0 && !drawn.contains(id);
             id = tree.at(id).summary.parent)
            drawn.insert(id);
    }
    return drawn;
}

QString label(const NodeSummary &node)
{
    QString text = QStringLiteral("#%1 ").arg(node.id);
    if (node.speedup && node.kind != NodeKind::Idea)
        text += QStringLiteral("%1x ").arg(*node.speedup, 0, 'f', 2);
    text += node.title;
    return text.size() > 20 ? text.left(19) + QChar(0x2026) : text;
}

QString tip(const NodeSummary &node)
{
    QString text = QStringLiteral("#%1 %2: %3").arg(node.id).arg(name(node.kind), node.title);
    if (node.verdict)
        text += QStringLiteral(" (%1)").arg(verdictName(*node.verdict));
    return text;
}
} // namespace

QString escaped(const QString &text)
{
    QString plain;
    plain.reserve(text.size());
    for (const QChar c : text) {
        // Control characters are not allowed in XML at all: https://www.w3.org/TR/xml/#charsets
        const bool isControl = c.unicode() < 0x20 && c != u'\n' && c != u'\t' && c != u'\r';
        plain += isControl ? QChar(QChar::ReplacementCharacter) : c;
    }
    return plain.toHtmlEscaped().replace(QLatin1Char('\''), QLatin1String("&#39;"));
}

QString nodeClass(const NodeTree &tree, NodeId id)
{
    const NodeSummary &node = tree.at(id).summary;
    if (tree.best() == id)
        return QStringLiteral("best");
    if (node.kind == NodeKind::Idea)
        return node.state == NodeState::Lost ? QStringLiteral("lost") : QStringLiteral("idea");
    if (!node.verdict)
        return QStringLiteral("lost");
    if (*node.verdict == gpu::Verdict::Ok)
        return QStringLiteral("ok");
    return *node.verdict == gpu::Verdict::Precision ? QStringLiteral("looser")
                                                    : QStringLiteral("bad");
}

QString treeSvg(const NodeTree &tree)
{
    const QSet<NodeId> drawn = nodesToDraw(tree);
    const Layout layout(tree, drawn);
    const int width = 2 * Margin + layout.columns * ColumnWidth;
    const int height = 2 * Margin + static_cast<int>(layout.rows * RowHeight);
    const auto x = [&](NodeId id) { return Margin + layout.places.value(id).first * ColumnWidth; };
    const auto y = [&](NodeId id) {
        return Margin + static_cast<int>(layout.places.value(id).second * RowHeight);
    };
    QString svg = QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tree\" "
                                 "role=\"img\" width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\">\n"
                                 "<title>Search tree, %3 of %4 nodes</title>\n")
                      .arg(width)
                      .arg(height)
                      .arg(drawn.size())
                      .arg(tree.all().size());
    for (const NodeRecord &node : tree.all()) {
        const NodeId id = node.summary.id, parent = node.summary.parent;
        if (!drawn.contains(id) || parent == 0)
            continue;
        const int fromX = x(parent) + NodeWidth, fromY = y(parent) + NodeHeight / 2;
        const int toX = x(id), toY = y(id) + NodeHeight / 2, middle = (fromX + toX) / 2;
        svg += QStringLiteral("<path class=\"edge\" d=\"M%1 %2C%3 %2 %3 %4 %5 %4\"/>\n")
                   .arg(fromX)
                   .arg(fromY)
                   .arg(middle)
                   .arg(toY)
                   .arg(toX);
    }
    for (const NodeRecord &node : tree.all()) {
        const NodeId id = node.summary.id;
        if (!drawn.contains(id))
            continue;
        svg += QStringLiteral("<g class=\"node %1\"><title>%2</title><rect x=\"%3\" y=\"%4\" "
                              "width=\"%5\" height=\"%6\" rx=\"%7\"/><text x=\"%8\" y=\"%9\">")
                   .arg(nodeClass(tree, id), escaped(tip(node.summary)))
                   .arg(x(id))
                   .arg(y(id))
                   .arg(NodeWidth)
                   .arg(NodeHeight)
                   .arg(node.summary.kind == NodeKind::Idea ? NodeHeight / 2 : 3)
                   .arg(x(id) + 6)
                   .arg(y(id) + 14)
            + escaped(label(node.summary)) + QStringLiteral("</text></g>\n");
    }
    if (drawn.size() < tree.all().size())
        svg += QStringLiteral("<text class=\"note\" x=\"%1\" y=\"%2\">only what leads to a kernel "
                              "that is ok</text>\n")
                   .arg(Margin)
                   .arg(height - 2);
    return svg + QStringLiteral("</svg>\n");
}

} // namespace core
