#include "gpu/compile/compiler.h"
#include "gpu/compile/cubin.h"
#include "gpu/compile/diagnostics.h"

#include <QTest>

#include <algorithm>

namespace {
constexpr const char *Source = R"cu(
struct Pair { double a; char b; };
__global__ void __launch_bounds__(192) k(const float *x, float *y, int n, Pair p, char c)
{
    __shared__ float s[100];
    s[threadIdx.x % 100] = x[threadIdx.x] + (float)p.a;
    __syncthreads();
    y[threadIdx.x] = s[(threadIdx.x + n) % 100] + c;
}
__global__ void none() { }
__global__ void stack(float *x, int n)
{
    float a[512];
    for (int i = 0; i < 512; ++i) a[i] = x[i];
    for (int i = 0; i < 512; ++i) x[i] = a[(n * i) & 511];
}
)cu";

const gpu::CubinKernel *find(const std::vector<gpu::CubinKernel> &kernels, const std::string &name)
{
    const auto found = std::find_if(kernels.begin(), kernels.end(),
        [&name](const gpu::CubinKernel &kernel) { return kernel.name == name; });
    return found == kernels.end() ? nullptr : &*found;
}
} // namespace

class TestCubin : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void reads_data();
    void reads();
    void agreesWithPtxas();
    void survivesTruncation();
    void survivesCorruption();
    void refusesOtherFiles();
    void parsesDiagnostics();
    void parsesUsage();

private:
    gpu::CompileOutput compile(const std::string &architecture)
    {
        gpu::CompileRequest request;
        request.source = Source;
        request.kernels = {"k", "none", "stack"};
        request.architecture = architecture;
        return m_compiler->compile(request, 60);
    }
    std::unique_ptr<gpu::Compiler> m_compiler;
};

void TestCubin::initTestCase()
{
    m_compiler = gpu::makeCompiler(qEnvironmentVariable("ESPALIER_WORKER").toStdString());
    QVERIFY2(m_compiler->description().ok(), "set ESPALIER_WORKER to the worker's path");
}

void TestCubin::reads_data()
{
    QTest::addColumn<QString>("architecture");
    for (const char *architecture :
        {"sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120"})
        QTest::newRow(architecture) << QString::fromUtf8(architecture);
}

void TestCubin::reads()
{
    QFETCH(QString, architecture);
    const gpu::CompileOutput output = compile(architecture.toStdString());
    QVERIFY2(output.ok, (output.log + output.environmentError).c_str());
    const auto kernels = gpu::readCubin(output.cubin);
    QVERIFY2(kernels.ok(), kernels.ok() ? "" : kernels.error().message.c_str());
    QCOMPARE(kernels->size(), std::size_t(3));
    const gpu::CubinKernel *k = find(*kernels, "_Z1kPKfPfi4Pairc");
    QVERIFY(k);
    QCOMPARE(k->parameterBytes, (std::vector<std::size_t>{8, 8, 4, 16, 1}));
    QCOMPARE(k->staticSharedBytes, 400);
    QCOMPARE(k->maxThreads, 192);
    QCOMPARE(k->frameBytes, 0);
    QVERIFY(k->registers >= 8 && k->registers <= 64);
    const gpu::CubinKernel *none = find(*kernels, "_Z4nonev");
    QVERIFY(none && none->parameterBytes.empty());
    QCOMPARE(none->staticSharedBytes, 0);
    QCOMPARE(none->maxThreads, 0);
    const gpu::CubinKernel *stack = find(*kernels, "_Z5stackPfi");
    QVERIFY(stack);
    QCOMPARE(stack->frameBytes, 2048);
}

void TestCubin::agreesWithPtxas()
{
    const gpu::CompileOutput output = compile("sm_90");
    QVERIFY(output.ok);
    QCOMPARE(output.resources.size(), std::size_t(3));
    QCOMPARE(output.resources[0].sharedBytes, 400);
    QCOMPARE(output.resources[2].localBytes, 2048);
    QCOMPARE(output.kernels[0].parameterBytes.size(), std::size_t(5));
}

void TestCubin::survivesTruncation()
{
    const std::string cubin = compile("sm_90").cubin;
    QVERIFY(cubin.size() > 1000);
    int refused = 0;
    for (std::size_t size = 0; size < cubin.size(); size += 7) {
        // A heap copy of exactly that size, so that a sanitizer sees any read past it.
        const std::vector<char> copy(cubin.begin(), cubin.begin() + std::ptrdiff_t(size));
        refused += !gpu::readCubin({copy.data(), copy.size()}).ok();
    }
    QVERIFY(refused > int(cubin.size() / 7) * 9 / 10);
}

void TestCubin::survivesCorruption()
{
    const std::string cubin = compile("sm_90").cubin;
    unsigned state = 7;
    int read = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<char> copy(cubin.begin(), cubin.end());
        for (int i = 0; i < 8; ++i) {
            state = state * 1103515245u + 12345u;
            // Mostly in the headers, where it hurts.
            const std::size_t range = i % 2 ? copy.size() : 64;
            copy[(state >> 8) % range] = char(state >> 24);
        }
        const auto kernels = gpu::readCubin({copy.data(), copy.size()});
        read += kernels.ok();
    }
    QVERIFY(read < 3000);
}

void TestCubin::refusesOtherFiles()
{
    for (const std::string &bytes : {std::string(),
             std::string("\x7f"
                         "ELF"),
             std::string(64, '\0'), std::string(1000, '\xff'),
             std::string("\x7f"
                         "ELF\x01",
                 5)
                 + std::string(200, '\0')}) {
        const auto kernels = gpu::readCubin(bytes);
        QVERIFY(!kernels.ok());
        QCOMPARE(kernels.error().blame, gpu::Blame::Environment);
    }
}

void TestCubin::parsesDiagnostics()
{
    const auto messages = gpu::parseDiagnostics(
        "candidate.cu(12): error: identifier \"x\" is undefined\n"
        "      x = 1;\n"
        "      ^\n\n"
        "candidate.cu(3): warning #177-D: variable \"a\" was declared but never referenced\n"
        "  int a;\n"
        "      ^\n\n"
        "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
        "/cuda/include/mma.h(77): error: static assertion failed\n"
        "    static_assert(no);\n"
        "    ^\n"
        "candidate.cu(1): catastrophic error: cannot open source file \"a.h\"\n"
        "At end of source: error: expected a \";\"\n"
        "ptxas error   : Entry function '_Z1kv' uses too much shared data\n"
        "ptxas info    : 0 bytes gmem\n"
        "2 errors detected in the compilation of \"candidate.cu\".\n",
        "candidate.cu");
    QCOMPARE(messages.size(), std::size_t(6));
    QCOMPARE(messages[0].line, 12);
    QCOMPARE(messages[0].column, 5);
    QCOMPARE(messages[0].text, std::string("identifier \"x\" is undefined"));
    QCOMPARE(messages[1].severity, std::string("warning"));
    QCOMPARE(messages[1].column, 5);
    QCOMPARE(messages[2].line, 0);
    QVERIFY(messages[2].text.starts_with("/cuda/include/mma.h, line 77: static assertion"));
    QCOMPARE(messages[3].severity, std::string("error"));
    QCOMPARE(messages[4].text, std::string("expected a \";\""));
    QVERIFY(messages[5].text.find("too much shared data") != std::string::npos);
    QVERIFY(gpu::parseDiagnostics("", "candidate.cu").empty());
    QVERIFY(gpu::parseDiagnostics("(): x\n(9): \na(99999999999): error: y\n)(\n", "a").empty());
}

void TestCubin::parsesUsage()
{
    const std::string log
        = "ptxas info    : Function properties for _Z1kPf\n"
          "ptxas         .     16 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads\n"
          "ptxas info    : Used 32 registers, used 1 barriers, 400 bytes smem\n";
    const auto usage = gpu::parsePtxasUsage(log);
    QCOMPARE(usage.size(), std::size_t(1));
    QCOMPARE(usage[0].function, std::string("_Z1kPf"));
    QCOMPARE(usage[0].frameBytes, 16);
    QCOMPARE(usage[0].spillStoreBytes, 24);
    QCOMPARE(usage[0].spillLoadBytes, 28);
    QCOMPARE(usage[0].registers, 32);
    QCOMPARE(usage[0].sharedBytes, 400);
    QCOMPARE(gpu::readableLog(log + "candidate.cu(1): error: x\n"),
        std::string("candidate.cu(1): error: x\n"));
}

QTEST_APPLESS_MAIN(TestCubin)
#include "tst_cubin.moc"
