#pragma once

#include "fakes.h"

#include <QTemporaryDir>
#include <QTest>

/// A search of an engine on the test's own thread, with fakes on both sides.
class EngineRun {
public:
    EngineRun()
    {
        config.problem = QStringLiteral("toy");
        config.rounds = 2;
        config.ideas = 2;
        config.branches = 2;
        config.repairs = 1;
        start();
    }

    void start()
    {
        engine = std::make_unique<core::Engine>(bench.parts());
        QObject::connect(engine.get(), &core::Engine::finished, engine.get(),
            [this](const core::SearchOutcome &o) { outcome = o; });
        QObject::connect(engine.get(), &core::Engine::failed, engine.get(),
            [this](const QString &message, bool) { failure = message; });
        QObject::connect(engine.get(), &core::Engine::noticed, engine.get(),
            [this](const core::Notice &n) { notices.append(n.text); });
    }

    bool search()
    {
        engine->create(file(), config);
        return ended();
    }

    bool ended()
    {
        return QTest::qWaitFor([this] { return outcome || !failure.isEmpty(); }, 10000);
    }

    /// Path, kind, state and verdict of each node: what two runs must agree on.
    QStringList nodes() const
    {
        QStringList result;
        for (const core::NodeRecord &node : engine->tree().all()) {
            const core::NodeSummary &s = node.summary;
            const std::string_view verdict = s.verdict ? gpu::name(*s.verdict) : "-";
            result.append(QStringLiteral("%1 %2 %3 %4")
                              .arg(core::text(node.path), core::name(s.kind), core::name(s.state),
                                  QString::fromUtf8(verdict.data(), qsizetype(verdict.size()))));
        }
        result.sort();
        return result;
    }

    core::NodeSummary at(const char *path) const
    {
        const core::NodeId id
            = engine->tree().find(*core::nodePathFromText(QString::fromLatin1(path)));
        return id != 0 ? engine->tree().at(id).summary : core::NodeSummary{};
    }

    QString file() const { return dir.filePath(QStringLiteral("s.espalier")); }

    QTemporaryDir dir;
    fakes::Bench bench;
    core::SearchConfig config;
    std::unique_ptr<core::Engine> engine;
    std::optional<core::SearchOutcome> outcome;
    QString failure;
    QStringList notices;
};
