#include "gpu/base/files.h"
#include "ptxrun.h"

#include <QtTest>

using gpu::ptx::FaultKind;

/// Block barriers, shared memory and what checked mode finds there.
class TestPtxBarrier : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void earlyReturnBeforeBarrier();
    void divergentBarrier();
    void reductions();
    void sharedMistakes_data();
    void sharedMistakes();
    void tiledMatmulIsClean();
};

void TestPtxBarrier::earlyReturnBeforeBarrier()
{
    const PtxRun run = PtxRun::run(
        PtxRun::kernel("mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 70;\n@%p1 ret;\n"
                       "bar.sync 0;\nmad.wide.u32 %rd1, %r1, 4, %o;\nst.global.u32 [%rd1], 1;"),
        {128, 1, 1});
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    QCOMPARE(run.out[69], 1u);
    QCOMPARE(run.out[70], 0u);
}

void TestPtxBarrier::divergentBarrier()
{
    const PtxRun run = PtxRun::run(
        PtxRun::kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 40;\n.loc 1 12 1\n"
                       "@%p1 bar.sync 1;\nbar.sync 2;"),
        {64, 1, 1});
    QVERIFY(run.fault);
    QCOMPARE(run.fault->kind, FaultKind::BarrierDivergence);
    QVERIFY2(run.fault->message.find("barrier reached by 40 of 64 threads at line 12")
            != std::string::npos,
        run.fault->message.c_str());
}

void TestPtxBarrier::reductions()
{
    const PtxRun run = PtxRun::run(
        PtxRun::kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 40;\n"
                       "bar.red.popc.u32 %r2, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n"
                       "bar.red.or.pred %p3, 0, !%p1;\nselp.u32 %r3, 1000, 0, %p2;\n"
                       "selp.u32 %r4, 500, 0, %p3;\nadd.u32 %r2, %r2, %r3;\n"
                       "add.u32 %r2, %r2, %r4;\nmad.wide.u32 %rd1, %r1, 4, %o;\n"
                       "st.global.u32 [%rd1], %r2;"),
        {96, 1, 1});
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    for (unsigned i = 0; i < 96; ++i)
        QCOMPARE(run.out[i], 540u);
}

void TestPtxBarrier::sharedMistakes_data()
{
    QTest::addColumn<QByteArray>("between");
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<int>("fault"); // -1: none
    QTest::newRow("barrier") << QByteArray("bar.sync 0;") << QByteArray() << -1;
    QTest::newRow("no barrier") << QByteArray() << QByteArray() << int(FaultKind::Race);
    QTest::newRow("unwritten") << QByteArray("bar.sync 0;") << QByteArray("@%p1 ")
                               << int(FaultKind::UninitialisedRead);
}

void TestPtxBarrier::sharedMistakes()
{
    QFETCH(QByteArray, between);
    QFETCH(QByteArray, written);
    QFETCH(int, fault);
    gpu::ptx::ExecutionOptions options;
    options.checked = true;
    const PtxRun run = PtxRun::run(
        PtxRun::kernel(".shared .align 4 .b8 tile[256];\nmov.u32 %r1, %tid.x;\n"
                       "setp.ne.u32 %p1, %r1, 9;\nmov.u32 %r2, tile;\n"
                       "mad.lo.u32 %r3, %r1, 4, %r2;\n"
            + written.toStdString() + "st.shared.u32 [%r3], 0;\nbar.sync 0;\n"
            + written.toStdString() + "st.shared.u32 [%r3], %r1;\n" + between.toStdString()
            + "\nxor.b32 %r4, %r1, 32;\nmad.lo.u32 %r5, %r4, 4, %r2;\n"
              "ld.shared.u32 %r6, [%r5];\nmad.wide.u32 %rd1, %r1, 4, %o;\n"
              "st.global.u32 [%rd1], %r6;"),
        {64, 1, 1}, {1, 1, 1}, 1024, options);
    QVERIFY2(run.error.empty(), run.error.c_str());
    QCOMPARE(run.fault ? int(run.fault->kind) : -1, fault);
    if (fault < 0)
        QCOMPARE(run.out[0], 32u);
}

void TestPtxBarrier::tiledMatmulIsClean()
{
    const auto text = gpu::readFile(SOURCE_DIR "/tests/gpu/data/matmul.ptx");
    QVERIFY(text);
    const auto program = gpu::ptx::decode(*text);
    QVERIFY(program);
    constexpr int N = 64;
    for (const bool checked : {false, true}) {
        gpu::ptx::GlobalMemory memory(1u << 24);
        const auto instance = gpu::ptx::Instance::load(*program, memory);
        QVERIFY(instance);
        std::uint64_t address[3];
        float *values[3];
        for (int i = 0; i < 3; ++i) {
            address[i] = *memory.allocate(N * N * 4, "m");
            values[i] = reinterpret_cast<float *>(memory.contents(address[i]).data());
            for (int k = 0; k < N * N; ++k)
                values[i][k] = float((k * 7 + i) % 11);
        }
        gpu::ptx::Launch launch{"matmul16", {N / 16, N / 16, 1}, {16, 16, 1}, 0, {}, false};
        launch.parameters.resize(28);
        std::memcpy(launch.parameters.data(), address, 24);
        const int size = N;
        std::memcpy(launch.parameters.data() + 24, &size, 4);
        gpu::ptx::ExecutionOptions options;
        options.checked = checked;
        const auto fault = gpu::ptx::run(**instance, memory, launch, options);
        QVERIFY2(!fault, fault ? fault->message.c_str() : "");
        for (int row = 0; row < N; ++row)
            for (int column = 0; column < N; ++column) {
                float sum = 0;
                for (int k = 0; k < N; ++k)
                    sum += values[0][row * N + k] * values[1][k * N + column];
                QCOMPARE(values[2][row * N + column], sum);
            }
    }
}

QTEST_GUILESS_MAIN(TestPtxBarrier)
#include "tst_ptx_barrier.moc"
