#include "core/provider/providers.h"

#include "core/problem/catalogue.h"
#include "core/problem/resources.h"
#include "core/provider/replay.h"

#include <QFileInfo>

namespace core {

namespace {
const QString Replay = QStringLiteral("replay");

gpu::Result<Recording> recordingFor(const QString &provider, const QString &problemId)
{
    if (provider == Replay) {
        const QString folder = findResource(QStringLiteral("recordings/") + problemId);
        if (folder.isEmpty())
            return gpu::callerError(
                QStringLiteral("There is no recording for the problem `%1`. Name "
                               "one with --provider replay:FOLDER.")
                    .arg(problemId)
                    .toStdString());
        return loadRecording(folder);
    }
    const QString path = provider.mid(Replay.size() + 1);
    return QFileInfo(path).isFile() ? recordingFromSession(path) : loadRecording(path);
}

bool isReplay(const QString &provider)
{
    return provider == Replay || provider.startsWith(Replay + QLatin1Char(':'));
}
} // namespace

gpu::Result<std::unique_ptr<Provider>> makeProvider(
    const QString &provider, const QString &problemId)
{
    if (!isReplay(provider))
        return gpu::callerError(QStringLiteral("There is no provider `%1`. Known ones: replay, "
                                               "replay:FOLDER, replay:SESSION.")
                                    .arg(provider)
                                    .toStdString());
    gpu::Result<Recording> recording = recordingFor(provider, problemId);
    if (!recording)
        return recording.error();
    if (recording->problem != problemId)
        return gpu::callerError(
            QStringLiteral("The recording %1 is of the problem `%2`, not of `%3`.")
                .arg(recording->name, recording->problem, problemId)
                .toStdString());
    return std::unique_ptr<Provider>(std::make_unique<ReplayProvider>(std::move(*recording)));
}

SearchConfig defaultConfig(const QString &problem, const QString &provider)
{
    SearchConfig config;
    config.problem = problem;
    config.provider = provider;
    if (!isReplay(provider))
        return config;
    QString id = problem;
    if (provider == Replay && problem.contains(QLatin1Char('/'))) {
        if (const gpu::Result<gpu::Problem> found = findProblem(problem))
            id = QString::fromStdString(found->id);
    }
    const gpu::Result<Recording> recording = recordingFor(provider, id);
    if (!recording)
        return config;
    if (recording->rounds > 0)
        config.rounds = recording->rounds;
    if (recording->ideas > 0)
        config.ideas = recording->ideas;
    if (recording->branches > 0)
        config.branches = recording->branches;
    config.repairs = recording->repairs;
    return config;
}

} // namespace core
