#pragma once

#include "core/search/searchservice.h"

#include <QPromise>

/// A search without engine, file or worker: notes what the window asks for and says what the test
/// wants said. Details are answered at once unless `holdDetails`.
class FakeService : public core::SearchService {
public:
    QStringList calls;
    QString file;
    core::SearchConfig created;
    QHash<core::NodeId, core::NodeDetails> stored;
    bool holdDetails = false;
    QList<std::pair<core::NodeId, std::shared_ptr<QPromise<core::NodeDetails>>>> held;
    QString editSource;

    void create(const QString &sessionFile, const core::SearchConfig &config) override
    {
        file = sessionFile;
        created = config;
        calls << QStringLiteral("create");
    }
    void open(const QString &sessionFile) override
    {
        file = sessionFile;
        calls << QStringLiteral("open");
    }
    void resume() override { calls << QStringLiteral("resume"); }
    void pause() override { calls << QStringLiteral("pause"); }
    void stop() override { calls << QStringLiteral("stop"); }
    void evaluateEdit(core::NodeId parent, const QString &source) override
    {
        editSource = source;
        calls << QStringLiteral("edit %1").arg(parent);
    }
    void seedFrom(core::NodeId node) override { calls << QStringLiteral("seed %1").arg(node); }
    void setPinned(core::NodeId node, bool on) override
    {
        calls << QStringLiteral("pin %1 %2").arg(node).arg(on);
    }
    void setExcluded(core::NodeId node, bool on) override
    {
        calls << QStringLiteral("exclude %1 %2").arg(node).arg(on);
    }
    void setArchived(core::NodeId node, bool on) override
    {
        calls << QStringLiteral("archive %1 %2").arg(node).arg(on);
    }
    QFuture<core::NodeDetails> details(core::NodeId node) override
    {
        auto promise = std::make_shared<QPromise<core::NodeDetails>>();
        promise->start();
        if (holdDetails)
            held.append({node, promise});
        else
            answer(node, *promise);
        return promise->future();
    }
    void answer(core::NodeId node, QPromise<core::NodeDetails> &promise)
    {
        promise.addResult(stored.value(node));
        promise.finish();
    }
    QFuture<QString> assembly(core::NodeId node, const QString &form) override
    {
        calls << QStringLiteral("%1 %2").arg(form).arg(node);
        QPromise<QString> promise;
        promise.start();
        promise.addResult(QStringLiteral("assembly of #%1").arg(node));
        promise.finish();
        return promise.future();
    }
    QString sessionFile() const override { return file; }
    core::SearchConfig config() const override { return created; }
};
