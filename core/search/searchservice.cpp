#include "core/search/searchservice.h"

#include "core/search/engine.h"

#include <QPromise>
#include <QThread>

namespace core {

struct SearchService::Private {
    QThread thread;
    Engine *engine = nullptr; ///< lives on `thread`, deleted when it ends
    QString file;
    SearchConfig config;

    /// Runs `call` on the engine's thread.
    template <class Call> void post(Call call)
    {
        QMetaObject::invokeMethod(engine, std::move(call), Qt::QueuedConnection);
    }
};

SearchService::SearchService(QObject *parent)
    : SearchService(defaultParts(), parent)
{
}

SearchService::SearchService(EngineParts parts, QObject *parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>())
{
    qRegisterMetaType<core::SearchConfig>();
    qRegisterMetaType<core::SearchProgress>();
    qRegisterMetaType<core::SearchOutcome>();
    qRegisterMetaType<core::Notice>();
    qRegisterMetaType<QList<core::NodeSummary>>();
    m_d->engine = new Engine(std::move(parts));
    m_d->engine->moveToThread(&m_d->thread);
    connect(&m_d->thread, &QThread::finished, m_d->engine, &QObject::deleteLater);
    connect(m_d->engine, &Engine::opened, this, [this](const SearchConfig &config) {
        m_d->config = config;
        Q_EMIT opened(config);
    });
    connect(m_d->engine, &Engine::nodesChanged, this, &SearchService::nodesChanged);
    connect(m_d->engine, &Engine::progressChanged, this, &SearchService::progressChanged);
    connect(m_d->engine, &Engine::noticed, this, &SearchService::noticed);
    connect(m_d->engine, &Engine::failed, this, &SearchService::failed);
    connect(m_d->engine, &Engine::finished, this, &SearchService::finished);
    m_d->thread.setObjectName(QStringLiteral("engine"));
    m_d->thread.start();
}

SearchService::~SearchService()
{
    m_d->engine->disconnect(this);
    // Quitting from here could end the event loop before it has come to the stop.
    m_d->post([engine = m_d->engine] {
        engine->stop();
        engine->thread()->quit();
    });
    m_d->thread.wait();
}

void SearchService::create(const QString &sessionFile, const SearchConfig &config)
{
    m_d->file = sessionFile;
    m_d->config = config;
    m_d->post([engine = m_d->engine, sessionFile, config] { engine->create(sessionFile, config); });
}

void SearchService::open(const QString &sessionFile)
{
    m_d->file = sessionFile;
    m_d->post([engine = m_d->engine, sessionFile] { engine->open(sessionFile); });
}

void SearchService::resume()
{
    m_d->post([engine = m_d->engine] { engine->resume(); });
}

void SearchService::pause()
{
    m_d->post([engine = m_d->engine] { engine->pause(); });
}

void SearchService::stop()
{
    m_d->post([engine = m_d->engine] { engine->stop(); });
}

void SearchService::evaluateEdit(NodeId parent, const QString &source)
{
    m_d->post([engine = m_d->engine, parent, source] { engine->evaluateEdit(parent, source); });
}

void SearchService::seedFrom(NodeId node)
{
    m_d->post([engine = m_d->engine, node] { engine->seedFrom(node); });
}

void SearchService::setPinned(NodeId node, bool pinned)
{
    m_d->post([engine = m_d->engine, node, pinned] { engine->setPinned(node, pinned); });
}

void SearchService::setExcluded(NodeId node, bool excluded)
{
    m_d->post([engine = m_d->engine, node, excluded] { engine->setExcluded(node, excluded); });
}

void SearchService::setArchived(NodeId node, bool archived)
{
    m_d->post([engine = m_d->engine, node, archived] { engine->setArchived(node, archived); });
}

QFuture<NodeDetails> SearchService::details(NodeId node)
{
    const auto promise = std::make_shared<QPromise<NodeDetails>>();
    QFuture<NodeDetails> future = promise->future();
    promise->start();
    m_d->post([engine = m_d->engine, node, promise] {
        promise->addResult(engine->details(node));
        promise->finish();
    });
    return future;
}

QFuture<QString> SearchService::assembly(NodeId node, const QString &form)
{
    const auto promise = std::make_shared<QPromise<QString>>();
    QFuture<QString> future = promise->future();
    promise->start();
    m_d->post([engine = m_d->engine, node, form, promise] {
        engine->assembly(node, form, [promise](const QString &text) {
            promise->addResult(text);
            promise->finish();
        });
    });
    return future;
}

QString SearchService::sessionFile() const
{
    return m_d->file;
}

SearchConfig SearchService::config() const
{
    return m_d->config;
}

} // namespace core
