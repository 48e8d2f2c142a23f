#pragma once

#include "core/provider/provider.h"
#include "core/search/searchconfig.h"
#include "core/session/database.h"
#include "core/session/node.h"
#include "core/session/nodepath.h"
#include "core/session/sessionlock.h"
#include "gpu/problem/problem.h"

#include <QList>

namespace core {

/// A node as the engine keeps it: what the summary holds, and where it stands.
struct NodeRecord {
    NodeSummary summary;
    NodePath path;
    QString deviceKind; ///< of its evaluation; empty without one
};

/// One finished request to a model, failed ones too.
struct CallRecord {
    Request request;
    QString provider;
    Reply reply;
    QString error; ///< empty: `reply` was usable as an answer
};

/// What is stored of a search besides its nodes.
struct SessionHead {
    SearchConfig config;
    gpu::Problem problem; ///< a copy: the session opens without the problem's folder
    QString state; ///< name of the SearchState it was left in
    QString message; ///< why it ended
    QString deviceName;
    double elapsedSeconds = 0; ///< over all its runs
};

/// The session file: everything a search knows, stored the moment it is known. Belongs to one
/// thread. A call that returns ok is on disk; one that fails has changed nothing.
class SessionStore {
public:
    /// `first` is stored with it: the session is there with all of this or not at all.
    gpu::Status create(const QString &file, const SearchConfig &config, const gpu::Problem &problem,
        const std::function<gpu::Status()> &first = {});
    gpu::Status openForWriting(const QString &file);
    gpu::Status openForReading(const QString &file);
    void close();
    bool isOpen() const { return m_database.isOpen(); }
    QString file() const { return m_database.file(); }

    gpu::Result<SessionHead> head();
    gpu::Status setConfig(const SearchConfig &config);
    gpu::Status setState(const QString &state, const QString &message);
    gpu::Status setMeta(const QString &key, const QString &value);
    /// Empty if there is none.
    gpu::Result<QString> meta(const QString &key);

    /// All nodes by id, so that a parent comes before its children.
    gpu::Result<QList<NodeRecord>> nodes();
    gpu::Result<NodeDetails> details(NodeId node);
    gpu::Result<QString> source(NodeId node);
    gpu::Result<QString> ideaText(NodeId node);
    gpu::Result<gpu::Evaluation> evaluation(NodeId node);
    /// Tokens and money of all calls.
    gpu::Result<TokenUsage> usage();
    gpu::Result<QList<CallRecord>> calls();
    /// Tokens of each node's call, in and out together.
    gpu::Result<QHash<NodeId, qint64>> tokensByNode();
    /// In the order they were run.
    gpu::Result<QList<RunOff>> runOffs();

    /// Several changes that stand or fall together.
    gpu::Status together(const std::function<gpu::Status()> &work);

    gpu::Status addNode(const NodeRecord &node, const QString &ideaText, const QString &source);
    /// Everything but id, parent, path and kind.
    gpu::Status updateNode(const NodeRecord &node);
    gpu::Status setIdea(NodeId node, const QString &ideaText);
    gpu::Status setSource(NodeId node, const QString &source);
    gpu::Status addCall(NodeId node, const CallRecord &call);
    gpu::Status addEvaluation(NodeId node, const gpu::Evaluation &evaluation);
    gpu::Status addRunOff(const RunOff &runOff);
    /// What was decided and why, for the reader of the session.
    gpu::Status addEvent(const QString &kind, int round, NodeId node, const QString &text);

private:
    Database m_database;
    SessionLock m_lock;
};

} // namespace core
