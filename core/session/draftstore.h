#pragma once

#include "core/session/node.h"
#include "gpu/base/result.h"

#include <QList>
#include <QString>

namespace core {

/// An unfinished edit of a stored kernel.
struct Draft {
    NodeId node = 0; ///< whose source it started from
    QString text;
    bool baseChanged = false; ///< that source is not the one the draft was begun on
};

/// Drafts of one session: small files in FILE.drafts/ beside it, readable by their owner only, each
/// written whole or not at all. They outlive a crash of the program. A draft is at most a few
/// hundred kilobytes, so that a call takes well under a millisecond and may be made on the GUI
/// thread. Not thread-safe.
class DraftStore {
public:
    explicit DraftStore(const QString &sessionFile);

    /// Environment error that names the file; an older draft of the node is then still there.
    gpu::Status save(NodeId node, const QString &base, const QString &text);
    /// Nothing if there is none or it cannot be read.
    std::optional<Draft> load(NodeId node, const QString &base) const;
    void remove(NodeId node);
    QList<NodeId> nodes() const;

private:
    QString path(NodeId node) const;

    QString m_folder;
};

} // namespace core
