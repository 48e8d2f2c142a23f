#include "core/commandline/listcommand.h"

#include "core/evaluation/workerclient.h"
#include "core/problem/catalogue.h"
#include "core/problem/resources.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

namespace core {

namespace {
using nlohmann::json;

json texts(const QStringList &list)
{
    json result = json::array();
    for (const QString &text : list)
        result.push_back(text.toStdString());
    return result;
}
} // namespace

ExitCode problemsCommand(bool wantsJson)
{
    const QList<CatalogueEntry> entries = listProblems();
    if (entries.isEmpty())
        return fail(gpu::environmentError("No problems were found. Set ESPALIER_RESOURCES to the "
                                          "folder that holds problems/."));
    json list = json::array();
    for (const CatalogueEntry &entry : entries) {
        list.push_back({{"id", entry.id.toStdString()}, {"title", entry.title.toStdString()},
            {"folder", entry.folder.toStdString()}, {"precision", entry.precision.toStdString()},
            {"sizes", texts(entry.sizes)}, {"recording", entry.hasRecording},
            {"error", entry.error.isEmpty() ? json() : json(entry.error.toStdString())}});
        if (!wantsJson)
            print(QStringLiteral("%1 %2%3")
                      .arg(entry.id, -20)
                      .arg(entry.error.isEmpty() ? entry.title
                                                 : QStringLiteral("cannot be used: ") + entry.error,
                          entry.hasRecording ? QStringLiteral(" (with a recording)") : QString()));
    }
    if (wantsJson)
        print(json{{"problems", list}});
    return ExitCode::Done;
}

ExitCode devicesCommand(const QString &workerCommand, bool wantsJson)
{
    WorkerClient worker(workerCommand.isEmpty() ? defaultWorkerCommand() : workerCommand);
    std::optional<DeviceInfo> found;
    gpu::Error error;
    QObject::connect(&worker, &Evaluator::started, qApp, [&](const DeviceInfo &device) {
        found = device;
        QCoreApplication::quit();
    });
    QObject::connect(
        &worker, &Evaluator::failed, qApp, [&](const QString &message, gpu::Blame blame) {
            error = {blame, message.toStdString()};
            QCoreApplication::quit();
        });
    worker.probe();
    QCoreApplication::exec();
    if (!found)
        return fail(error);
    const DeviceInfo &device = *found;
    if (wantsJson) {
        const json entry{{"kind", device.kind.toStdString()}, {"id", device.id.toStdString()},
            {"name", device.name.toStdString()},
            {"architecture", device.architecture.toStdString()}, {"sm_count", device.smCount},
            {"max_shared", device.maxSharedBytes}, {"memory_bytes", device.memoryBytes},
            {"compiler", device.compiler.isEmpty() ? json() : json(device.compiler.toStdString())},
            {"missing", texts(device.missing)}, {"warnings", texts(device.warnings)}};
        print(json{{"devices", {entry}}});
    } else {
        print(QStringLiteral("%1 %2, %3, %4")
                  .arg(device.id, -8)
                  .arg(device.name, device.architecture,
                      device.compiler.isEmpty() ? QStringLiteral("no compiler") : device.compiler));
        for (const QString &text : device.missing)
            complain(text);
        for (const QString &text : device.warnings)
            complain(text);
    }
    return device.compiler.isEmpty() ? ExitCode::Environment : ExitCode::Done;
}

} // namespace core
