#pragma once

#include "core/session/nodetree.h"

namespace core {

/// The search tree as an SVG element, left to right; coloured by classes `ok`, `best`, `looser`,
/// `bad`, `lost`, `idea` of the page around it. Of a large session only what leads to a kernel that
/// is ok is drawn, and the element says so.
QString treeSvg(const NodeTree &tree);

/// The class by which a node is coloured.
QString nodeClass(const NodeTree &tree, NodeId id);

/// Text for the content or an attribute of XML.
QString escaped(const QString &text);

} // namespace core
