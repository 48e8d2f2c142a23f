#pragma once

#include "core/search/searchconfig.h"
#include "core/session/node.h"

#include <QFuture>
#include <QObject>

#include <memory>

namespace core {

struct EngineParts;

/// One open session and the engine that works on it. The window's and the command line's only way
/// in. Lives on the thread that made it and emits there; the engine and the database have a thread
/// of their own. Every call copies its arguments and returns at once. Virtual so that the window's
/// tests can stand in for it.
class SearchService : public QObject {
    Q_OBJECT
public:
    explicit SearchService(QObject *parent = nullptr);
    /// With other parts than the real ones, for tests.
    explicit SearchService(EngineParts parts, QObject *parent = nullptr);
    /// Stops the engine and its worker; waits at most a few seconds.
    ~SearchService() override;

    /// Creates the session file and starts the search. `failed` follows if it cannot.
    virtual void create(const QString &sessionFile, const SearchConfig &config);
    /// Opens a stored session; `opened` and all its nodes follow. Nothing runs until `resume`, an
    /// edit or `seedFrom`.
    virtual void open(const QString &sessionFile);

    /// Continues a paused, stopped, killed or finished search where it was.
    virtual void resume();
    virtual void pause(); ///< what runs is finished, nothing new begins
    virtual void stop(); ///< idempotent; `finished` follows within 200 ms, clean-up may go on

    /// Compiles, checks and times `source` as a new edit child.
    virtual void evaluateEdit(NodeId parent, const QString &source);
    /// The next round starts from this node, whatever the policy would choose. If the search has
    /// ended, one more round is run.
    virtual void seedFrom(NodeId node);
    virtual void setPinned(NodeId node, bool pinned);
    virtual void setExcluded(NodeId node, bool excluded);
    virtual void setArchived(NodeId node, bool archived);

    /// Everything stored about a node. Resolves on the engine's thread; use `.then(context, …)`.
    virtual QFuture<NodeDetails> details(NodeId node);
    /// PTX or SASS ("ptx", "sass") of a node's source; empty text and a notice on failure.
    virtual QFuture<QString> assembly(NodeId node, const QString &form);

    virtual QString sessionFile() const;
    virtual SearchConfig config() const; ///< of the open session

Q_SIGNALS:
    void opened(core::SearchConfig config);
    /// New and changed nodes, oldest first; a parent comes before its children. At most one batch
    /// every 16 ms.
    void nodesChanged(QList<core::NodeSummary> batch);
    void progressChanged(core::SearchProgress progress);
    void noticed(core::Notice notice);
    /// The session could not be created or opened, or the device could not be started.
    void failed(QString message, bool environmentFault);
    void finished(core::SearchOutcome outcome);

private:
    struct Private;
    std::unique_ptr<Private> m_d;
};

} // namespace core
