#include "gpu/device/cpudevice.h"
#include "gpu/protocol/preparation.h"
#include "gpu/verify/workspace.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

using nlohmann::json;

namespace {
const QString Problems = QStringLiteral(SOURCE_DIR "/resources/problems/");

void writeBytes(const QString &path, const char *data, std::size_t size)
{
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(data, static_cast<qint64>(size)), static_cast<qint64>(size));
}

/// truth.py under the system's Python, which has Debian's PyTorch.
class Python {
public:
    Python()
    {
        m_process.setProcessChannelMode(QProcess::SeparateChannels);
        m_process.start(QStringLiteral("/usr/bin/python3"),
            {QStringLiteral(SOURCE_DIR "/tests/core/oracles/truth.py")});
    }
    ~Python()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished();
    }

    /// Null where there is no answer.
    json ask(const std::vector<std::string> &request)
    {
        m_process.write(QByteArray::fromStdString(json(request).dump()) + '\n');
        while (!m_process.canReadLine())
            if (!m_process.waitForReadyRead(120000)) {
                qWarning().noquote()
                    << "truth.py failed; it needs PyTorch (apt-get install python3-torch):"
                    << m_process.readAllStandardError();
                return json();
            }
        const QByteArray text = m_process.readLine();
        return json::parse(text.begin(), text.end(), nullptr, false);
    }

private:
    QProcess m_process;
};
} // namespace

/// The problems' oracles and seeds on the CPU device against PyTorch in float64.
class TestOracles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const char *worker = std::getenv("ESPALIER_WORKER");
        QVERIFY2(worker, "ESPALIER_WORKER must name the worker binary; ctest sets it.");
        m_compiler = gpu::makeCompiler(worker);
        m_device = gpu::makeCpuDevice();
        m_python = std::make_unique<Python>();
    }
    void agreesWithPyTorch_data();
    void agreesWithPyTorch();
    void referenceHasFullShapes_data() { addProblems(); }
    void referenceHasFullShapes();

private:
    static void addProblems()
    {
        QTest::addColumn<QString>("id");
        for (const char *id : {"matmul", "conv2d", "softmax", "layernorm", "conv2d_relu_maxpool"})
            QTest::newRow(id) << QString::fromUtf8(id);
    }
    /// The program of a source at one size; null after a failed check.
    std::optional<gpu::SizedProgram> program(
        const std::string &source, const gpu::Problem &problem, const std::string &size);
    gpu::TensorBytes outputsOf(const gpu::SizedProblem &problem, const gpu::SizedProgram &program,
        const gpu::TensorBytes &inputs);

    std::unique_ptr<gpu::Compiler> m_compiler;
    std::unique_ptr<gpu::Device> m_device;
    std::unique_ptr<Python> m_python;
};

std::optional<gpu::SizedProgram> TestOracles::program(
    const std::string &source, const gpu::Problem &problem, const std::string &size)
{
    auto prepared = gpu::prepareSource(source, problem, size, std::nullopt, m_device->facts());
    auto *ready = std::get_if<gpu::PreparedSource>(&prepared);
    if (!ready)
        return std::nullopt;
    gpu::CompileOutput code = m_compiler->compile(ready->request, 60);
    if (!code.ok) {
        qWarning() << code.log.c_str() << code.environmentError.c_str();
        return std::nullopt;
    }
    return gpu::SizedProgram{std::move(ready->plan), std::move(code)};
}

gpu::TensorBytes TestOracles::outputsOf(const gpu::SizedProblem &problem,
    const gpu::SizedProgram &program, const gpu::TensorBytes &inputs)
{
    auto opened = gpu::Workspace::open(*m_device, problem, program);
    if (const auto *fault = std::get_if<gpu::DeviceFault>(&opened)) {
        qWarning() << fault->message.c_str();
        return {};
    }
    gpu::Workspace &workspace = *std::get<0>(opened);
    auto fault = workspace.setInputs(inputs);
    if (!fault)
        fault = workspace.run({});
    if (fault) {
        qWarning() << fault->message.c_str();
        return {};
    }
    return workspace.outputs();
}

void TestOracles::agreesWithPyTorch_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("size");
    QTest::addColumn<QString>("distribution");
    for (const char *id : {"matmul", "conv2d", "softmax", "layernorm", "conv2d_relu_maxpool"})
        for (const auto &[size, distribution] :
            {std::pair{"small", "normal"}, {"odd", "large_offset"}, {"odd", "heavy_tails"}})
            QTest::addRow("%s %s %s", id, size, distribution) << QString::fromUtf8(
                id) << QString::fromUtf8(size) << QString::fromUtf8(distribution);
}

void TestOracles::agreesWithPyTorch()
{
    QFETCH(QString, id);
    QFETCH(QString, size);
    QFETCH(QString, distribution);
    const auto problem = gpu::loadProblem(QString(Problems + id).toStdString());
    QVERIFY2(problem, problem ? "" : problem.error().message.c_str());
    const auto sized = gpu::sizeProblem(*problem, size.toStdString());
    QVERIFY(sized);
    const gpu::TensorBytes inputs = sized->generateInputs(distribution.toStdString(), 7);
    QTemporaryDir folder;
    json shapes = json::array();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const gpu::SizedTensor &tensor = sized->inputs[i];
        shapes.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
        writeBytes(folder.filePath(QString::fromStdString(tensor.name)),
            reinterpret_cast<const char *>(inputs[i].data()), inputs[i].size());
    }
    const std::string text = json{{"inputs", shapes}}.dump();
    writeBytes(folder.filePath(QStringLiteral("case.json")), text.data(), text.size());
    for (const bool isOracle : {true, false}) {
        gpu::SizedProblem written = *sized;
        if (isOracle)
            written.outputs[0].dtype = gpu::DType::F64;
        const auto ready = program(
            isOracle ? problem->oracleSource : problem->seedSource, *problem, size.toStdString());
        QVERIFY(ready);
        const gpu::TensorBytes outputs = outputsOf(written, *ready, inputs);
        QCOMPARE(outputs.size(), std::size_t{1});
        writeBytes(folder.filePath(isOracle ? QStringLiteral("oracle") : QStringLiteral("seed")),
            reinterpret_cast<const char *>(outputs[0].data()), outputs[0].size());
    }
    const json errors = m_python->ask(
        {"check", QString(Problems + id).toStdString(), folder.path().toStdString()});
    QVERIFY2(errors.is_object(), "python3-torch is needed: apt-get install python3-torch");
    const std::string shown = errors.dump();
    QVERIFY2(errors.value("oracle", 1.0) <= 1e-12, shown.c_str());
    // At a mean of 1000 the last fp32 bit of an input is 6e-5, and one of softmax's exponents.
    QVERIFY2(errors.value("seed", 1.0) <= 2e-3, shown.c_str());
}

void TestOracles::referenceHasFullShapes()
{
    QFETCH(QString, id);
    const auto problem = gpu::loadProblem(QString(Problems + id).toStdString());
    QVERIFY(problem);
    const auto sized = gpu::sizeProblem(*problem, "full");
    QVERIFY(sized);
    json wanted = json::array();
    for (const gpu::SizedTensor &tensor : sized->inputs)
        if (!tensor.parameter)
            wanted.push_back(tensor.shape);
    const json shapes = m_python->ask({"shapes", QString(Problems + id).toStdString()});
    QVERIFY2(shapes == wanted, shapes.dump().c_str());
}

QTEST_GUILESS_MAIN(TestOracles)
#include "tst_oracles.moc"
