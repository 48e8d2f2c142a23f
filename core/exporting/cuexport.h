#pragma once

#include "core/session/storedsession.h"

namespace core {

/// A node's source as a file of its own: its plan header first, then a comment that says where it
/// came from. Caller error for a node without source.
gpu::Result<QString> cuExport(StoredSession &session, NodeId node);

} // namespace core
