#include "core/commandline/searchcommand.h"

#include "core/commandline/interrupt.h"
#include "core/commandline/progressprinter.h"
#include "core/search/searchservice.h"
#include "core/session/sessionname.h"
#include "core/session/storedsession.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

namespace core {

namespace {
/// What a run of the event loop ended with.
struct Ending {
    std::optional<SearchOutcome> outcome;
    QString failure;
    bool environmentFault = false;
};

ExitCode report(const QString &file, const Ending &ending, bool json)
{
    if (!ending.outcome) {
        complain(ending.failure);
        return ending.environmentFault ? ExitCode::Environment : ExitCode::WrongCall;
    }
    const SearchOutcome &outcome = *ending.outcome;
    StoredSession session;
    if (gpu::Status status = session.load(file); !status)
        return fail(status.error());
    if (json) {
        nlohmann::json document = toJson(session);
        document["message"] = outcome.message.toStdString();
        print(document);
    } else {
        std::fprintf(stderr, "%s\n", outcome.message.toUtf8().constData());
        print(QStringLiteral("session %1").arg(file));
        if (outcome.best)
            print(QStringLiteral("best #%1 %2x %3")
                      .arg(*outcome.best)
                      .arg(outcome.bestSpeedup.value_or(1), 0, 'f', 2)
                      .arg(session.tree.at(*outcome.best).summary.title));
    }
    if (outcome.state == SearchState::Failed) {
        if (json)
            complain(outcome.message);
        return outcome.environmentFault ? ExitCode::Environment : ExitCode::AnswerIsNo;
    }
    // The seed itself is no find.
    const bool found = outcome.best && *outcome.best != 1 && outcome.bestSpeedup.value_or(0) > 1;
    return found ? ExitCode::Done : ExitCode::AnswerIsNo;
}

/// Runs the service until it ends; `begin` starts the work.
Ending run(SearchService &service, ProgressPrinter &printer, const std::function<void()> &begin)
{
    Ending ending;
    QObject::connect(&service, &SearchService::nodesChanged, qApp,
        [&](const QList<NodeSummary> &batch) { printer.nodes(batch); });
    QObject::connect(&service, &SearchService::progressChanged, qApp,
        [&](const SearchProgress &progress) { printer.progress(progress); });
    QObject::connect(&service, &SearchService::noticed, qApp,
        [&](const Notice &notice) { printer.notice(notice); });
    QObject::connect(
        &service, &SearchService::failed, qApp, [&](const QString &message, bool environment) {
            ending.failure = message;
            ending.environmentFault = environment;
            QCoreApplication::quit();
        });
    QObject::connect(&service, &SearchService::finished, qApp, [&](const SearchOutcome &outcome) {
        ending.outcome = outcome;
        QCoreApplication::quit();
    });
    Interrupt interrupt;
    QObject::connect(&interrupt, &Interrupt::raised, qApp, [&] {
        printer.notice({Notice::Level::Info, QStringLiteral("Stopping."), 0});
        service.stop();
    });
    // A signal that came before anything could be stopped must not be lost.
    QMetaObject::invokeMethod(qApp, begin, Qt::QueuedConnection);
    QCoreApplication::exec();
    printer.end();
    return ending;
}
} // namespace

ExitCode searchCommand(const SearchConfig &config, QString sessionFile, bool json)
{
    if (sessionFile.isEmpty())
        sessionFile = freshSessionFile({}, config.problem);
    ProgressPrinter printer;
    Ending ending;
    {
        SearchService service;
        ending = run(service, printer, [&] { service.create(sessionFile, config); });
    }
    return report(sessionFile, ending, json);
}

ExitCode resumeCommand(const QString &sessionFile, bool json)
{
    ProgressPrinter printer;
    Ending ending;
    {
        SearchService service;
        printer.skipEnded(true);
        // The stored nodes come in one batch right after `opened`.
        QObject::connect(&service, &SearchService::opened, qApp, [&] {
            QObject::connect(
                &service, &SearchService::nodesChanged, qApp, [&, first = true]() mutable {
                    if (std::exchange(first, false))
                        printer.skipEnded(false);
                });
            service.resume();
        });
        ending = run(service, printer, [&] { service.open(sessionFile); });
    }
    return report(sessionFile, ending, json);
}

} // namespace core
