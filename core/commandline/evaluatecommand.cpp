#include "core/commandline/evaluatecommand.h"

#include "core/commandline/interrupt.h"
#include "core/commandline/progressprinter.h"
#include "core/evaluation/workerclient.h"
#include "core/problem/catalogue.h"
#include "core/problem/resources.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QFile>

#include <cstdio>
#include <unistd.h>

namespace core {

namespace {
constexpr qint64 MaxSourceBytes = 16 << 20;

gpu::Result<QString> readSource(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return gpu::callerError(
            QStringLiteral("%1 cannot be read: %2. Name a candidate's .cu file.")
                .arg(path, file.errorString())
                .toStdString());
    if (file.size() > MaxSourceBytes)
        return gpu::callerError(
            QStringLiteral("%1 is larger than %2 MiB; that is no candidate's source.")
                .arg(path)
                .arg(MaxSourceBytes >> 20)
                .toStdString());
    return QString::fromUtf8(file.readAll());
}

void printSummary(const gpu::Evaluation &evaluation)
{
    print(QStringLiteral("%1%2").arg(verdictName(evaluation.verdict),
        evaluation.message.empty()
            ? QString()
            : QStringLiteral(": ") + QString::fromStdString(evaluation.message)));
    if (evaluation.time)
        print(
            QStringLiteral("time %1 [%2, %3], %4 samples, on %5%6")
                .arg(timeText(evaluation.time->medianUs), timeText(evaluation.time->lowUs),
                    timeText(evaluation.time->highUs))
                .arg(evaluation.time->samplesUs.size())
                .arg(QString::fromStdString(evaluation.deviceName),
                    evaluation.deviceKind == "cpu" ? QStringLiteral(" (a CPU time)") : QString()));
    if (!evaluation.precision.precisionClass.empty())
        print(QStringLiteral("precision %1, error %2")
                  .arg(QString::fromStdString(evaluation.precision.precisionClass))
                  .arg(evaluation.precision.error));
    for (const gpu::KernelResources &kernel : evaluation.resources)
        print(QStringLiteral("%1: %2 registers, %3 bytes shared, %4 bytes spilled")
                  .arg(QString::fromStdString(kernel.kernel))
                  .arg(kernel.registers)
                  .arg(kernel.sharedBytes)
                  .arg(kernel.spillStoreBytes + kernel.spillLoadBytes));
}
} // namespace

ExitCode evaluateCommand(const EvaluateOptions &options)
{
    const gpu::Result<gpu::Problem> problem = findProblem(options.problem);
    if (!problem)
        return fail(problem.error());
    if (const gpu::Result<gpu::Dims> dims = problem->dimsAt(options.size.toStdString()); !dims)
        return fail(dims.error());
    const gpu::Result<QString> source = readSource(options.file);
    if (!source)
        return fail(source.error());

    WorkerClient worker(
        options.workerCommand.isEmpty() ? defaultWorkerCommand() : options.workerCommand);
    std::optional<gpu::Evaluation> result;
    gpu::Error error;
    const bool isTerminal = ::isatty(STDERR_FILENO) != 0;
    const auto tell = [isTerminal](const QString &text) {
        if (isTerminal)
            std::fprintf(stderr, "\r\033[K%s", text.toUtf8().constData());
    };
    QObject::connect(&worker, &Evaluator::started, qApp, [&](const DeviceInfo &) {
        worker.evaluate({*source, options.size, {}});
    });
    QObject::connect(&worker, &Evaluator::stageChanged, qApp,
        [&](quint64, const QString &stage, int done, int total) {
            tell(total > 0 ? QStringLiteral("%1 %2/%3").arg(stage).arg(done).arg(total) : stage);
        });
    QObject::connect(&worker, &Evaluator::warned, qApp, [&](const QString &text) {
        tell({});
        complain(text);
    });
    QObject::connect(
        &worker, &Evaluator::evaluated, qApp, [&](quint64, const gpu::Evaluation &evaluation) {
            result = evaluation;
            QCoreApplication::quit();
        });
    QObject::connect(
        &worker, &Evaluator::failed, qApp, [&](const QString &message, gpu::Blame blame) {
            error = {blame, message.toStdString()};
            QCoreApplication::quit();
        });
    Interrupt interrupt;
    QObject::connect(&interrupt, &Interrupt::raised, qApp, [&] {
        error = gpu::candidateError("Interrupted; nothing was judged.");
        QCoreApplication::quit();
    });
    tell(QStringLiteral("starting the device"));
    worker.start(*problem);
    QCoreApplication::exec();
    tell({});
    if (!result)
        return fail(error);
    if (options.json)
        print(gpu::toJson(*result));
    else
        printSummary(*result);
    if (result->verdict == gpu::Verdict::Ok)
        return ExitCode::Done;
    if (result->verdict == gpu::Verdict::EnvironmentError) {
        if (options.json)
            complain(QString::fromStdString(result->message));
        return ExitCode::Environment;
    }
    return ExitCode::AnswerIsNo;
}

} // namespace core
