#include "ptxrun.h"

#include <QtTest>

using gpu::ptx::FaultKind;

/// What the interpreter lacks ends as Unsupported with the opcode and the source line, and only
/// when it is executed. What is no PTX is an error of decoding.
class TestPtxGaps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unsupported_data();
    void unsupported();
    void modules_data();
    void modules();
    void clusterLaunch();
    void invalid_data();
    void invalid();
};

void TestPtxGaps::unsupported_data()
{
    QTest::addColumn<QByteArray>("instruction");
    QTest::addColumn<QByteArray>("named"); ///< empty: the opcode
    const auto row = [](const char *instruction, const char *named = "") {
        QTest::newRow(instruction) << QByteArray(instruction) << QByteArray(named);
    };
    // 128 bits, vector and 8-bit registers
    row("mov.b128 q, {%rd1, %rd2};");
    row("mov.b128 {%rd1, %rd2}, q;");
    row("ld.global.b128 q, [%o];");
    row("st.global.b128 [%o], q;");
    row("atom.global.exch.b128 q, [%o], q;");
    row("mov.f32 %f1, v.x;", "vector register v.x");
    row("mov.f32 v.w, %f1;", "vector register v.w");
    row("ld.global.v4.f32 v, [%o];", "vector register v");
    row("st.global.v4.f32 [%o], v;", "vector register v");
    row("add.f32 %f1, %f2, v.y;", "vector register v.y");
    row("mov.b32 %r1, {c, c, c, c};", "8-bit register c");
    row("mov.b16 {c, c}, %h1;", "8-bit register c");
    // special registers
    row("mov.u32 %r1, %envreg7;", "special register %envreg7");
    row("mov.u32 %r1, %pm0;", "special register %pm0");
    row("mov.u64 %rd1, %pm3_64;", "special register %pm3_64");
    row("mov.pred %p1, %is_explicit_cluster;", "special register %is_explicit_cluster");
    row("mov.u64 %rd1, %current_graph_exec;", "special register %current_graph_exec");
    // opcodes
    row("wgmma.fence.sync.aligned;");
    row("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, "
        "%p1, 1, 1, 0, 0;");
    row("barrier.cluster.arrive.aligned;");
    row("barrier.cluster.wait.aligned;");
    row("mapa.shared::cluster.u32 %r1, %r2, %r3;");
    row("getctarank.u32 %r1, %r2;");
    row("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%o], 16, "
        "[%r2];");
    row("cp.async.bulk.commit_group;");
    row("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], "
        "[%o, {%r2, %r3}], [%r4];");
    row("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%o], [%r1], 16;");
    row("cp.async.ca.shared.global [%r1], [%o], 16, %p1;");
    row("cp.async.ca.shared.global.L2::cache_hint [%r1], [%o], 16, %rd1;");
    row("mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1], %r2;");
    row("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;");
    row("tensormap.replace.tile.global_address.global.b1024.b64 [%o], %rd1;");
    row("multimem.ld_reduce.global.add.f32 %f1, [%o];");
    row("ld.shared::cluster.u32 %r1, [%r2];");
    row("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];");
    row("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], "
        "%r2, [%r3];");
    row("atom.global.v2.f32.add {%f1, %f2}, [%o], {%f1, %f2};");
    row("vadd.s32.s32.s32 %r1, %r2, %r3;");
    row("vset4.u32.u32.eq %r1, %r2, %r3, %r4;");
    row("alloca.u64 %rd1, 16;");
    row("stacksave.u64 %rd1;");
    row("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, "
        "{%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0x0;");
    row("tcgen05.wait::ld.sync.aligned;");
    row("setfoo.u32 %r1, %r2;");
    // modifiers and types
    row("add.f32x2 %rd1, %rd2, %rd3;");
    row("add.f32.bf16 %f1, %h1, %f2;");
    row("cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;");
    row("cvt.rn.satfinite.e2m1x2.f32 c, %f1, %f2;");
    row("redux.sync.min.abs.f32 %f1, %f2, -1;");
    row("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;");
    row("add.rn.frobnicated.f32 %f1, %f2, %f3;");
    row("ld.global.strange.u32 %r1, [%o];");
    row("shfl.down.b32 %r1, %r2, 1, 31;");
    row("vote.all.pred %p1, %p2;");
    row("mbarrier.pending_count.b64 %r1, %rd1;");
    // calls
    row("call (%r1), byRegister, (%r2);", "arguments that are no .param");
    row("call byRegister;", "parameters in registers");
    row("call (r), byParameter, (%r2);", "arguments that are no .param");
    row("call undefined;", "call undefined");
    // other modules
    row("ld.global.u32 %r1, [elsewhere];", "variable elsewhere of another module");
    row("mov.u64 %rd1, elsewhere;", "variable elsewhere of another module");
    row("cvta.global.u64 %rd1, elsewhere;", "variable elsewhere of another module");
    row("st.global.u32 [elsewhere+4], %r1;", "variable elsewhere of another module");
}

void TestPtxGaps::unsupported()
{
    QFETCH(QByteArray, instruction);
    QFETCH(QByteArray, named);
    const QByteArray opcode = instruction.left(instruction.indexOf(' ')).replace(";", "");
    const std::string module
        = ".extern .global .align 4 .u32 elsewhere;\n.extern .func undefined;\n"
          ".func (.reg .b32 r) byRegister(.reg .b32 a)\n{\nadd.s32 r, a, 1;\nret;\n}\n"
          ".func (.param .b32 r) byParameter(.param .b32 a)\n{\nret;\n}\n";
    const std::string registers
        = ".reg .b128 q;\n.reg .v4 .f32 v;\n.reg .b8 c;\n.param .b32 r;\n.shared .b8 s[64];\n";
    // Harmless while nothing executes it, with and without a guard.
    for (const char *skip : {"bra OVER;\n", "@%p9 "}) {
        const std::string never = "setp.ne.u64 %p9, %o, %o;\n" + std::string(skip)
            + instruction.toStdString() + "\nOVER:\nst.global.u32 [%o], 7;";
        const PtxRun run = PtxRun::run(PtxRun::kernel(registers + never, module));
        QVERIFY2(run.error.empty(), run.error.c_str());
        QVERIFY2(!run.fault, run.fault ? run.fault->message.c_str() : "");
        QCOMPARE(run.out[0], 7u);
    }
    const std::string text = registers + "mov.u32 %r1, 0;\n.loc 1 42 7\n"
        + instruction.toStdString() + "\n.loc 1 43 1\n";
    const PtxRun run = PtxRun::run(PtxRun::kernel(text, ".file 1 \"k.cu\"\n" + module));
    QVERIFY2(run.error.empty(), run.error.c_str());
    QVERIFY(run.fault);
    QVERIFY2(run.fault->kind == FaultKind::Unsupported, run.fault->message.c_str());
    const QByteArray message = QByteArray::fromStdString(run.fault->message);
    QVERIFY2(message.contains(named.isEmpty() ? opcode : named), message.constData());
    QVERIFY2(message.contains(opcode), message.constData());
    QVERIFY2(message.contains("k.cu:42"), message.constData());
    QCOMPARE(run.fault->line, 42);
    QCOMPARE(run.fault->kernel, std::string("k"));
}

void TestPtxGaps::modules_data()
{
    QTest::addColumn<QByteArray>("module");
    QTest::newRow("unused texture") << QByteArray(".global .texref t;\n");
    QTest::newRow("unused surface") << QByteArray(".global .surfref t;\n");
    QTest::newRow("unused extern variable") << QByteArray(".extern .global .b8 t[4];\n");
    QTest::newRow("unused extern constant") << QByteArray(".extern .const .u64 t;\n");
    QTest::newRow("unused extern function") << QByteArray(".extern .func (.param .b32 r) f;\n");
    QTest::newRow("unused register function")
        << QByteArray(".func (.reg .f32 r) f(.reg .f32 a, .reg .pred p)\n{\n"
                      "@p add.f32 r, a, a;\nret;\n}\n");
}

void TestPtxGaps::modules()
{
    QFETCH(QByteArray, module);
    const PtxRun run = PtxRun::run(PtxRun::kernel("st.global.u32 [%o], 7;", module.toStdString()));
    QVERIFY2(run.error.empty(), run.error.c_str());
    QVERIFY2(!run.fault, run.fault ? run.fault->message.c_str() : "");
    QCOMPARE(run.out[0], 7u);
}

void TestPtxGaps::clusterLaunch()
{
    std::string text = PtxRun::kernel("st.global.u32 [%o], 7;");
    const std::size_t brace = text.find("\n{\n");
    const auto with = [&](const char *directive) {
        std::string changed = text;
        return changed.insert(brace, directive);
    };
    QVERIFY(!PtxRun::run(with("\n.explicitcluster\n.reqnctapercluster 1, 1, 1")).fault);
    const PtxRun run = PtxRun::run(
        with("\n.explicitcluster\n.reqnctapercluster 2, 1, 1"), {32, 1, 1}, {2, 1, 1});
    QVERIFY2(run.error.empty(), run.error.c_str());
    QVERIFY(run.fault);
    QCOMPARE(run.fault->kind, FaultKind::Unsupported);
    QVERIFY(run.fault->message.find("cluster") != std::string::npos);
    QCOMPARE(run.out[0], 0u);
}

void TestPtxGaps::invalid_data()
{
    QTest::addColumn<QByteArray>("instruction");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *instruction, const char *message) {
        QTest::newRow(instruction) << QByteArray(instruction) << QByteArray(message);
    };
    // Each of these could be run as something else without a word.
    row("add.s32 %r1|%r2, %r3, %r4;", "second result");
    row("add.s32 %r1, !%r2, %r3;", "negated");
    row("ld.global.v4.u32 {%r1, %r2}, [%o];", "vector of 2");
    row("ld.global.v2.u32 %r1, [%o];", "vector of 1");
    row("ld.global.u32 {%r1, %r2}, [%o];", "vector of 2");
    row("st.global.v2.u32 [%o], {%r1, %r2, %r3, %r4};", "vector of 4");
    row("mov.b64 %rd1, {%r1, %r2, %r3};", "vector of 3");
    row("mov.b64 {%h1, %h2}, %rd1;", "vector of 2");
    row("mov.pred %p1, %tid.x;", "%tid.x");
    row("mov.u32 %r1, %tidy.x;", "unknown register");
    row("mov.u32 %r1, nothing;", "unknown name");
    row("ld.global.u64 %r1, [%o];", "ld.global.u64");
    row("mov.b64 %rd1, {%r1, %r2;", "PTX line");
    row("@%r1 add.s32 %r1, %r1, 1;", "guard");
}

void TestPtxGaps::invalid()
{
    QFETCH(QByteArray, instruction);
    QFETCH(QByteArray, message);
    const PtxRun run = PtxRun::run(PtxRun::kernel(instruction.toStdString()));
    const std::string &text = run.error.empty() && run.fault ? run.fault->message : run.error;
    QVERIFY2(text.find(message.toStdString()) != std::string::npos, text.c_str());
}

QTEST_GUILESS_MAIN(TestPtxGaps)
#include "tst_ptx_gaps.moc"
