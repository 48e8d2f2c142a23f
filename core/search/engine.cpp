#include "core/search/engine.h"

#include "core/evaluation/workerclient.h"
#include "core/problem/catalogue.h"
#include "core/problem/resources.h"
#include "core/provider/providers.h"

#include <QFileInfo>

namespace core {

namespace {
constexpr int TickMs = 1000;
const QString ForcedSeedKey = QStringLiteral("forced_seed");
const QString ElapsedKey = QStringLiteral("elapsed_seconds");

gpu::Status check(const SearchConfig &config, const gpu::Problem &problem)
{
    const auto caller = [](const QString &text) { return gpu::callerError(text.toStdString()); };
    if (config.rounds < 0 || config.seeds < 1 || config.ideas < 1 || config.branches < 1
        || config.repairs < 0)
        return caller(QStringLiteral("Rounds and repairs must be at least 0; seeds, ideas and "
                                     "branches at least 1."));
    if (const gpu::Result<gpu::Dims> dims = problem.dimsAt(config.size.toStdString()); !dims)
        return dims.error();
    if (config.workerCommand.isEmpty() && config.device != QLatin1String("cpu"))
        return gpu::environmentError(
            QStringLiteral("The device `%1` is not available: this build has the CPU device only. "
                           "Use --device cpu.")
                .arg(config.device)
                .toStdString());
    return gpu::Unit{};
}
} // namespace

EngineParts defaultParts()
{
    return {findProblem, makeProvider, [](const SearchConfig &config) {
                const QString command = config.workerCommand.isEmpty() ? defaultWorkerCommand()
                                                                       : config.workerCommand;
                return std::unique_ptr<Evaluator>(std::make_unique<WorkerClient>(command));
            }};
}

Engine::Engine(EngineParts parts, QObject *parent)
    : QObject(parent)
    , m_parts(std::move(parts))
    , m_publisher(this)
    , m_tick(this)
{
    connect(&m_publisher, &Publisher::due, this, &Engine::sendBatch);
    m_tick.setInterval(TickMs);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        stored(m_store.setMeta(ElapsedKey, QString::number(elapsedSeconds())));
        m_publisher.touch();
        scheduleAdvance();
    });
}

Engine::~Engine() = default;

void Engine::refuse(const gpu::Error &error)
{
    m_store.close();
    m_state = SearchState::Failed;
    Q_EMIT failed(QString::fromStdString(error.message), error.blame == gpu::Blame::Environment);
}

void Engine::create(const QString &file, const SearchConfig &wanted)
{
    SearchConfig config = wanted;
    const gpu::Result<gpu::Problem> problem = m_parts.findProblem(config.problem);
    if (!problem)
        return refuse(problem.error());
    if (gpu::Status status = check(config, *problem); !status)
        return refuse(status.error());
    // The session must resume from any folder.
    const QString prefix = QStringLiteral("replay:");
    if (config.provider.startsWith(prefix))
        config.provider = prefix + QFileInfo(config.provider.mid(prefix.size())).absoluteFilePath();
    gpu::Result<std::unique_ptr<Provider>> provider
        = m_parts.makeProvider(config.provider, QString::fromStdString(problem->id));
    if (!provider)
        return refuse(provider.error());
    const gpu::Result<std::unique_ptr<Policy>> policy = makePolicy(config.policy);
    if (!policy)
        return refuse(policy.error());
    NodeRecord root;
    root.summary.id = 1;
    root.summary.author = QStringLiteral("seed");
    root.summary.title = QStringLiteral("Seed: %1").arg(QString::fromStdString(problem->title));
    const QString source = QString::fromStdString(problem->seedSource);
    if (gpu::Status status
        = m_store.create(file, config, *problem, [&] { return m_store.addNode(root, {}, source); });
        !status)
        return refuse(status.error());
    if (!adopt(config, {config, *problem, {}, {}, {}, 0}))
        return;
    m_provider = std::move(*provider);
    connectProvider();
    addToTree(root, source);
    resume();
}

void Engine::open(const QString &file)
{
    if (gpu::Status status = m_store.openForWriting(file); !status)
        return refuse(status.error());
    gpu::Result<SessionHead> head = m_store.head();
    if (!head)
        return refuse(head.error());
    const gpu::Result<QList<NodeRecord>> nodes = m_store.nodes();
    if (!nodes)
        return refuse(nodes.error());
    const gpu::Result<QList<RunOff>> runOffs = m_store.runOffs();
    if (!runOffs)
        return refuse(runOffs.error());
    const gpu::Result<TokenUsage> usage = m_store.usage();
    if (!usage)
        return refuse(usage.error());
    const gpu::Result<QString> forced = m_store.meta(ForcedSeedKey);
    if (!forced)
        return refuse(forced.error());
    m_usage = *usage;
    m_forcedSeed = forced->toUInt();
    const SearchConfig config = head->config;
    if (!adopt(config, std::move(*head)))
        return;
    for (const NodeRecord &node : *nodes) {
        if (node.summary.id != m_tree.nextId()) {
            refuse(gpu::callerError(QStringLiteral("%1 is damaged: node %2 is missing. Restore it "
                                                   "from a copy.")
                                        .arg(file)
                                        .arg(m_tree.nextId())
                                        .toStdString()));
            return;
        }
        const gpu::Result<QString> source = m_store.source(node.summary.id);
        if (!source)
            return refuse(source.error());
        addToTree(node, *source);
    }
    for (const RunOff &runOff : *runOffs)
        m_tree.addRunOff(runOff);
    m_publisher.flush();
}

bool Engine::adopt(const SearchConfig &config, SessionHead head)
{
    m_config = config;
    m_problem = std::move(head.problem);
    m_elapsedBefore = head.elapsedSeconds;
    m_deviceInfo.name = head.deviceName;
    gpu::Result<std::unique_ptr<Policy>> policy = makePolicy(config.policy);
    if (!policy) {
        refuse(policy.error());
        return false;
    }
    m_policy = std::move(*policy);
    Q_EMIT opened(config);
    return true;
}

void Engine::connectProvider()
{
    connect(m_provider.get(), &Provider::replied, this, &Engine::receiveReply);
    connect(m_provider.get(), &Provider::failed, this, &Engine::receiveFailure);
}

void Engine::resume()
{
    if (!m_store.isOpen() || m_state == SearchState::Running || m_state == SearchState::Starting)
        return;
    if (!m_provider) {
        gpu::Result<std::unique_ptr<Provider>> provider
            = m_parts.makeProvider(m_config.provider, QString::fromStdString(m_problem.id));
        if (!provider) {
            failSearch(QString::fromStdString(provider.error().message),
                provider.error().blame == gpu::Blame::Environment);
            return;
        }
        m_provider = std::move(*provider);
        connectProvider();
    }
    if (!m_clock.isValid())
        m_clock.start();
    m_tick.start();
    setState(m_device == Device::Ready ? SearchState::Running : SearchState::Starting);
    if (!stored(m_store.setState(name(SearchState::Running), {})))
        return;
    startDevice();
    scheduleAdvance();
}

void Engine::startDevice()
{
    if (m_device != Device::Off)
        return;
    m_device = Device::Starting;
    m_evaluator = m_parts.makeEvaluator(m_config);
    Evaluator *evaluator = m_evaluator.get();
    connect(evaluator, &Evaluator::evaluated, this, &Engine::receiveEvaluation);
    connect(evaluator, &Evaluator::compared, this, &Engine::receiveRunOff);
    connect(evaluator, &Evaluator::stageChanged, this, &Engine::receiveStage);
    connect(evaluator, &Evaluator::failed, this, &Engine::deviceFailed);
    connect(evaluator, &Evaluator::warned, this,
        [this](const QString &text) { notice(Notice::Level::Warning, text); });
    connect(evaluator, &Evaluator::assembled, this,
        [this](quint64 ticket, const QString &text, const QString &error) {
            if (!error.isEmpty())
                notice(Notice::Level::Error, error);
            if (const auto done = m_assemblies.take(ticket))
                done(text);
        });
    connect(evaluator, &Evaluator::started, this, [this](const DeviceInfo &device) {
        m_device = Device::Ready;
        m_deviceInfo = device;
        if (!stored(m_store.setMeta(QStringLiteral("device"), device.name)))
            return;
        if (m_state == SearchState::Starting)
            setState(SearchState::Running);
        for (const auto &action : std::exchange(m_whenReady, {}))
            action();
        scheduleAdvance();
    });
    evaluator->start(m_problem);
}

void Engine::deviceFailed(const QString &message, gpu::Blame blame)
{
    m_device = Device::Off;
    const bool environment = blame == gpu::Blame::Environment;
    const bool wasStarting = m_state == SearchState::Starting;
    const bool searched = m_clock.isValid();
    abandonWork();
    // Edits end here, or they would run unasked with the next one; a search's nodes wait for
    // resume.
    const std::set<NodeId> open = m_open;
    for (const NodeId id : open) {
        NodeRecord node = m_tree.at(id);
        if (node.summary.kind != NodeKind::Edit)
            continue;
        node.summary.state = NodeState::Done;
        node.summary.verdict = gpu::Verdict::EnvironmentError;
        node.summary.message = message;
        if (!stored(m_store.updateNode(node)))
            return;
        change(node);
    }
    if (searched && !wasStarting) {
        failSearch(message, environment);
        return;
    }
    m_tick.stop();
    m_clock.invalidate();
    setState(SearchState::Failed);
    m_publisher.flush();
    Q_EMIT failed(message, environment);
}

void Engine::pause()
{
    if (m_state != SearchState::Running && m_state != SearchState::Starting)
        return;
    setState(SearchState::Pausing);
    scheduleAdvance();
}

void Engine::stop()
{
    if (m_state == SearchState::Finished || m_state == SearchState::Failed
        || m_state == SearchState::Idle)
        return;
    setState(SearchState::Stopping);
    abandonWork();
    finish(QStringLiteral("Stopped. Everything so far is in %1; continue with `espalier resume`.")
               .arg(m_store.file()),
        QStringLiteral("stopped"));
}

void Engine::abandonWork()
{
    if (m_provider) {
        for (auto question = m_questions.cbegin(); question != m_questions.cend(); ++question)
            m_provider->cancel(question.key());
    }
    m_questions.clear();
    m_evaluations.clear();
    m_runOff.reset();
    if (m_evaluator) {
        m_evaluator->disconnect(this);
        m_evaluator->shutDown();
        // It may be on the stack above us.
        m_evaluator.release()->deleteLater();
    }
    m_device = Device::Off;
    m_whenReady.clear();
    for (const auto &done : std::exchange(m_assemblies, {}))
        done({});
    for (const NodeId id : std::exchange(m_inFlight, {})) {
        NodeRecord node = m_tree.at(id);
        if (node.summary.state != NodeState::Asking)
            node.summary.state = NodeState::Queued;
        change(node);
    }
}

void Engine::finish(const QString &message, const QString &storedState)
{
    m_elapsedBefore = elapsedSeconds();
    m_clock.invalidate();
    m_tick.stop();
    const gpu::Status kept = m_store.together([&]() -> gpu::Status {
        if (gpu::Status status = m_store.setMeta(ElapsedKey, QString::number(m_elapsedBefore));
            !status)
            return status;
        if (gpu::Status status = m_store.setMeta(QStringLiteral("state"), storedState); !status)
            return status;
        return m_store.setMeta(QStringLiteral("message"), message);
    });
    if (!stored(kept))
        return;
    setState(SearchState::Finished);
    m_publisher.flush();
    SearchOutcome outcome;
    outcome.best = m_tree.best();
    if (outcome.best)
        outcome.bestSpeedup = m_tree.at(*outcome.best).summary.speedup;
    outcome.message = message;
    Q_EMIT finished(outcome);
}

void Engine::failSearch(const QString &message, bool environmentFault)
{
    abandonWork();
    m_elapsedBefore = elapsedSeconds();
    m_clock.invalidate();
    m_tick.stop();
    // The disk may be what failed: then this fails too, and the session says "running", as after a
    // kill.
    const gpu::Status ignored = m_store.setState(name(SearchState::Failed), message);
    static_cast<void>(ignored);
    setState(SearchState::Failed);
    m_publisher.flush();
    SearchOutcome outcome;
    outcome.state = SearchState::Failed;
    outcome.best = m_tree.best();
    if (outcome.best)
        outcome.bestSpeedup = m_tree.at(*outcome.best).summary.speedup;
    outcome.message = message;
    outcome.environmentFault = environmentFault;
    Q_EMIT finished(outcome);
}

bool Engine::stored(const gpu::Status &status)
{
    if (status)
        return true;
    if (m_state != SearchState::Failed)
        failSearch(QString::fromStdString(status.error().message),
            status.error().blame == gpu::Blame::Environment);
    return false;
}

void Engine::setState(SearchState state)
{
    m_state = state;
    m_publisher.touch();
}

void Engine::notice(Notice::Level level, const QString &text, NodeId node)
{
    Q_EMIT noticed({level, text, node});
}

void Engine::change(const NodeRecord &node)
{
    const NodeId id = node.summary.id;
    for (const NodeId changed : m_tree.update(node))
        m_publisher.nodeChanged(changed);
    if (hasEnded(node.summary))
        m_open.erase(id);
    // A new time of the root changes every speed-up.
    if (id == 1 && node.summary.state == NodeState::Done) {
        for (NodeId other = 2; other < m_tree.nextId(); ++other) {
            m_tree.update(NodeRecord(m_tree.at(other)));
            m_publisher.nodeChanged(other);
        }
    }
}

void Engine::flag(NodeId id, bool NodeSummary::*member, bool value)
{
    if (!m_store.isOpen() || !m_tree.contains(id))
        return;
    NodeRecord node = m_tree.at(id);
    if (node.summary.*member == value)
        return;
    node.summary.*member = value;
    if (stored(m_store.updateNode(node)))
        change(node);
}

void Engine::setPinned(NodeId node, bool pinned)
{
    flag(node, &NodeSummary::pinned, pinned);
}

void Engine::setExcluded(NodeId node, bool excluded)
{
    flag(node, &NodeSummary::excluded, excluded);
}

void Engine::setArchived(NodeId node, bool archived)
{
    flag(node, &NodeSummary::archived, archived);
}

void Engine::evaluateEdit(NodeId parent, const QString &source)
{
    if (!m_store.isOpen() || !m_tree.contains(parent)) {
        notice(Notice::Level::Error,
            QStringLiteral("Node %1 does not exist; nothing was evaluated.").arg(parent));
        return;
    }
    NodeRecord node;
    node.path.edit = m_tree.editCount() + 1;
    node.summary.id = m_tree.nextId();
    node.summary.parent = parent;
    node.summary.kind = NodeKind::Edit;
    node.summary.round = m_tree.at(parent).summary.round;
    node.summary.author = QStringLiteral("human");
    node.summary.title = QStringLiteral("Edit of #%1").arg(parent);
    node.summary.category = m_tree.at(parent).summary.category;
    if (!stored(m_store.addNode(node, {}, source)))
        return;
    addToTree(node, source);
    if (m_state == SearchState::Failed)
        setState(SearchState::Idle);
    startDevice();
    scheduleAdvance();
}

void Engine::seedFrom(NodeId id)
{
    if (!m_store.isOpen() || !m_tree.contains(id))
        return;
    if (m_tree.at(id).summary.verdict != gpu::Verdict::Ok) {
        notice(Notice::Level::Error,
            QStringLiteral("Node #%1 cannot seed a round: only a kernel whose verdict is ok can.")
                .arg(id),
            id);
        return;
    }
    if (!stored(m_store.setMeta(ForcedSeedKey, QString::number(id))))
        return;
    m_forcedSeed = id;
    notice(Notice::Level::Info, QStringLiteral("The next round starts from #%1.").arg(id), id);
    const bool ended = m_state == SearchState::Finished || m_state == SearchState::Failed
        || m_state == SearchState::Idle;
    if (ended)
        resume();
}

NodeDetails Engine::details(NodeId node)
{
    if (!m_store.isOpen() || !m_tree.contains(node))
        return {};
    gpu::Result<NodeDetails> details = m_store.details(node);
    if (!details) {
        notice(Notice::Level::Error, QString::fromStdString(details.error().message), node);
        return {};
    }
    details->summary = m_tree.at(node).summary;
    return *details;
}

void Engine::assembly(NodeId node, const QString &form, std::function<void(QString)> done)
{
    const gpu::Result<QString> source
        = m_store.isOpen() ? m_store.source(node) : gpu::Result<QString>(QString());
    if (!source || source->isEmpty()) {
        notice(Notice::Level::Error, QStringLiteral("Node #%1 has no source.").arg(node), node);
        done({});
        return;
    }
    const auto askDevice = [this, source = *source, form, done] {
        const quint64 ticket = m_evaluator->assemble({source, m_config.size, {}}, form);
        m_assemblies.insert(ticket, done);
    };
    if (m_device == Device::Ready) {
        askDevice();
        return;
    }
    m_whenReady.append(askDevice);
    startDevice();
}

double Engine::elapsedSeconds() const
{
    return m_elapsedBefore
        + (m_clock.isValid() ? static_cast<double>(m_clock.elapsed()) / 1000.0 : 0.0);
}

std::optional<QString> Engine::spentBudget() const
{
    if (m_config.budgetMinutes && elapsedSeconds() >= *m_config.budgetMinutes * 60)
        return QStringLiteral("%1 minutes").arg(*m_config.budgetMinutes);
    const qint64 tokens = m_usage.input + m_usage.reasoning + m_usage.output;
    if (m_config.budgetTokens && tokens >= *m_config.budgetTokens)
        return QStringLiteral("%1 tokens").arg(*m_config.budgetTokens);
    if (m_config.budgetUsd && m_usage.costUsd > 0 && m_usage.costUsd >= *m_config.budgetUsd)
        return QStringLiteral("%1 USD").arg(*m_config.budgetUsd);
    return std::nullopt;
}

void Engine::sendBatch(const QList<NodeId> &changed)
{
    QList<NodeSummary> batch;
    batch.reserve(changed.size());
    for (const NodeId id : changed)
        batch.append(m_tree.at(id).summary);
    if (!batch.isEmpty())
        Q_EMIT nodesChanged(batch);
    Q_EMIT progressChanged(progress());
}

SearchProgress Engine::progress() const
{
    SearchProgress progress;
    progress.state = m_state;
    progress.round = m_tree.lastRound();
    progress.rounds = std::max(m_config.rounds, m_tree.lastRound());
    int repairs = 0;
    for (const NodeRecord &node : m_tree.all()) {
        const NodeSummary &s = node.summary;
        if (s.kind == NodeKind::Idea) {
            progress.ideas += s.state != NodeState::Asking && s.state != NodeState::Lost;
            progress.asking += m_inFlight.contains(s.id);
            continue;
        }
        ++progress.candidates;
        repairs += s.kind == NodeKind::Repair || s.kind == NodeKind::Edit;
        progress.candidatesDone += hasEnded(s);
        progress.asking += s.state == NodeState::Asking;
        progress.queued += s.state == NodeState::Queued;
        progress.compiling += s.state == NodeState::Compiling;
        progress.checking += s.state == NodeState::Checking;
        progress.timing += s.state == NodeState::Timing;
    }
    progress.candidatesExpected
        = 1 + progress.rounds * m_config.ideas * m_config.branches + repairs;
    progress.runOffs = m_runOff ? 1 : 0;
    progress.best = m_tree.best();
    if (progress.best)
        progress.bestSpeedup = m_tree.at(*progress.best).summary.speedup;
    progress.usage = m_usage;
    progress.elapsedSeconds = elapsedSeconds();
    const int left = progress.candidatesExpected - progress.candidatesDone;
    if (m_clock.isValid() && progress.candidatesDone > 1 && left >= 0)
        progress.remainingSeconds = progress.elapsedSeconds / progress.candidatesDone * left;
    progress.deviceName = m_deviceInfo.name;
    return progress;
}

} // namespace core
