#pragma once

#include <QString>

#include <optional>

namespace core {

/// Where a node stands in its search, from 1; 0: not at that depth. Two runs of the same search
/// give the same paths, whatever order their replies come in: it is what a resume goes by.
struct NodePath {
    int round = 0, idea = 0, branch = 0, attempt = 0;
    int edit = 0; ///< not 0: the session's n-th edit, and nothing else is set

    friend bool operator==(const NodePath &, const NodePath &) = default;
};

/// "root", "r1.i2", "r1.i2.b1", "r1.i2.b1.a1" or "e3".
QString text(const NodePath &path);
std::optional<NodePath> nodePathFromText(const QString &text);

} // namespace core
