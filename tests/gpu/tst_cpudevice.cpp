#include "gpu/device/cpudevice.h"

#include <QTest>

#include <cstring>

/// Plans over the interpreter: arguments, memsets, scratch initialisation, and what is refused.
class TestCpuDevice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void factsAreComplete();
    void runsAPlan();
    void refuses_data();
    void refuses();
    void foreignCodeIsUnsupported();
};

/// y[i] = x[i] + value for one block.
static const char *const AddPtx = R"(
.version 9.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 value)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r3, [%rd4];
    add.s32 %r4, %r3, %r1;
    st.global.u32 [%rd5], %r4;
    ret;
}
)";

static gpu::ResolvedKernel addStep()
{
    gpu::ResolvedKernel step;
    step.kernel = "add";
    step.block = {32, 1, 1};
    const std::int32_t value = 7;
    std::vector<std::byte> bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    step.args.resize(3);
    step.args[0].buffer = "x";
    step.args[1].buffer = "y";
    step.args[2].bytes = bytes;
    return step;
}

/// Runs the step once with x filled by the plan's own memset; the outputs of y.
static std::optional<gpu::DeviceFault> run(
    const gpu::ResolvedKernel &step, std::size_t elements, std::vector<std::uint32_t> &y)
{
    const auto device = gpu::makeCpuDevice();
    gpu::CompileOutput code;
    code.ptx = AddPtx;
    code.kernels = {{"add", "add", {}}};
    auto program = device->load(code);
    if (!program)
        return gpu::DeviceFault{gpu::Verdict::EnvironmentError, program.error().message, {}};
    gpu::ResolvedPlan plan;
    plan.steps = {gpu::ResolvedMemset{"x", 1}, step};
    const gpu::Buffers buffers{
        {"x", *device->allocate(elements * 4, "x")}, {"y", *device->allocate(elements * 4, "y")}};
    auto fault = device->run(**program, plan, buffers, {});
    y.resize(elements);
    static_cast<void>(device->download(buffers.at("y"), std::as_writable_bytes(std::span(y))));
    return fault;
}

void TestCpuDevice::factsAreComplete()
{
    const auto device = gpu::makeCpuDevice();
    const gpu::DeviceFacts &facts = device->facts();
    QCOMPARE(facts.kind, std::string("cpu"));
    QVERIFY(facts.name.find("core") != std::string::npos);
    QVERIFY(facts.limits.smCount >= 1);
    QVERIFY(facts.memoryBytes > 1 << 20);
    QVERIFY(facts.peakBytesPerSecond > 1e9 && facts.peakFlopsPerSecond > 1e9);
    QCOMPARE(device->freeBytes(), facts.memoryBytes);
}

void TestCpuDevice::runsAPlan()
{
    std::vector<std::uint32_t> y;
    const auto fault = run(addStep(), 32, y);
    QVERIFY2(!fault, fault ? fault->message.c_str() : "");
    QCOMPARE(y, std::vector<std::uint32_t>(32, 0x01010108));
}

void TestCpuDevice::refuses_data()
{
    QTest::addColumn<int>("change");
    QTest::addColumn<QByteArray>("verdict");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("cluster") << 0 << QByteArray("unsupported") << QByteArray("cluster");
    QTest::newRow("tensor map") << 1 << QByteArray("unsupported") << QByteArray("tensor_maps");
    QTest::newRow("argument count") << 2 << QByteArray("plan_error") << QByteArray("args");
    QTest::newRow("argument size") << 3 << QByteArray("plan_error") << QByteArray("bytes");
    QTest::newRow("no such kernel") << 4 << QByteArray("plan_error") << QByteArray("subtract");
    QTest::newRow("too many threads") << 5 << QByteArray("launch_error") << QByteArray("");
    QTest::newRow("past the end") << 6 << QByteArray("out_of_bounds") << QByteArray("add");
}

void TestCpuDevice::refuses()
{
    QFETCH(int, change);
    QFETCH(QByteArray, verdict);
    QFETCH(QByteArray, says);
    gpu::ResolvedKernel step = addStep();
    if (change == 0)
        step.cluster = {2, 1, 1};
    else if (change == 1)
        step.args[0].buffer = "a map";
    else if (change == 2)
        step.args.pop_back();
    else if (change == 3)
        step.args[2].bytes.resize(8);
    else if (change == 4)
        step.kernel = "subtract";
    else if (change == 5)
        step.block = {2048, 1, 1};
    std::vector<std::uint32_t> y;
    const auto fault = run(step, change == 6 ? 31 : 32, y);
    QVERIFY(fault);
    QVERIFY2(QByteArray(name(fault->verdict).data()) == verdict, fault->message.c_str());
    QVERIFY2(fault->message.find(says.toStdString()) != std::string::npos, fault->message.c_str());
}

void TestCpuDevice::foreignCodeIsUnsupported()
{
    gpu::CompileOutput code;
    code.ptx = "this is no PTX";
    const auto program = gpu::makeCpuDevice()->load(code);
    QVERIFY(!program.ok());
    QVERIFY(program.error().blame == gpu::Blame::Candidate);
}

QTEST_APPLESS_MAIN(TestCpuDevice)
#include "tst_cpudevice.moc"
