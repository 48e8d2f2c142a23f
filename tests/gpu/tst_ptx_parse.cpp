#include "gpu/base/files.h"
#include "ptxrun.h"

#include <QtTest>

using namespace gpu;

/// Text to program: what NVRTC writes, what people write in asm, and what is wrong.
class TestPtxParse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kernelsOfNvrtc();
    void malformed_data();
    void malformed();
    void truncatedAnywhere();
    void variables();
    void scopes();
    void unknownInstructionOnlyWhenExecuted();
    void faultNamesSourceLine();
};

void TestPtxParse::kernelsOfNvrtc()
{
    const auto text = readFile(SOURCE_DIR "/tests/gpu/data/matmul.ptx");
    QVERIFY(text);
    const auto program = ptx::decode(*text);
    QVERIFY2(program, program ? "" : program.error().message.c_str());
    const auto kernels = ptx::kernels(**program);
    QCOMPARE(kernels.size(), std::size_t(2));
    for (const ptx::KernelInfo &kernel : kernels) {
        QCOMPARE(kernel.parameters.size(), std::size_t(4));
        QCOMPARE(kernel.parameters[3].offset, std::size_t(24));
        QCOMPARE(kernel.parameterBytes, std::size_t(28));
        QCOMPARE(kernel.staticSharedBytes,
            kernel.name == "matmul32" ? 32u * 33 * 4 + 32 * 32 * 4 : 2u * 16 * 16 * 4);
    }
}

void TestPtxParse::malformed_data()
{
    QTest::addColumn<QByteArray>("ptx");
    QTest::addColumn<QByteArray>("message");
    const auto body = [](const char *text) { return QByteArray(PtxRun::kernel(text).c_str()); };
    QTest::newRow("garbage") << QByteArray("\x01\xff") << QByteArray("line 1");
    QTest::newRow("unclosed comment") << QByteArray("/* x") << QByteArray("comment");
    QTest::newRow("no brace") << QByteArray(".visible .entry k()\n{\nret;") << QByteArray("line 3");
    QTest::newRow("unknown register") << body("add.s32 %r1, %q1, 1;") << QByteArray("%q1");
    QTest::newRow("register range") << body("add.s32 %r64, %r1, 1;") << QByteArray("line 1");
    QTest::newRow("size") << body("add.s64 %rd1, %r1, 1;") << QByteArray("wrong size");
    QTest::newRow("label") << body("bra nowhere;") << QByteArray("nowhere");
    QTest::newRow("missing operand") << body("add.s32 %r1, %r2;") << QByteArray("missing");
    QTest::newRow("too many") << body("add.s32 %r1, %r2, %r3, %r4;") << QByteArray("too many");
    QTest::newRow("guard") << body("@%r1 bra x;\nx:") << QByteArray("guard");
    QTest::newRow("immediate result") << body("mov.u32 5, %r1;") << QByteArray("register");
    QTest::newRow("huge registers") << body(".reg .b32 %z<99999999>;") << QByteArray("registers");
    QTest::newRow("huge array") << QByteArray(".global .b8 a[99999999999999];")
                                << QByteArray("large");
    QTest::newRow("twice") << QByteArray(".entry k(){ret;}\n.entry k(){ret;}")
                           << QByteArray("twice");
}

void TestPtxParse::malformed()
{
    QFETCH(QByteArray, ptx);
    QFETCH(QByteArray, message);
    const auto program = gpu::ptx::decode(ptx.toStdString());
    QVERIFY(!program);
    const QByteArray text = QByteArray::fromStdString(program.error().message);
    QVERIFY2(text.contains(message), text.constData());
    QVERIFY2(text.contains("PTX line "), text.constData());
}

void TestPtxParse::truncatedAnywhere()
{
    const auto text = readFile(SOURCE_DIR "/tests/gpu/data/matmul.ptx");
    QVERIFY(text);
    for (std::size_t length = 0; length < text->size(); length += 37) {
        const auto program = ptx::decode(std::string_view(*text).substr(0, length));
        if (!program)
            QVERIFY(!program.error().message.empty());
    }
}

void TestPtxParse::variables()
{
    const PtxRun result = PtxRun::run(PtxRun::kernel(
        "ld.const.u32 %r1, [table+4];\nst.global.u32 [%o], %r1;\n"
        "ld.global.u64 %rd1, [pointer];\nld.u32 %r2, [%rd1];\nst.global.u32 [%o+4], %r2;\n"
        "ld.global.f32 %f1, [number];\nst.global.f32 [%o+8], %f1;\n"
        "ld.global.u8 %r3, [$str+1];\nst.global.u32 [%o+12], %r3;",
        ".const .align 4 .b32 table[3] = {7, -1, 0x10};\n"
        ".global .align 8 .u64 pointer = generic(table)+8;\n"
        ".global .f32 number = 0f40490FDB;\n"
        ".global .align 1 .b8 $str[4] = {110, 97, 10};\n"));
    QVERIFY2(!result.fault && result.error.empty(), result.error.c_str());
    QCOMPARE(result.out[0], 0xffffffffu);
    QCOMPARE(result.out[1], 16u);
    QCOMPARE(result.out[2], 0x40490fdbu);
    QCOMPARE(result.out[3], 97u);
}

void TestPtxParse::scopes()
{
    // What inline asm with its own registers and labels becomes.
    const PtxRun result = PtxRun::run(PtxRun::kernel(
        "mov.u32 %r1, 1;\n{ .reg .u32 t; .reg .pred p; mov.u32 t, %laneid; setp.gt.u32 p, t, 7;\n"
        "@p bra L; add.u32 %r1, t, 100;\nL:\n}\n"
        "{ .reg .u32 t; mov.u32 t, 5; bra L; add.u32 t, t, 1;\nL: add.u32 %r1, %r1, t; }\n"
        "mov.u32 %r2, %laneid;\nmad.wide.u32 %rd1, %r2, 4, %o;\nst.global.u32 [%rd1], %r1;"));
    QVERIFY2(!result.fault && result.error.empty(), result.error.c_str());
    QCOMPARE(result.out[3], 108u);
    QCOMPARE(result.out[9], 6u);
}

void TestPtxParse::unknownInstructionOnlyWhenExecuted()
{
    const std::string text = "setp.eq.u64 %p1, %o, 0;\n.loc 1 42 1\n@%p1 wgmma.fence.sync.aligned;";
    QVERIFY(!PtxRun::run(PtxRun::kernel(text)).fault);
    const PtxRun result = PtxRun::run(PtxRun::kernel(text + "\nwgmma.fence.sync.aligned;"));
    QVERIFY(result.fault);
    QCOMPARE(result.fault->kind, gpu::ptx::FaultKind::Unsupported);
    QVERIFY(result.fault->message.find("wgmma.fence") != std::string::npos);
    QCOMPARE(result.fault->line, 42);
}

void TestPtxParse::faultNamesSourceLine()
{
    const PtxRun result = PtxRun::run(
        PtxRun::kernel(".loc 1 17 3\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 35;\n"
                       "@%p1 st.global.u32 [%o+4096], %r1;")
            + ".file 1 \"/build/kernel.cu\"\n",
        {64, 1, 1}, {2, 1, 1});
    QVERIFY(result.fault);
    QCOMPARE(result.fault->kind, gpu::ptx::FaultKind::OutOfBounds);
    QCOMPARE(result.fault->file, std::string("kernel.cu"));
    QCOMPARE(result.fault->line, 17);
    QVERIFY(result.fault->message.find(", kernel.cu:17") != std::string::npos);
    QCOMPARE(result.fault->thread.x, 35u);
    QCOMPARE(result.fault->kernel, std::string("k"));
    QVERIFY2(
        result.fault->message.find("4 bytes past the end of buffer \"out\"") != std::string::npos,
        result.fault->message.c_str());
}

QTEST_GUILESS_MAIN(TestPtxParse)
#include "tst_ptx_parse.moc"
