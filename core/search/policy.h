#pragma once

#include "core/session/node.h"
#include "gpu/base/result.h"

#include <memory>

namespace core {

/// Which nodes seed the next round, and why, in a sentence.
struct SeedChoice {
    QList<NodeId> seeds; ///< empty: there is nothing to go on from
    QString reason;
};

/// Decides what the search goes on from. A pure function of the nodes.
class Policy {
public:
    virtual ~Policy() = default;
    /// `nodes` are all of the session, with speeds of one device kind only, fastest first; excluded
    /// and archived ones must not be chosen.
    virtual SeedChoice choose(const QList<NodeSummary> &nodes, int seeds) const = 0;
};

/// The fastest nodes that are ok and so keep the precision. A pinned node comes before a faster
/// one.
class BestPolicy : public Policy {
public:
    SeedChoice choose(const QList<NodeSummary> &nodes, int seeds) const override;
};

/// By the name of the command line. Caller error that lists the known ones.
gpu::Result<std::unique_ptr<Policy>> makePolicy(const QString &name);

} // namespace core
