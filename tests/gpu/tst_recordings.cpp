#include "gpu/candidate/plan.h"
#include "gpu/compile/compiler.h"
#include "gpu/verify/verdict.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cstdlib>

using nlohmann::json;

namespace {
const QDir Resources(QStringLiteral(SOURCE_DIR "/resources"));

QByteArray readAll(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

json parseFile(const QString &path)
{
    const QByteArray text = readAll(path);
    return json::parse(text.begin(), text.end(), nullptr, false);
}

/// The text of the one CUDA fence of a reply; empty if there is not exactly one.
std::string codeOf(const QString &reply)
{
    static const QRegularExpression fence(QStringLiteral("^```cuda\\n(.*?)^```$"),
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    auto found = fence.globalMatch(reply);
    if (!found.hasNext())
        return {};
    const std::string code = found.next().captured(1).toStdString();
    return found.hasNext() ? std::string() : code;
}

bool allows(const json &verdicts, const std::string &verdict)
{
    return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
}

/// A candidate's plan and compile must end as its entry of expect.json says.
void tryCandidate(gpu::Compiler &compiler, const gpu::Problem &problem, const std::string &source,
    const json &verdicts)
{
    const auto parsed = gpu::parsePlan(source);
    const auto dims = problem.dimsAt("odd");
    QVERIFY(dims);
    std::optional<gpu::PlanError> error;
    gpu::CompileRequest request{source, *dims, {}, {}, {}, "sm_90", false};
    if (const auto *bad = std::get_if<gpu::PlanError>(&parsed)) {
        error = *bad;
    } else {
        const gpu::Plan &plan = std::get<gpu::Plan>(parsed);
        const gpu::DeviceLimits limits{2, 232448, 32, 1024};
        const auto resolved = gpu::resolve(plan, problem, *dims, {}, limits);
        if (const auto *unresolved = std::get_if<gpu::PlanError>(&resolved))
            error = *unresolved;
        else
            for (const auto &step : std::get<gpu::ResolvedPlan>(resolved).steps)
                if (const auto *kernel = std::get_if<gpu::ResolvedKernel>(&step))
                    request.kernels.push_back(kernel->kernel);
    }
    const bool wantsPlanError = allows(verdicts, "plan_error");
    QVERIFY2(error.has_value() == wantsPlanError, error ? error->message.c_str() : "plan is good");
    if (error)
        return;
    const gpu::CompileOutput output = compiler.compile(request, 60);
    QVERIFY2(output.environmentError.empty(), output.environmentError.c_str());
    QVERIFY2(output.ok != allows(verdicts, "compile_error"), output.log.c_str());
}
} // namespace

/// The recordings that ship: complete, and each candidate fails to parse or compile exactly where
/// its authors meant it to.
class TestRecordings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const char *worker = std::getenv("ESPALIER_WORKER");
        QVERIFY2(worker, "ESPALIER_WORKER must name the worker binary; ctest sets it.");
        m_compiler = gpu::makeCompiler(worker);
    }
    void completeAndAsIntended_data();
    void completeAndAsIntended();

private:
    std::unique_ptr<gpu::Compiler> m_compiler;
};

void TestRecordings::completeAndAsIntended_data()
{
    QTest::addColumn<int>("rounds");
    QTest::newRow("softmax") << 3;
    QTest::newRow("layernorm") << 3;
    QTest::newRow("matmul") << 2;
    QTest::newRow("conv2d") << 2;
    QTest::newRow("conv2d_relu_maxpool") << 2;
}

void TestRecordings::completeAndAsIntended()
{
    QFETCH(int, rounds);
    const QString id = QString::fromUtf8(QTest::currentDataTag());
    const QDir folder(Resources.filePath(QStringLiteral("recordings/") + id));
    const json recording = parseFile(folder.filePath(QStringLiteral("recording.json")));
    const json expect = parseFile(folder.filePath(QStringLiteral("expect.json")));
    QVERIFY(recording.is_object() && expect.is_object());
    QCOMPARE(recording.value("rounds", 0), rounds);
    const auto problem
        = gpu::loadProblem(Resources.filePath(QStringLiteral("problems/") + id).toStdString());
    QVERIFY2(problem, problem ? "" : problem.error().message.c_str());

    int ideas = 0, implementations = 0, right = 0;
    std::size_t judged = 0;
    for (const json &reply : recording.at("replies")) {
        const QString file = QString::fromStdString(reply.value("file", ""));
        const QByteArray text = readAll(folder.filePath(file));
        QVERIFY2(!text.isEmpty(), qPrintable(file));
        if (reply.value("request", "") == "ideas") {
            ++ideas;
            QCOMPARE(text.count("\n## Idea "), 3);
            QCOMPARE(text.count("\nCategory: "), 3);
            continue;
        }
        const std::string key = file.chopped(3).toStdString();
        QVERIFY2(expect.contains(key), key.c_str());
        for (const json &verdict : expect[key])
            QVERIFY2(gpu::verdictFromName(verdict.get<std::string>()), key.c_str());
        ++judged;
        if (reply.value("request", "") == "implementation") {
            ++implementations;
            right += allows(expect[key], "ok");
        }
        const std::string source = codeOf(QString::fromUtf8(text));
        QVERIFY2(!source.empty(), qPrintable(file));
        tryCandidate(*m_compiler, *problem, source, expect[key]);
        if (QTest::currentTestFailed())
            QFAIL(qPrintable(file));
    }
    QCOMPARE(ideas, rounds);
    QCOMPARE(implementations, rounds * 3 * 2);
    QCOMPARE(judged, expect.size());
    QVERIFY(right * 2 >= implementations);
}

QTEST_GUILESS_MAIN(TestRecordings)
#include "tst_recordings.moc"
