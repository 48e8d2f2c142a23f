#include "ptxrun.h"

#include <QtTest>

using gpu::ptx::FaultKind;

/// Every wrong access in every space ends as its verdict with kernel, block, thread and line.
class TestPtxMemory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mistakes_data();
    void mistakes();
    void correctAccesses_data();
    void correctAccesses();
    void unwrittenLocal_data();
    void unwrittenLocal();
    void synchronisation_data();
    void synchronisation();
};

namespace {

/// Only thread (5, 0, 0) of block (1, 0, 0) of two does it, on line 42. "out" has 4096 bytes.
constexpr const char *Module = ".file 1 \"k.cu\"\n.const .align 8 .b8 table[32];\n"
                               ".global .align 8 .b8 state[24];\n.extern .shared .b8 dynamic[];\n";

std::string onlyThere(const std::string &body)
{
    return PtxRun::kernel(".shared .align 16 .b8 s[64];\n.local .align 16 .b8 l[64];\n"
                          "mov.u32 %r60, %ctaid.x;\nmov.u32 %r61, %tid.x;\n"
                          "setp.ne.u32 %p60, %r60, 1;\nsetp.ne.or.u32 %p60, %r61, 5, %p60;\n"
                          "@%p60 ret;\nmov.u32 %r1, 0;\nmov.u64 %rd1, 0;\n.loc 1 42 9\n"
            + body + "\n.loc 1 50 1\n",
        Module);
}

} // namespace

void TestPtxMemory::mistakes_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char *name, const char *body, FaultKind kind, const char *says) {
        QTest::newRow(name) << QByteArray(body) << int(kind) << QByteArray(says);
    };
    constexpr auto Out = FaultKind::OutOfBounds, Odd = FaultKind::Misaligned,
                   Wild = FaultKind::InvalidAddress, Fixed = FaultKind::ReadOnlyWrite;
    // global
    row("global read past", "ld.global.u32 %r1, [%o+4096];", Out, "4 bytes past the end");
    row("global write past", "st.global.u8 [%o+4096], %r1;", Out, "1 bytes past the end");
    row("global vector over", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%o+4088];", Out,
        "8 bytes past the end");
    row("global before", "ld.global.u32 %r1, [%o-4];", Out, "4 bytes before the start");
    row("generic past", "ld.u64 %rd1, [%o+4096];", Out, "past the end of buffer \"out\"");
    row("variable past", "ld.global.u32 %r1, [state+24];", Out, "state");
    row("atomic past", "atom.global.add.u32 %r1, [%o+4096], 1;", Out, "atomic access");
    row("reduction past", "red.global.add.f32 [%o+4096], 0f3F800000;", Out, "atomic access");
    row("volatile past", "ld.volatile.global.u32 %r1, [%o+4096];", Out, "past the end");
    row("cached past", "ld.global.nc.L1::no_allocate.v2.f32 {%f1, %f2}, [%o+4096];", Out, "8 b");
    row("async copy past", "mov.u32 %r1, s;\ncp.async.ca.shared.global [%r1], [%o+4092], 8;", Out,
        "buffer \"out\"");
    row("null read", "ld.global.u32 %r1, [%rd1];", Wild, "null pointer");
    row("null write", "st.global.u32 [%rd1+16], %r1;", Wild, "null pointer");
    row("null atomic", "atom.add.u32 %r1, [%rd1], 1;", Wild, "null pointer");
    row("null generic", "ld.u32 %r1, [%rd1];", Wild, "null pointer");
    row("wild", "mov.u64 %rd2, 0x123456789abc0;\nld.global.u32 %r1, [%rd2];", Wild, "no buffer");
    row("wild high", "mov.u64 %rd2, -16;\nst.u32 [%rd2], %r1;", Wild, "no buffer");
    row("global misaligned 2", "ld.global.u16 %h1, [%o+1];", Odd, "multiple of 2");
    row("global misaligned 4", "st.global.u32 [%o+2], %r1;", Odd, "multiple of 4");
    row("global misaligned 8", "ld.global.f64 %fd1, [%o+4];", Odd, "multiple of 8");
    row("global misaligned 16", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%o+8];", Odd, "of 16");
    row("global misaligned pair", "st.global.v2.b16 [%o+2], {%h1, %h2};", Odd, "multiple of 4");
    row("atomic misaligned", "atom.global.cas.b64 %rd1, [%o+4], %rd1, %rd1;", Odd, "of 8");
    row("async copy misaligned", "mov.u32 %r1, s;\ncp.async.cg.shared.global [%r1], [%o+8], 16;",
        Odd, "multiple of 16");
    // shared: 64 static bytes and 1024 - 64 dynamic ones that start at 1024
    row("shared read past", "ld.shared.u32 %r1, [s+2048];", Out, "shared memory");
    row("shared write past", "st.shared.u32 [dynamic+1024], %r1;", Out, "shared memory");
    row("shared negative", "mov.u32 %r2, -8;\nld.shared.u64 %rd1, [%r2];", Out, "shared memory");
    row("shared vector over", "st.shared.v4.u32 [dynamic+1016], {%r1, %r1, %r1, %r1};", Out,
        "16 bytes");
    row("shared generic past", "cvta.shared.u64 %rd2, dynamic;\nld.u32 %r1, [%rd2+1024];", Out,
        "shared memory");
    row("shared atomic past", "atom.shared.add.u32 %r1, [dynamic+1024], 1;", Out, "shared memory");
    row("shared copy past", "mov.u32 %r2, dynamic;\ncp.async.ca.shared.global [%r2+1020], [%o], 8;",
        Out, "shared");
    row("mbarrier past", "mbarrier.init.shared.b64 [dynamic+1024], 1;", Out, "shared memory");
    row("shared misaligned 4", "ld.shared.u32 %r1, [s+2];", Odd, "multiple of 4");
    row("shared misaligned 16", "ld.shared.v2.u64 {%rd1, %rd2}, [s+8];", Odd, "multiple of 16");
    row("shared atomic misaligned", "red.shared.add.u64 [s+4], 1;", Odd, "multiple of 8");
    row("mbarrier misaligned", "mbarrier.init.shared.b64 [s+4], 1;", Odd, "multiple of 8");
    // local
    row("local read past", "ld.local.u32 %r1, [l+64];", Out, "local memory");
    row("local write past", "mov.u64 %rd2, l;\nst.local.u32 [%rd2+64], %r1;", Out, "local memory");
    row("local negative", "mov.u64 %rd2, l;\nst.local.u32 [%rd2-4096], %r1;", Out, "local memory");
    row("local generic past", "cvta.local.u64 %rd2, l;\nst.u32 [%rd2+64], %r1;", Out, "local");
    row("local vector over", "st.local.v4.u32 [l+56], {%r1, %r1, %r1, %r1};", Out, "16 bytes");
    row("local misaligned", "st.local.u64 [l+4], %rd1;", Odd, "multiple of 8");
    row("local generic misaligned", "cvta.local.u64 %rd2, l;\nst.u32 [%rd2+1], %r1;", Odd, "of 4");
    // const
    row("const past", "ld.const.u32 %r1, [table+32];", Out, "table");
    row("const before", "ld.const.u32 %r1, [table-4];", Out, "table");
    row("const misaligned", "ld.const.u64 %rd1, [table+4];", Odd, "multiple of 8");
    row("const written", "cvta.const.u64 %rd2, table;\nst.u32 [%rd2], %r1;", Fixed, "table");
    row("const atomic", "cvta.const.u64 %rd2, table;\natom.add.u32 %r1, [%rd2], 1;", Fixed,
        "table");
    // param
    row("param past", "ld.param.u32 %r1, [out+8];", Out, "parameters");
    row("param over", "ld.param.v2.u64 {%rd1, %rd2}, [out];", Out, "parameters");
    row("param misaligned", "ld.param.u32 %r1, [out+2];", Odd, "multiple of 4");
    row("param generic past",
        "mov.u64 %rd2, out;\ncvta.param.u64 %rd2, %rd2;\nld.u64 %rd1, "
        "[%rd2+8];",
        Out, "parameters");
    row("param written", "mov.u64 %rd2, out;\ncvta.param.u64 %rd2, %rd2;\nst.u32 [%rd2], %r1;",
        Fixed, "parameter");
    // and what is no access
    row("trap", "trap;", FaultKind::Trap, "trap");
    row("endless loop", "L:\nbra L;", FaultKind::BudgetSpent, "endless loop");
    row("endless recursion", "call recurse;", Out, "stack overflow");
    row("call of null", "call %rd1;", Wild, "no matching function");
    row("branch past the table", "mov.u32 %r2, 7;\nbrx.idx %r2, ts;", FaultKind::Trap,
        "past the 2 targets");
}

void TestPtxMemory::mistakes()
{
    QFETCH(QByteArray, body);
    QFETCH(int, kind);
    QFETCH(QByteArray, says);
    std::string text = body.toStdString();
    const bool recurses = body.contains("recurse"), table = body.contains("brx");
    if (table)
        text = "ts: .branchtargets A, B;\n" + text + "\nA:\nB:\n";
    text = onlyThere(text);
    if (recurses)
        text.insert(text.find(".visible"),
            ".func recurse\n{\n.local .b8 l[64];\n.loc 1 42 3\ncall recurse;\nret;\n}\n");
    for (const bool checked : {false, true}) {
        gpu::ptx::ExecutionOptions options;
        options.checked = checked;
        options.instructionBudget = 1'000'000;
        const PtxRun run = PtxRun::run(text, {64, 1, 1}, {2, 1, 1}, 1024, options, 1024);
        QVERIFY2(run.error.empty(), run.error.c_str());
        QVERIFY(run.fault);
        const gpu::ptx::Fault &fault = *run.fault;
        QVERIFY2(int(fault.kind) == kind, fault.message.c_str());
        const QByteArray message = QByteArray::fromStdString(fault.message);
        QVERIFY2(message.contains(says), message.constData());
        QVERIFY2(message.contains("in k, block (1, 0, 0), thread (5, 0, 0), k.cu:42"),
            message.constData());
        QCOMPARE(fault.kernel, std::string("k"));
        QCOMPARE(fault.block.x, 1u);
        QCOMPARE(fault.thread.x, 5u);
        QCOMPARE(fault.line, 42);
        QCOMPARE(fault.file, std::string("k.cu"));
    }
}

void TestPtxMemory::correctAccesses_data()
{
    QTest::addColumn<QByteArray>("body");
    const auto row
        = [](const char *name, const char *body) { QTest::newRow(name) << QByteArray(body); };
    // The last bytes that are allowed.
    row("global", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%o+4080];\nst.global.u8 [%o+4095], 1;");
    row("variable", "ld.global.u64 %rd1, [state+16];");
    row("shared", "st.shared.u32 [s+60], %r1;\nld.shared.u32 %r1, [s+60];");
    row("dynamic", "st.shared.v4.u32 [dynamic+1008], {%r1, %r1, %r1, %r1};");
    row("local", "st.local.u64 [l+56], %rd1;\nld.local.u64 %rd1, [l+56];");
    row("const", "ld.const.u64 %rd1, [table+24];");
    row("param", "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [out+4];");
    // A guard that fails, and a path that is not taken.
    row("guarded", "setp.ne.u64 %p1, %rd1, 0;\n@%p1 ld.global.u32 %r1, [%rd1];");
    row("short copy",
        "mov.u32 %r1, s;\nmov.u32 %r2, 0;\nadd.s64 %rd2, %o, 4096;\n"
        "cp.async.ca.shared.global [%r1], [%rd2], 8, %r2;");
}

void TestPtxMemory::correctAccesses()
{
    QFETCH(QByteArray, body);
    for (const bool checked : {false, true}) {
        gpu::ptx::ExecutionOptions options;
        options.checked = checked;
        const PtxRun run = PtxRun::run(
            onlyThere(body.toStdString()), {64, 1, 1}, {2, 1, 1}, 1024, options, 1024);
        QVERIFY2(run.error.empty(), run.error.c_str());
        QVERIFY2(!run.fault, run.fault ? run.fault->message.c_str() : "");
    }
}

void TestPtxMemory::unwrittenLocal_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("wrong");
    const auto row = [](const char *name, const char *body, bool wrong) {
        QTest::newRow(name) << QByteArray(body) << wrong;
    };
    row("read", "ld.local.u32 %r1, [l];", true);
    row("written", "st.local.u32 [l], %r1;\nld.local.u32 %r1, [l];", false);
    row("beside", "st.local.u32 [l], %r1;\nld.local.u32 %r1, [l+4];", true);
    row("generic", "cvta.local.u64 %rd2, l;\nld.u8 %r1, [%rd2+7];", true);
    row("written by a generic store",
        "cvta.local.u64 %rd2, l;\nst.u64 [%rd2+8], %rd1;\nld.local.u16 %h1, [l+14];", false);
    row("vector", "ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [l+16];", true);
    // A compiler copies a struct in wide pieces, its padding with it.
    row("struct with padding", "st.local.u8 [l], %r1;\nld.local.u64 %rd1, [l];", false);
    row("on another path",
        "setp.eq.u64 %p1, %rd1, 1;\n@%p1 st.local.u32 [l], %r1;\nld.local.u32 %r1, [l];", true);
    row("argument",
        "{\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [a], %rd1;\n"
        "call (r), first, (a);\nld.param.b32 %r1, [r];\n}",
        false);
    row("local of a call", "call own;\ncall own;", true);
    row("text",
        "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 r;\n"
        "cvta.global.u64 %rd2, text;\nst.param.b64 [a], %rd2;\nst.param.b64 [b], 0;\n"
        "call (r), vprintf, (a, b);\nld.param.b32 %r1, [r];\n}",
        false);
}

void TestPtxMemory::unwrittenLocal()
{
    QFETCH(QByteArray, body);
    QFETCH(bool, wrong);
    std::string text = onlyThere(body.toStdString());
    text.insert(text.find(".visible"),
        ".global .b8 text[3] = {104, 105, 0};\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".func (.param .b32 r) first(.param .b64 a)\n{\n.reg .b32 x;\n"
        "ld.param.b32 x, [a];\nst.param.b32 [r], x;\nret;\n}\n"
        // The frame of the second call is new, though it lies where the first one was.
        ".func own\n{\n.local .b32 l[2];\n.reg .b32 x;\n.reg .pred p;\n"
        "ld.global.u32 x, [state];\nsetp.eq.u32 p, x, 0;\nst.global.u32 [state], 1;\n"
        "@p st.local.u32 [l], x;\n.loc 1 42 1\nld.local.u32 x, [l];\nret;\n}\n");
    for (const bool checked : {false, true}) {
        gpu::ptx::ExecutionOptions options;
        options.checked = checked;
        const PtxRun run = PtxRun::run(text, {64, 1, 1}, {2, 1, 1}, 1024, options, 1024);
        QVERIFY2(run.error.empty(), run.error.c_str());
        QVERIFY2(run.fault.has_value() == (wrong && checked),
            run.fault ? run.fault->message.c_str() : "no fault");
        if (!run.fault)
            continue;
        QCOMPARE(run.fault->kind, FaultKind::UninitialisedRead);
        const QByteArray message = QByteArray::fromStdString(run.fault->message);
        QVERIFY2(message.contains("local memory that was never written, in k, block (1, 0, 0), "
                                  "thread (5, 0, 0), k.cu:42"),
            message.constData());
    }
}

void TestPtxMemory::synchronisation_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("kind"); ///< -1: none
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char *name, const char *body, int kind, const char *says) {
        QTest::newRow(name) << QByteArray(body) << kind << QByteArray(says);
    };
    constexpr int Race = int(FaultKind::Race), Unwritten = int(FaultKind::UninitialisedRead),
                  Divergence = int(FaultKind::BarrierDivergence),
                  Budget = int(FaultKind::BudgetSpent);
    // %r1: the thread of 64; %r2: its word of s, %r3: the same place of the other warp.
    row("exchange", "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r4, [%r3];", -1, "");
    row("own warp", "st.shared.u32 [%r2], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r4, [%r2];", -1,
        "");
    // Which of the two accesses comes second depends on the order of the warps.
    row("write then read",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\n.loc 1 42 1\nst.shared.u32 [%r2], %r1;\n"
        "ld.shared.u32 %r4, [%r3];",
        Race, "with no barrier between");
    row("read then write",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\n.loc 1 42 1\nld.shared.u32 %r4, [%r2];\n"
        "st.shared.u32 [%r3], %r1;",
        Race, "with no barrier between");
    row("write then write",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\n.loc 1 42 1\nst.shared.u32 [%r2], %r1;\n"
        "st.shared.u32 [%r3], %r1;",
        Race, "with no barrier between");
    row("through generic",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\n.loc 1 42 1\nst.shared.u32 [%r2], %r1;\n"
        "cvt.u64.u32 %rd1, %r3;\ncvta.shared.u64 %rd1, %rd1;\nld.u32 %r4, [%rd1];",
        Race, "with no barrier between");
    row("two buffers",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r4, [%r3];\nbar.sync 0;\n"
        "st.shared.u32 [%r3], %r4;\nbar.sync 0;\nld.shared.u32 %r4, [%r2];",
        -1, "");
    // %r5: the word of the next but one thread of the same warp.
    row("neighbour in the warp",
        "st.shared.u32 [%r2], %r1;\n.loc 1 42 1\nxor.b32 %r5, %r2, 8;\nld.shared.u32 %r4, [%r5];",
        Race, "of the same warp wrote the same bytes with no __syncwarp between");
    row("neighbour overwritten",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r4, [%r2];\n.loc 1 42 1\n"
        "xor.b32 %r5, %r2, 8;\nst.shared.u32 [%r5], %r1;",
        Race, "of the same warp read the same bytes with no __syncwarp between");
    row("read by all, then overwritten",
        "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra L;\nst.shared.u32 [s], 7;\n"
        "bar.warp.sync -1;\nld.shared.u32 %r4, [s];\n.loc 1 42 1\nsetp.eq.u32 %p2, %r1, 0;\n"
        "@%p2 st.shared.u32 [s], %r1;\nL:",
        Race, "of the same warp read");
    row("neighbour after a warp barrier",
        "st.shared.u32 [%r2], %r1;\nbar.warp.sync -1;\nxor.b32 %r5, %r2, 8;\n"
        "ld.shared.u32 %r4, [%r5];\nbar.warp.sync -1;\nst.shared.u32 [%r5], %r4;",
        -1, "");
    row("neighbour after a shuffle",
        "st.shared.u32 [%r2], %r1;\nshfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\n"
        "xor.b32 %r5, %r2, 8;\nld.shared.u32 %r4, [%r5];",
        -1, "");
    row("a warp barrier orders one warp only",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\n.loc 1 42 1\nst.shared.u32 [%r2], %r1;\n"
        "bar.warp.sync -1;\nld.shared.u32 %r4, [%r3];",
        Race, "with no barrier between");
    row("neighbour through volatile",
        "st.volatile.shared.u32 [%r2], %r1;\nxor.b32 %r5, %r2, 8;\n"
        "ld.volatile.shared.u32 %r4, [%r5];",
        -1, "");
    row("one word by a whole warp at once",
        "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra L;\nst.shared.u32 [s], 7;\nL:\nbar.sync 0;\n"
        "ld.shared.u32 %r4, [s];",
        -1, "");
    // Narrow neighbours share a word of the checker's memory until one of them is touched.
    row("halves of a word by two warps",
        "shr.u32 %r4, %r1, 5;\nand.b32 %r5, %r1, 31;\nmad.lo.u32 %r5, %r5, 4, %r4;\n"
        "add.u32 %r4, %r4, %r5;\nmov.u32 %r5, s;\nadd.u32 %r4, %r4, %r5;\n"
        "st.shared.u16 [%r4], %h1;\nld.shared.u16 %h2, [%r4];",
        -1, "");
    row("words, then bytes",
        "st.shared.u32 [%r2], %r1;\nld.shared.u8 %h2, [%r2+3];\nbar.sync 0;\n.loc 1 42 1\n"
        "st.shared.u8 [%r2+1], %h1;\nld.shared.u32 %r4, [%r3];",
        Race, "with no barrier between");
    row("atomics", "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nred.shared.add.u32 [s], 1;", -1, "");
    row("shared unwritten", ".loc 1 42 1\nld.shared.u32 %r4, [%r2];", Unwritten, "never written");
    row("shared partly written",
        "st.shared.u16 [%r2], %h1;\nbar.sync 0;\n.loc 1 42 1\nld.shared.u32 %r4, [%r2];", Unwritten,
        "never written");
    row("vector unwritten", ".loc 1 42 1\nld.shared.v2.u32 {%r4, %r5}, [s];", Unwritten, "8 bytes");
    row("matrix past", ".loc 1 42 1\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2+4096];",
        int(FaultKind::OutOfBounds), "shared memory");
    row("matrix misaligned",
        "st.shared.u32 [%r2], %r1;\nbar.sync 0;\n.loc 1 42 1\n"
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [s+8];",
        int(FaultKind::Misaligned), "multiple of 16");
    row("barrier in one warp",
        "setp.lt.u32 %p1, %r1, 32;\n.loc 1 42 1\n@%p1 bar.sync 0;\n"
        "@%p1 bra L;\nbar.sync 1;\nL:",
        Divergence, "barrier reached by 32 of 64 threads");
    row("barrier in half a warp",
        "setp.lt.u32 %p1, %r1, 16;\n.loc 1 42 1\n@%p1 bar.sync 1;\nbar.sync 2;", Divergence,
        "barrier reached by 16 of 64 threads");
    row("barrier that others left", "setp.ge.u32 %p1, %r1, 40;\n@%p1 ret;\nbar.sync 0;", -1, "");
    row("barrier number", "mov.u32 %r4, 16;\n.loc 1 42 1\nbar.sync %r4;", Divergence, "16");
    row("barrier threads", ".loc 1 42 1\nbar.sync 0, 33;", Divergence, "multiple of 32");
    row("barrier of a part", "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra L;\nbar.sync 1, 32;\nL:", -1, "");
    row("outside its mask", ".loc 1 42 1\nshfl.sync.idx.b32 %r4, %r1, 0, 31, 1;", Divergence,
        "own mask");
    row("warp barrier outside", ".loc 1 42 1\nbar.warp.sync 2;", Divergence, "not in its mask");
    row("spin on a flag",
        "st.shared.u32 [%r2], 0;\nbar.sync 0;\n.loc 1 42 1\nL:\nld.volatile.shared.u32 %r4, [s];\n"
        "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;",
        Budget, "endless loop");
}

void TestPtxMemory::synchronisation()
{
    QFETCH(QByteArray, body);
    QFETCH(int, kind);
    QFETCH(QByteArray, says);
    gpu::ptx::ExecutionOptions options;
    options.checked = true;
    options.instructionBudget = 1'000'000;
    const PtxRun run = PtxRun::run(
        PtxRun::kernel(".shared .align 16 .b8 s[256];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\n"
                       "mad.lo.u32 %r2, %r1, 4, %r2;\nxor.b32 %r3, %r2, 128;\n.loc 1 41 1\n"
                + body.toStdString(),
            Module),
        {64, 1, 1}, {1, 1, 1}, 1024, options);
    QVERIFY2(run.error.empty(), run.error.c_str());
    QVERIFY2((run.fault ? int(run.fault->kind) : -1) == kind,
        run.fault ? run.fault->message.c_str() : "no fault");
    if (!run.fault)
        return;
    const QByteArray message = QByteArray::fromStdString(run.fault->message);
    QVERIFY2(message.contains(says), message.constData());
    QVERIFY2(message.contains("in k, block (0, 0, 0), thread ("), message.constData());
    QVERIFY2(message.contains("k.cu:42"), message.constData());
    QCOMPARE(run.fault->line, 42);
}

QTEST_GUILESS_MAIN(TestPtxMemory)
#include "tst_ptx_memory.moc"
