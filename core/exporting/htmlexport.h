#pragma once

#include "core/session/storedsession.h"

namespace core {

/// The session as one HTML file that needs nothing else: what was found, tree, chart, table, ideas,
/// environment, and the source of `node` (0: none). All text of models and people is escaped.
gpu::Result<QString> htmlExport(StoredSession &session, NodeId node);

} // namespace core
