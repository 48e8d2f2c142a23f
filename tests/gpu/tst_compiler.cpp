#include "gpu/compile/compiler.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

namespace {
/// Millions of instantiations: more than a minute and several GiB.
const char *const Bomb
    = "template <int N, int M> struct B { static constexpr int v = B<N - 1, 2 * M>::v"
      " + B<N - 1, 2 * M + 1>::v; };\n"
      "template <int M> struct B<0, M> { static constexpr int v = M; };\n"
      "__global__ void k(int *x) { x[0] = B<24, 0>::v; }\n";

gpu::CompileRequest request(std::string source, std::vector<std::string> kernels = {"k"})
{
    gpu::CompileRequest result;
    result.source = std::move(source);
    result.kernels = std::move(kernels);
    result.dims = {{"rows", 64}, {"big", 5000000000}};
    result.tunables = {{"TILE", 32}, {"SCALE", 0.5}};
    return result;
}
} // namespace

class TestCompiler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void compiles();
    void compilesForTheCpuDevice();
    void accepts_data();
    void accepts();
    void refuses_data();
    void refuses();
    void quotesNoFile();
    void stopsABomb();
    void limitsMemory();
    void judgesADeadChild();
    void blamesTheRightSide();
    void compilesInManyThreads();
    void disassembles();
    void reportsAMissingToolkit();
    void reportsAMissingWorker();
    void isFast();

private:
    gpu::CompileOutput compile(const gpu::CompileRequest &job, double seconds = 60)
    {
        return m_compiler->compile(job, seconds);
    }
    /// A worker that is a shell script.
    std::string script(const std::string &body)
    {
        const QString path = m_folder.filePath(QStringLiteral("worker%1").arg(++m_scripts));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly))
            file.write(("#!/bin/sh\n" + body).c_str());
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path.toStdString();
    }
    QTemporaryDir m_folder;
    int m_scripts = 0;
    std::unique_ptr<gpu::Compiler> m_compiler;
};

void TestCompiler::initTestCase()
{
    m_compiler = gpu::makeCompiler(qEnvironmentVariable("ESPALIER_WORKER").toStdString());
    const auto description = m_compiler->description();
    QVERIFY2(description.ok(), description.ok() ? "" : description.error().message.c_str());
    qInfo("%s; %s", description->c_str(),
        m_compiler->sandboxWarning().empty() ? "sandboxed" : m_compiler->sandboxWarning().c_str());
}

void TestCompiler::compiles()
{
    const auto output = compile(request(R"cu(
template <int N> __global__ void __launch_bounds__(128) row(const float *x, double s, char c)
{
    __shared__ float buffer[N];
    buffer[threadIdx.x] = x[threadIdx.x];
    if (s > c) __trap();
    __syncthreads();
    if (buffer[N - 1 - threadIdx.x] > 0) __trap();
}
extern "C" __global__ void plain(int rows) { }
namespace a { __global__ void inner() { } }
)cu",
        {"row<256>", "plain", "a::inner", "row<tune::TILE>"}));
    QVERIFY2(output.ok, (output.log + output.environmentError).c_str());
    QVERIFY(output.ptx.find(".target sm_90") != std::string::npos);
    QVERIFY(output.ptx.find("candidate.cu") != std::string::npos);
    QVERIFY(output.cubin.starts_with("\x7f"
                                     "ELF"));
    QCOMPARE(output.kernels.size(), std::size_t(4));
    QCOMPARE(output.kernels[0].loweredName, std::string("_Z3rowILi256EEvPKfdc"));
    QCOMPARE(output.kernels[0].parameterBytes, (std::vector<std::size_t>{8, 8, 1}));
    QCOMPARE(output.kernels[1].loweredName, std::string("plain"));
    QCOMPARE(output.kernels[1].parameterBytes, (std::vector<std::size_t>{4}));
    QVERIFY(output.kernels[2].parameterBytes.empty());
    QCOMPARE(output.kernels[3].loweredName, std::string("_Z3rowILi32EEvPKfdc"));
    QCOMPARE(output.resources[0].sharedBytes, 1024);
    QCOMPARE(output.resources[3].sharedBytes, 128);
    QVERIFY(output.resources[0].registers > 0);
    QCOMPARE(output.resources[0].spillStoreBytes, 0);
    QVERIFY(output.compileMs > 0);
    QVERIFY2(output.log.find("ptxas") == std::string::npos, output.log.c_str());
}

void TestCompiler::compilesForTheCpuDevice()
{
    auto job = request("__global__ void k(float *x) { x[0] = 1; }\n");
    job.wantCubin = false;
    const auto output = compile(job);
    QVERIFY2(output.ok, output.log.c_str());
    QVERIFY(output.cubin.empty() && output.resources.empty() && !output.ptx.empty());
}

void TestCompiler::accepts_data()
{
    QTest::addColumn<QString>("source");
    const auto row = [](const char *tag, const char *source) {
        QTest::newRow(tag) << QString::fromUtf8(source);
    };
    row("constants",
        "__global__ void k(int *x) { static_assert(dim::rows == 64 && dim::big == 5000000000"
        " && tune::TILE == 32 && tune::SCALE == 0.5); int a[tune::TILE]; x[0] = a[0]; }");
    row("parameter named as a dim",
        "__global__ void k(int rows, float TILE) { rows += dim::rows; }");
    row("macro named as a dim",
        "#define rows 7\n#include <cuda_fp16.h>\n"
        "__global__ void k(int *x) { x[0] = rows; }");
    row("names without a header",
        "__global__ void k(float *x) { uint64_t u = 1; x[0] = -INFINITY + u; }");
    row("own typedef", "typedef unsigned int uint32_t;\n__global__ void k(uint32_t *x) { }");
    row("integers",
        "#include <stdint.h>\n#include <cstdint>\n__global__ void k(std::int64_t *x, uint8_t y)"
        " { static_assert(sizeof(*x) == 8); x[0] = INT32_MAX; }");
    row("math",
        "#include <math.h>\n#include <cmath>\n__constant__ float low = -INFINITY;\n"
        "__global__ void k(float *x) { x[0] = std::sqrt(x[1]) + NAN + M_PI + std::fmax(x[2], low); "
        "}");
    row("limits",
        "#include <limits>\n#include <cfloat>\n#include <climits>\n__global__ void k(float *x) {"
        " constexpr float m = std::numeric_limits<float>::lowest(); x[0] = m + FLT_MAX"
        " + std::numeric_limits<int>::max() + INT_MIN - std::numeric_limits<float>::infinity(); }");
    row("traits",
        "#include <type_traits>\n#include <utility>\n#include <algorithm>\ntemplate <class T,"
        " std::enable_if_t<std::is_floating_point_v<T>, int> = 0> __device__ T f(T a)"
        " { T b = 1; std::swap(a, b); return std::max(std::move(a), b); }\n"
        "__global__ void k(float *x) { x[0] = f(x[1]); }");
    row("stdio and assert",
        "#include <stdio.h>\n#include <cassert>\n__global__ void k(float *x)"
        " { assert(x[0] > 0); printf(\"%f\\n\", x[0]); }");
    row("tensor map",
        "#include <cuda.h>\n#include <cudaTypedefs.h>\n__global__ void k("
        "const __grid_constant__ CUtensorMap m) { static_assert(sizeof(m) == 128); }");
    row("cuda headers",
        "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "#include <mma.h>\n#include <cuda_pipeline.h>\n#include <cooperative_groups.h>\n"
        "#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n"
        "__global__ void k(__half *x) { cg::this_thread_block().sync(); x[0] = __hadd(x[1], x[2]); "
        "}");
    row("libcu++ beside the stand-ins",
        "#include <cuda/std/cstdint>\n#include <cuda/std/limits>\n"
        "#include <cstdint>\n#include <limits>\n#include <climits>\n"
        "__global__ void k(uint64_t *x) { x[0] = INT_MAX; }");
    row("conditional include",
        "#if __CUDA_ARCH__ >= 700\n#include <cuda_fp16.h>\n#endif\n"
        "__global__ void k(int *x) { x[0] = dim::rows; }");
    row("no newline after the include", "__global__ void k() { }\n#include <cuda_fp16.h>");
    row("carriage returns",
        "#include <cuda_fp16.h>\r\n__global__ void k(int *x) {\r\n x[0] = \\\r\n 1; }\r\n");
    row("byte order mark", "\xEF\xBB\xBF// x\n__global__ void k() { }");
    row("options", "__global__ void k(float *x) { x[0] = x[1] / x[2]; }");
}

void TestCompiler::accepts()
{
    QFETCH(QString, source);
    auto job = request(source.toStdString());
    job.options = {"--use_fast_math", "-maxrregcount=64", "-Xptxas=-O3", "--std=c++20"};
    const auto output = compile(job);
    QVERIFY2(output.ok, (output.log + output.environmentError).c_str());
}

void TestCompiler::refuses_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("part");
    const auto row
        = [](const char *tag, const char *source, int line, int column, const char *part) {
              QTest::newRow(tag) << QString::fromUtf8(source) << line << column
                                 << QString::fromUtf8(part);
          };
    row("first line", "__global__ void k() { y = 1; }", 1, 23, "\"y\" is undefined");
    row("after includes",
        "// c\n#include <cuda_fp16.h>\n#include <stdint.h>\n\n__global__ void k() {\n"
        "    float z = w;\n}\n",
        6, 15, "\"w\" is undefined");
    row("after a comment over lines",
        "/* a\n b */\n#include <cuda_fp16.h> /* c\n d */\n"
        "__global__ void k() { w; }\n",
        5, 23, "\"w\" is undefined");
    row("crlf", "// c\r\n#include <cuda_fp16.h>\r\n__global__ void k() {\r\n w; }\r\n", 4, 2,
        "undefined");
    row("warning of a syntax error", "__global__ void k() {\n int a = 1\n int b; }", 3, 2,
        "expected a \";\"");
    row("unknown header", "#include <nothing.h>\n__global__ void k() { }", 1, 0, "nothing.h");
    row("host header", "\n#include <torch/extension.h>\n__global__ void k() { }", 2, 0,
        "is host code");
    row("host function", "void f() { }\n__global__ void k() { f(); }", 1, 0, "");
    row("include of a macro", "#define H <stdint.h>\n#include H\n__global__ void k() { }", 2, 0,
        "name itself");
    row("wrong kernel name", "__global__ void other() { }", 0, 0, "\"k\"");
    row("no kernel", "__device__ void k() { }", 0, 0, "non-__global__ function");
    row("static assertion", "__global__ void k() { }\nstatic_assert(dim::rows == 65, \"no\");", 2,
        0, "");
    row("too much shared memory",
        "__global__ void k(float *x) { __shared__ float s[100000];"
        " s[threadIdx.x] = x[0]; x[1] = s[threadIdx.x ^ 1]; }",
        0, 0, "shared");
}

void TestCompiler::refuses()
{
    QFETCH(QString, source);
    QFETCH(int, line);
    QFETCH(int, column);
    QFETCH(QString, part);
    const auto output = compile(request(source.toStdString()));
    QVERIFY(!output.ok && !output.timedOut);
    QCOMPARE(output.environmentError, std::string());
    QVERIFY(!output.diagnostics.empty());
    const gpu::Diagnostic &first = output.diagnostics.front();
    QVERIFY2(QString::fromStdString(first.text).contains(part), output.log.c_str());
    QCOMPARE(first.severity, std::string("error"));
    QCOMPARE(first.line, line);
    if (column > 0)
        QCOMPARE(first.column, column);
    QVERIFY(!output.log.empty());
}

void TestCompiler::quotesNoFile()
{
    for (const char *include :
        {"#include \"/etc/passwd\"", "#include </etc/passwd>", "%:include \"/etc/passwd\"",
            "#/**/include \"/etc/passwd\"", "#include \\\n\"/etc/passwd\"",
            "#include \"../../../../../etc/passwd\"", "#include \"etc/passwd\"",
            "#include \"//etc/passwd\"", "#define F \"/etc/passwd\"\n#include F"}) {
        const auto output = compile(request(std::string(include) + "\n__global__ void k() { }\n"));
        QVERIFY2(!output.ok, include);
        QVERIFY2(output.log.find("root:") == std::string::npos, include);
        QVERIFY2(output.environmentError.empty(), output.environmentError.c_str());
    }
}

void TestCompiler::stopsABomb()
{
    QElapsedTimer timer;
    timer.start();
    const auto output = compile(request(Bomb), 1);
    QVERIFY(!output.ok && output.timedOut);
    QCOMPARE(output.environmentError, std::string());
    QVERIFY(output.log.find("limit of 1") != std::string::npos);
    QVERIFY(timer.elapsed() < 8000);
}

void TestCompiler::limitsMemory()
{
    const auto compiler = gpu::makeCompiler(script("ulimit -v 400000\nexec "
        + qEnvironmentVariable("ESPALIER_WORKER").toStdString() + " \"$@\"\n"));
    const auto output = compiler->compile(request(Bomb), 60);
    QVERIFY(!output.ok && !output.timedOut);
    QCOMPARE(output.environmentError, std::string());
    QVERIFY2(output.log.find("4 GiB of memory") != std::string::npos, output.log.c_str());
    // The shell that this worker needs is not in the sandbox.
    QVERIFY(compiler->sandboxWarning().find("without a sandbox") != std::string::npos);
}

void TestCompiler::judgesADeadChild()
{
    const std::string hello = "echo '{\"hello\": \"13.0\"}'\nread job\n";
    const auto crash = gpu::makeCompiler(script(hello + "kill -SEGV $$\n"))
                           ->compile(request("__global__ void k() { }"), 10);
    QVERIFY(!crash.ok && crash.environmentError.empty());
    QVERIFY2(crash.log.find("signal 11") != std::string::npos, crash.log.c_str());

    // One start for the probe and one for the job; from then on it is broken for everybody.
    const std::string broken
        = "echo x >> \"$0.count\"\n[ $(wc -l < \"$0.count\") -gt 2 ] && exit 1\n" + hello
        + "kill -SEGV $$\n";
    const auto environment
        = gpu::makeCompiler(script(broken))->compile(request("__global__ void k() { }"), 10);
    QVERIFY(!environment.ok && environment.diagnostics.empty());
    QVERIFY(!environment.environmentError.empty());

    const auto garbage = gpu::makeCompiler(script(hello + "echo nonsense\n"))
                             ->compile(request("__global__ void k() { }"), 10);
    QVERIFY(!garbage.ok);
    const auto mute
        = gpu::makeCompiler(script("exit 0\n"))->compile(request("__global__ void k() { }"), 10);
    QVERIFY(!mute.ok && mute.diagnostics.empty() && !mute.environmentError.empty());
}

void TestCompiler::blamesTheRightSide()
{
    auto job = request("__global__ void k() { }");
    job.options = {"-I/etc"};
    const auto option = compile(job);
    QVERIFY(!option.ok && option.environmentError.empty() && option.diagnostics.size() == 1);
    job.options.clear();
    job.architecture = "sm_10";
    const auto architecture = compile(job);
    QVERIFY(!architecture.ok);
    QVERIFY2(architecture.environmentError.find("toolkit that knows it") != std::string::npos,
        architecture.environmentError.c_str());
}

void TestCompiler::compilesInManyThreads()
{
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 2; ++i)
                good += compile(request("__global__ void k() { }")).ok;
        });
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(good.load(), 6);
}

void TestCompiler::disassembles()
{
    const auto output = compile(request("__global__ void k(float *x) { x[0] = x[1] * 2; }"));
    QVERIFY(output.ok);
    const auto text = m_compiler->disassemble(output.cubin);
    if (!text.ok())
        QVERIFY2(text.error().message.find("nvidia-cuda-nvdisasm") != std::string::npos,
            text.error().message.c_str());
    else
        QVERIFY(text->find("FMUL") != std::string::npos || text->find("FADD") != std::string::npos);
    QVERIFY(!m_compiler->disassemble("no cubin").ok());
}

void TestCompiler::reportsAMissingToolkit()
{
    qputenv("ESPALIER_CUDA_HOME", "/nowhere");
    const auto compiler = gpu::makeCompiler(qEnvironmentVariable("ESPALIER_WORKER").toStdString());
    const auto output = compiler->compile(request("__global__ void k() { }"), 10);
    qunsetenv("ESPALIER_CUDA_HOME");
    QVERIFY(!output.ok && output.diagnostics.empty());
    QVERIFY(output.environmentError.find("ESPALIER_CUDA_HOME") != std::string::npos);
    QVERIFY(output.environmentError.find("/nowhere") != std::string::npos);
    QVERIFY(!compiler->description().ok());
}

void TestCompiler::reportsAMissingWorker()
{
    const auto compiler = gpu::makeCompiler("/nowhere/espalier-worker");
    const auto output = compiler->compile(request("__global__ void k() { }"), 10);
    QVERIFY(!output.ok
        && output.environmentError.find("/nowhere/espalier-worker") != std::string::npos);
}

void TestCompiler::isFast()
{
    for (const char *source : {"__global__ void k() { }",
             "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n__global__ void k() { }"}) {
        double best = 1e9, wall = 1e9;
        for (int i = 0; i < 5; ++i) {
            QTest::qWait(150);
            QElapsedTimer timer;
            timer.start();
            best = std::min(best, compile(request(source)).compileMs);
            wall = std::min(wall, double(timer.nsecsElapsed()) / 1e6);
        }
        qInfo("%.1f ms in the child, %.1f ms in all: %s", best, wall, source);
        QVERIFY(best < 5000);
    }
}

QTEST_APPLESS_MAIN(TestCompiler)
#include "tst_compiler.moc"
