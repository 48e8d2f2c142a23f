#pragma once

#include "core/session/nodetree.h"
#include "core/session/sessionstore.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

/// A session read for showing and exporting; works while another process searches in it.
struct StoredSession {
    SessionStore store; ///< open for reading: details and sources come from here
    SessionHead head;
    NodeTree tree;
    QHash<NodeId, qint64> tokens;
    TokenUsage usage;

    gpu::Status load(const QString &file);
    /// A node by its number or "best". Caller error that says which there are.
    gpu::Result<NodeId> find(const QString &idOrBest) const;
};

/// The document of `show --json` (design §8).
nlohmann::json toJson(const StoredSession &session);

} // namespace core
