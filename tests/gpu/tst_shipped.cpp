#include "gpu/compile/compiler.h"

#include <QDir>
#include <QTest>

using gpu::PlanError;

/// The problems that come with the program: they load, their plans resolve at each size, and their
/// kernels compile and take the arguments that the plans pass.
class TestShipped : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void works_data();
    void works();

private:
    std::unique_ptr<gpu::Compiler> m_compiler;
};

void TestShipped::initTestCase()
{
    m_compiler = gpu::makeCompiler(qEnvironmentVariable("ESPALIER_WORKER").toStdString());
    QVERIFY2(m_compiler->description().ok(), "set ESPALIER_WORKER to the worker's path");
}

void TestShipped::works_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<bool>("oracle");
    const QDir problems(qEnvironmentVariable("ESPALIER_RESOURCES") + QStringLiteral("/problems"));
    for (const QString &name : problems.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        for (bool oracle : {false, true})
            QTest::addRow("%s %s", qPrintable(name), oracle ? "oracle" : "seed")
                << problems.filePath(name) << oracle;
}

void TestShipped::works()
{
    QFETCH(QString, folder);
    QFETCH(bool, oracle);
    const auto problem = gpu::loadProblem(folder.toStdString());
    QVERIFY2(problem.ok(), problem.ok() ? "" : problem.error().message.c_str());
    const std::string &source = oracle ? problem->oracleSource : problem->seedSource;
    const auto parsed = gpu::parsePlan(source);
    QVERIFY2(
        parsed.index() == 0, parsed.index() ? std::get<PlanError>(parsed).message.c_str() : "");
    const gpu::Plan &plan = std::get<gpu::Plan>(parsed);

    for (const auto &[size, overrides] : problem->sizes) {
        const auto dims = problem->dimsAt(size);
        QVERIFY(dims.ok());
        const auto point = gpu::defaultPoint(plan, *dims, {});
        QVERIFY2(
            point.index() == 0, point.index() ? std::get<PlanError>(point).message.c_str() : "");
        const auto resolved
            = gpu::resolve(plan, *problem, *dims, std::get<gpu::TunablePoint>(point), {});
        QVERIFY2(resolved.index() == 0,
            resolved.index() ? std::get<PlanError>(resolved).message.c_str() : "");

        gpu::CompileRequest request;
        request.source = source;
        request.dims = *dims;
        request.tunables = std::get<gpu::TunablePoint>(point);
        request.options = plan.options;
        for (const auto &step : std::get<gpu::ResolvedPlan>(resolved).steps)
            if (const auto *kernel = std::get_if<gpu::ResolvedKernel>(&step))
                request.kernels.push_back(kernel->kernel);
        const gpu::CompileOutput output = m_compiler->compile(request, 60);
        QVERIFY2(output.ok, (output.log + output.environmentError).c_str());
        QVERIFY2(output.diagnostics.empty(), output.log.c_str());
        std::size_t at = 0;
        for (const auto &step : std::get<gpu::ResolvedPlan>(resolved).steps)
            if (const auto *kernel = std::get_if<gpu::ResolvedKernel>(&step)) {
                const auto error
                    = gpu::checkArguments(*kernel, output.kernels[at++].parameterBytes);
                QVERIFY2(!error, error ? error->message.c_str() : "");
            }
    }
}

QTEST_APPLESS_MAIN(TestShipped)
#include "tst_shipped.moc"
