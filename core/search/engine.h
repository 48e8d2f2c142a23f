#pragma once

#include "core/evaluation/evaluator.h"
#include "core/provider/provider.h"
#include "core/search/policy.h"
#include "core/search/prompt.h"
#include "core/search/publisher.h"
#include "core/search/searchconfig.h"
#include "core/session/nodetree.h"
#include "core/session/sessionstore.h"

#include <QElapsedTimer>
#include <QSet>

#include <functional>
#include <memory>
#include <set>

namespace core {

/// What an engine works with, so that tests can put fakes in.
struct EngineParts {
    std::function<gpu::Result<gpu::Problem>(const QString &idOrFolder)> findProblem;
    std::function<gpu::Result<std::unique_ptr<Provider>>(
        const QString &provider, const QString &problemId)>
        makeProvider;
    std::function<std::unique_ptr<Evaluator>(const SearchConfig &)> makeEvaluator;
};

/// The real ones.
EngineParts defaultParts();

/// The search itself: a state machine that owns the session's file, the provider and the worker.
/// Lives on one thread with an event loop and never waits. What there is to do follows from the
/// stored nodes alone: a node that is Asking or Queued has its work before it, and every result is
/// stored together with the nodes that follow from it. So a search that was killed goes on exactly
/// where it was.
class Engine : public QObject {
    Q_OBJECT
public:
    explicit Engine(EngineParts parts, QObject *parent = nullptr);
    ~Engine() override;

    void create(const QString &file, const SearchConfig &config);
    void open(const QString &file);
    void resume();
    void pause();
    void stop();
    void evaluateEdit(NodeId parent, const QString &source);
    void seedFrom(NodeId node);
    void setPinned(NodeId node, bool pinned);
    void setExcluded(NodeId node, bool excluded);
    void setArchived(NodeId node, bool archived);
    NodeDetails details(NodeId node);
    /// `done` is called on this thread, perhaps before this returns; empty text after a failure.
    void assembly(NodeId node, const QString &form, std::function<void(QString)> done);

    const NodeTree &tree() const { return m_tree; }
    SearchState state() const { return m_state; }

Q_SIGNALS:
    void opened(const core::SearchConfig &config);
    void nodesChanged(const QList<core::NodeSummary> &batch);
    void progressChanged(const core::SearchProgress &progress);
    void noticed(const core::Notice &notice);
    void failed(const QString &message, bool environmentFault);
    void finished(const core::SearchOutcome &outcome);

private:
    enum class Device { Off, Starting, Ready };
    struct Question {
        NodeId node = 0;
        Request request;
    };
    struct PendingRunOff {
        quint64 ticket = 0;
        NodeId a = 0, b = 0;
    };

    // Life cycle: engine.cpp
    void refuse(const gpu::Error &error);
    bool adopt(const SearchConfig &config, SessionHead head);
    void startDevice();
    void connectProvider();
    void deviceFailed(const QString &message, gpu::Blame blame);
    void setState(SearchState state);
    void finish(const QString &message, const QString &storedState);
    void failSearch(const QString &message, bool environmentFault);
    void abandonWork();
    void notice(Notice::Level level, const QString &text, NodeId node = 0);
    /// Tells a failed store and ends the search; true if `status` is ok.
    bool stored(const gpu::Status &status);
    void change(const NodeRecord &node);
    void flag(NodeId id, bool NodeSummary::*member, bool value);
    double elapsedSeconds() const;
    std::optional<QString> spentBudget() const;
    void sendBatch(const QList<NodeId> &changed);
    SearchProgress progress() const;

    // Questions to models and their replies: asking.cpp
    Request requestFor(const NodeRecord &node) const;
    void ask(const NodeRecord &node);
    QString promptFor(const Request &request, const NodeRecord &node);
    QString ideasPromptFor(int round);
    PromptKernel kernelOf(NodeId id);
    void receiveReply(quint64 ticket, const Reply &reply);
    void receiveFailure(quint64 ticket, const QString &message);
    void receiveIdeas(const Question &question, const Reply &reply);
    void receiveCandidate(const Question &question, const Reply &reply);
    CallRecord callRecord(const Question &question, const Reply &reply, const QString &error) const;
    void addUsage(const TokenUsage &usage);

    // Close contenders: runoffs.cpp
    /// True while one runs, or if it failed the search.
    bool runOff();
    void receiveRunOff(quint64 ticket, const gpu::RunOffAnswer &answer, const QString &error);
    NodeRecord disqualified(
        NodeId id, const gpu::Evaluation &failure, const QString &message) const;
    /// Stores a run-off, and the node that fell out of it; false if that failed the search.
    bool keep(const RunOff &runOff, const std::optional<NodeRecord> &out);

    // What to do next and what follows from a result: rounds.cpp
    void scheduleAdvance();
    void advance();
    void startRound(int round);
    bool dispatch(NodeId id);
    void evaluate(const NodeRecord &node);
    void receiveEvaluation(quint64 ticket, const gpu::Evaluation &evaluation);
    void receiveStage(quint64 ticket, const QString &stage, int done, int total);
    std::optional<NodeRecord> repairOf(const NodeRecord &node);
    QList<NodeRecord> placeholders(int round, const QList<NodeId> &seeds) const;
    QList<NodeId> ideasOf(int round) const;
    void addToTree(const NodeRecord &node, const QString &source);
    /// The first node with this source; 0 if there is none.
    NodeId twinOf(const QString &source) const;
    void rememberSource(const QString &source, NodeId node);
    /// The idea with its state set to Done if `ending` was its last branch.
    std::optional<NodeRecord> ideaEndedBy(NodeId ending) const;

    EngineParts m_parts;
    SessionStore m_store;
    Publisher m_publisher;
    NodeTree m_tree;
    SearchConfig m_config;
    gpu::Problem m_problem;
    std::unique_ptr<Policy> m_policy;
    std::unique_ptr<Provider> m_provider;
    std::unique_ptr<Evaluator> m_evaluator;
    Device m_device = Device::Off;
    DeviceInfo m_deviceInfo;
    SearchState m_state = SearchState::Idle;

    std::set<NodeId> m_open; ///< Asking or Queued: have their work before them
    QHash<quint64, Question> m_questions; ///< by the provider's ticket
    QHash<quint64, NodeId> m_evaluations; ///< by the evaluator's ticket
    std::optional<PendingRunOff> m_runOff;
    QHash<quint64, std::function<void(QString)>> m_assemblies;
    QList<std::function<void()>> m_whenReady; ///< waits for the device
    QSet<NodeId> m_inFlight;
    QHash<QString, NodeId> m_sources; ///< first node with a source, by its hash
    bool m_editsToRank = false; ///< measured outside of a search
    NodeId m_forcedSeed = 0;
    TokenUsage m_usage;
    double m_elapsedBefore = 0;
    QElapsedTimer m_clock; ///< valid while the search runs
    QTimer m_tick; ///< keeps the stored elapsed time and the budget
    bool m_advanceScheduled = false;
};

} // namespace core
