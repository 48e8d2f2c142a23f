#pragma once

#include "core/session/node.h"
#include "ui/theme.h"

namespace ui {

/// Everything about a node as a page: idea, verdict and why, time, precision, checks, resources.
/// Links: `line:N` in the node's source, `node:N`. All text of models and people is escaped.
QString nodeHtml(const core::NodeDetails &details, const Theme &theme);

/// What a verdict means, in a sentence. Never empty.
QString verdictMeaning(gpu::Verdict verdict);

} // namespace ui
