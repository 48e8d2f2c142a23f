#include "ptxrun.h"

#include <QtTest>

#include <set>

using gpu::ptx::FaultKind;

namespace {

/// Stores %r1 at out[global thread].
const char *const Store = "mov.u32 %r60, %tid.x;\nmov.u32 %r61, %ctaid.x;\nmov.u32 %r62, %ntid.x;\n"
                          "mad.lo.u32 %r60, %r61, %r62, %r60;\nmad.wide.u32 %rd60, %r60, 4, %o;\n"
                          "st.global.u32 [%rd60], %r1;\n";

std::string kernel(const std::string &body, const std::string &module = {})
{
    return PtxRun::kernel(body + Store, module);
}

} // namespace

/// Divergence, calls, warp operations and forward progress.
class TestPtxControl : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void divergentLoop();
    void nestedBranches();
    void lockInsideWarp();
    void shuffledTurns();
    void flagInsideWarp();
    void lockBetweenBlocks();
    void gridBarrier();
    void budgetEndsLoop();
    void cancelled();
    void branchTable();
    void recursion();
    void indirectCalls();
    void shuffles_data();
    void shuffles();
    void votesAndMatches();
    void shuffleAcrossPaths();
    void laneOutsideItsMask();
    void carryChain();
    void printfAndAssert();
};

void TestPtxControl::divergentLoop()
{
    const PtxRun run = PtxRun::run(
        kernel("mov.u32 %r2, %tid.x;\nmov.u32 %r1, 0;\nL: setp.gt.u32 %p1, %r1, %r2;\n@%p1 bra E;\n"
               "add.u32 %r1, %r1, 1;\nbra L;\nE: activemask.b32 %r3;\nselp.u32 %r1, %r1, 0, %p1;\n"
               "setp.ne.u32 %p2, %r3, -1;\n@%p2 mov.u32 %r1, 999;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    for (unsigned i = 0; i < 32; ++i)
        QCOMPARE(run.out[i], i + 1); // 999 if the lanes did not meet again
}

void TestPtxControl::nestedBranches()
{
    const PtxRun run = PtxRun::run(
        kernel("mov.u32 %r2, %tid.x;\nmov.u32 %r1, 0;\nand.b32 %r3, %r2, 1;\n"
               "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra A;\nand.b32 %r3, %r2, 2;\n"
               "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra B;\nadd.u32 %r1, %r1, 100;\nbra C;\n"
               "B: add.u32 %r1, %r1, 200;\nC: add.u32 %r1, %r1, 1;\nbra D;\n"
               "A: add.u32 %r1, %r1, 300;\nD: add.u32 %r1, %r1, %r2;\n"),
        {40, 1, 1});
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    for (unsigned i = 0; i < 40; ++i)
        QCOMPARE(run.out[i], i + (i % 2 == 0 ? 300 : i & 2 ? 101u : 201u));
    QCOMPARE(run.out[40], 0u);
}

void TestPtxControl::lockInsideWarp()
{
    // The winner leaves the spinning loop, whose end is where the others would be waited for.
    const PtxRun run = PtxRun::run(
        kernel("L: atom.global.cas.b32 %r2, [lock], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
               "ld.volatile.global.u32 %r1, [sum];\nadd.u32 %r1, %r1, 1;\n"
               "st.volatile.global.u32 [sum], %r1;\nmembar.gl;\n"
               "atom.global.exch.b32 %r3, [lock], 0;\n",
            ".global .u32 lock = 0;\n.global .u32 sum = 0;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    std::vector<std::uint32_t> seen(run.out.begin(), run.out.begin() + 32);
    std::sort(seen.begin(), seen.end());
    for (unsigned i = 0; i < 32; ++i)
        QCOMPARE(seen[i], i + 1);
}

void TestPtxControl::shuffledTurns()
{
    // Each half of each of four warps takes a ticket: the order of their turns.
    const std::string text
        = kernel("mov.u32 %r2, %tid.x;\nand.b32 %r3, %r2, 16;\nsetp.eq.u32 %p1, %r3, 0;\n"
                 "@%p1 bra A;\natom.shared.add.u32 %r1, [ticket], 1;\nbra E;\n"
                 "A: atom.shared.add.u32 %r1, [ticket], 1;\nE:",
            ".shared .u32 ticket;\n");
    const auto tickets = [&](std::uint64_t seed, unsigned threads) {
        gpu::ptx::ExecutionOptions options;
        options.shuffleSeed = seed;
        options.threads = threads;
        return PtxRun::run(text, {128, 1, 1}, {8, 1, 1}, 1024, options).out;
    };
    std::set<std::vector<std::uint32_t>> orders;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const auto order = tickets(seed, 1);
        QCOMPARE(tickets(seed, 2), order);
        orders.insert(order);
    }
    QCOMPARE(orders.size(), 8u);
}

void TestPtxControl::flagInsideWarp()
{
    const PtxRun run = PtxRun::run(
        kernel("mov.u32 %r2, %tid.x;\nmov.u32 %r1, 7;\nsetp.eq.u32 %p1, %r2, 31;\n@%p1 bra S;\n"
               "W: ld.volatile.global.u32 %r1, [flag];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\n"
               "bra E;\nS: st.volatile.global.u32 [flag], 5;\nE:\n",
            ".global .u32 flag = 0;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    QCOMPARE(run.out[0], 5u);
    QCOMPARE(run.out[31], 7u);
}

void TestPtxControl::lockBetweenBlocks()
{
    // Block 0 waits for the last block.
    for (const unsigned threads : {1u, 2u}) {
        gpu::ptx::ExecutionOptions options;
        options.threads = threads;
        const PtxRun run = PtxRun::run(
            kernel(
                "mov.u32 %r2, %ctaid.x;\nmov.u32 %r1, 3;\nsetp.eq.u32 %p1, %r2, 7;\n@%p1 bra S;\n"
                "W: ld.acquire.gpu.global.u32 %r1, [flag];\nsetp.eq.u32 %p2, %r1, 0;\n"
                "@%p2 bra W;\nbra E;\nS: st.release.gpu.global.u32 [flag], 5;\nE:\n",
                ".global .u32 flag = 0;\n"),
            {32, 1, 1}, {8, 1, 1}, 1024, options);
        QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
        QCOMPARE(run.out[0], 5u);
        QCOMPARE(run.out[7 * 32], 3u);
    }
}

void TestPtxControl::gridBarrier()
{
    const PtxRun run = PtxRun::run(
        kernel("atom.global.add.u32 %r1, [count], 1;\nW: ld.volatile.global.u32 %r1, [count];\n"
               "setp.lt.u32 %p1, %r1, 256;\n@%p1 bra W;\n",
            ".global .u32 count = 0;\n"),
        {32, 1, 1}, {8, 1, 1});
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    for (unsigned i = 0; i < 256; ++i)
        QCOMPARE(run.out[i], 256u);
}

void TestPtxControl::budgetEndsLoop()
{
    gpu::ptx::ExecutionOptions options;
    options.instructionBudget = 1'000'000;
    const PtxRun run
        = PtxRun::run(kernel(".loc 1 9 1\nL: bra L;\n"), {64, 1, 1}, {4, 1, 1}, 1024, options);
    QVERIFY(run.fault);
    QCOMPARE(run.fault->kind, FaultKind::BudgetSpent);
    QCOMPARE(run.fault->line, 9);
}

void TestPtxControl::cancelled()
{
    gpu::ptx::ExecutionOptions options;
    int polls = 0;
    options.threads = 1;
    options.cancelled = [&] { return ++polls == 3; };
    const PtxRun run = PtxRun::run(kernel("L: bra L;\n"), {64, 1, 1}, {4, 1, 1}, 1024, options);
    QVERIFY(!run.fault);
    QCOMPARE(polls, 3);
}

void TestPtxControl::branchTable()
{
    const PtxRun run = PtxRun::run(
        kernel("mov.u32 %r2, %tid.x;\nand.b32 %r2, %r2, 3;\nT: .branchtargets A, B, C, B;\n"
               "brx.idx %r2, T;\nA: mov.u32 %r1, 10;\nbra E;\nB: mov.u32 %r1, 20;\nbra E;\n"
               "C: mov.u32 %r1, 30;\nE: activemask.b32 %r3;\nsetp.ne.u32 %p2, %r3, -1;\n"
               "@%p2 mov.u32 %r1, 999;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    const std::uint32_t expected[] = {10, 20, 30, 20};
    for (unsigned i = 0; i < 32; ++i)
        QCOMPARE(run.out[i], expected[i % 4]);
}

void TestPtxControl::recursion()
{
    const std::string factorial
        = ".func (.param .b32 res) fact(.param .b32 n)\n{\n.reg .b32 %r<5>;\n.reg .pred %p<2>;\n"
          "ld.param.u32 %r1, [n];\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra R;\nst.param.b32 [res], 1;\n"
          "ret;\nR: sub.u32 %r2, %r1, 1;\n{\n.param .b32 p0;\nst.param.b32 [p0+0], %r2;\n"
          ".param .b32 r0;\ncall.uni (r0), fact, (p0);\nld.param.b32 %r3, [r0+0];\n}\n"
          "mul.lo.u32 %r4, %r3, %r1;\nst.param.b32 [res+0], %r4;\nret;\n}\n";
    const PtxRun run
        = PtxRun::run(kernel("mov.u32 %r2, %tid.x;\nrem.u32 %r2, %r2, 10;\n{\n.param .b32 p0;\n"
                             "st.param.b32 [p0+0], %r2;\n.param .b32 r0;\ncall (r0), fact, (p0);\n"
                             "ld.param.b32 %r1, [r0+0];\n}\n",
            factorial));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    std::uint32_t expected = 1;
    for (unsigned i = 0; i < 10; ++i) {
        expected *= i ? i : 1;
        QCOMPARE(run.out[i], expected);
        QCOMPARE(run.out[i + 10], expected);
    }
}

void TestPtxControl::indirectCalls()
{
    const auto function = [](const char *name, const char *op) {
        return std::string(".func (.param .b32 res) ") + name
            + "(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\n" + op
            + "\nst.param.b32 [res], %r2;\nret;\n}\n";
    };
    const PtxRun run = PtxRun::run(
        kernel("mov.u32 %r2, %tid.x;\nand.b32 %r3, %r2, 1;\nmov.u64 %rd1, table;\n"
               "mad.wide.u32 %rd1, %r3, 8, %rd1;\nld.global.u64 %rd2, [%rd1];\n{\n.param .b32 p0;\n"
               "st.param.b32 [p0+0], %r2;\n.param .b32 r0;\n"
               "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
               "call (r0), %rd2, (p0), proto;\nld.param.b32 %r1, [r0+0];\n}\n",
            function("twice", "add.u32 %r2, %r1, %r1;")
                + function("square", "mul.lo.u32 %r2, %r1, %r1;")
                + ".global .align 8 .u64 table[2] = {twice, square};\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    for (unsigned i = 0; i < 32; ++i)
        QCOMPARE(run.out[i], i & 1 ? i * i : 2 * i);
}

void TestPtxControl::shuffles_data()
{
    QTest::addColumn<QByteArray>("instruction");
    QTest::addColumn<QVector<int>>("expected"); // for lanes 0, 1, 15, 16, 31
    QTest::newRow("down") << QByteArray("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;")
                          << QVector<int>{1, 2, 16, 17, 31};
    QTest::newRow("up") << QByteArray("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;")
                        << QVector<int>{0, 0, 14, 15, 30};
    QTest::newRow("bfly") << QByteArray("shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;")
                          << QVector<int>{16, 17, 31, 0, 15};
    QTest::newRow("idx") << QByteArray("shfl.sync.idx.b32 %r1|%p1, %r2, 5, 31, -1;")
                         << QVector<int>{5, 5, 5, 5, 5};
    // Segments of 16: (32 - 16) << 8 | 31.
    QTest::newRow("idx16") << QByteArray("shfl.sync.idx.b32 %r1|%p1, %r2, 3, 4127, -1;")
                           << QVector<int>{3, 3, 3, 19, 19};
    QTest::newRow("down16") << QByteArray("shfl.sync.down.b32 %r1|%p1, %r2, 1, 4127, -1;")
                            << QVector<int>{1, 2, 15, 17, 31};
    QTest::newRow("up16") << QByteArray("shfl.sync.up.b32 %r1|%p1, %r2, 1, 4096, -1;")
                          << QVector<int>{0, 0, 14, 16, 30};
}

void TestPtxControl::shuffles()
{
    QFETCH(QByteArray, instruction);
    QFETCH(QVector<int>, expected);
    const PtxRun run = PtxRun::run(kernel("mov.u32 %r2, %laneid;\n" + instruction.toStdString()
        + "\nselp.u32 %r3, 256, 0, %p1;\nadd.u32 %r1, %r1, %r3;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    const int laneOf[] = {0, 1, 15, 16, 31};
    for (int i = 0; i < 5; ++i) {
        const std::uint32_t value = run.out[std::size_t(laneOf[i])];
        QCOMPARE(int(value & 255), expected[i]);
        // The predicate is false exactly where a lane keeps its own value for want of a source.
        const bool own = expected[i] == laneOf[i] && !instruction.contains("idx");
        QCOMPARE(value >= 256, !own);
    }
}

void TestPtxControl::votesAndMatches()
{
    const PtxRun run = PtxRun::run(kernel(
        "mov.u32 %r2, %laneid;\nand.b32 %r3, %r2, 3;\nsetp.eq.u32 %p1, %r3, 1;\n"
        "vote.sync.ballot.b32 %r4, %p1, -1;\nvote.sync.any.pred %p2, %p1, -1;\n"
        "vote.sync.all.pred %p3, !%p1, -1;\nmatch.any.sync.b32 %r5, %r3, -1;\n"
        "redux.sync.add.u32 %r6, %r2, -1;\nselp.u32 %r7, 1, 0, %p2;\nselp.u32 %r8, 2, 0, %p3;\n"
        "or.b32 %r7, %r7, %r8;\nxor.b32 %r1, %r4, %r5;\nadd.u32 %r1, %r1, %r6;\n"
        "add.u32 %r1, %r1, %r7;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    for (unsigned i = 0; i < 32; ++i)
        QCOMPARE(run.out[i], (0x22222222u ^ (0x11111111u << (i % 4))) + 496 + 1);
}

void TestPtxControl::shuffleAcrossPaths()
{
    // Half of the warp takes a detour; the full-mask shuffle afterwards sees everybody's value.
    const PtxRun run = PtxRun::run(
        kernel("mov.u32 %r2, %laneid;\nsetp.lt.u32 %p1, %r2, 16;\n@%p1 add.u32 %r2, %r2, 100;\n"
               "@%p1 bra A;\nadd.u32 %r2, %r2, 200;\nA: bar.warp.sync -1;\n"
               "shfl.sync.bfly.b32 %r1, %r2, 31, 31, -1;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    for (unsigned i = 0; i < 32; ++i)
        QCOMPARE(run.out[i], (31 - i) + (31 - i < 16 ? 100 : 200));
}

void TestPtxControl::laneOutsideItsMask()
{
    const PtxRun run
        = PtxRun::run(kernel("mov.u32 %r2, 1;\nshfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffff;\n"));
    QVERIFY(run.fault);
    QCOMPARE(run.fault->thread.x, 16u);
}

void TestPtxControl::carryChain()
{
    const PtxRun run = PtxRun::run(
        kernel("mov.u32 %r2, -1;\nadd.cc.u32 %r3, %r2, 1;\naddc.cc.u32 %r4, %r2, 0;\n"
               "addc.u32 %r5, 5, 0;\nsub.cc.u32 %r6, 0, 1;\nsubc.u32 %r7, 10, 0;\n"
               "mul.lo.u32 %r1, %r5, 100;\nadd.u32 %r1, %r1, %r7;\nadd.u32 %r1, %r1, %r4;\n"));
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    QCOMPARE(run.out[0], 609u);
}

void TestPtxControl::printfAndAssert()
{
    std::string printed;
    gpu::ptx::ExecutionOptions options;
    options.threads = 1;
    options.print = [&](std::string_view text) { printed += text; };
    const PtxRun run = PtxRun::run(
        kernel(".local .align 8 .b8 depot[8];\nmov.u64 %rd1, depot;\ncvta.local.u64 %rd2, %rd1;\n"
               "mov.u32 %r2, %tid.x;\nst.local.u32 [%rd1], %r2;\nmov.u64 %rd3, text;\n{\n"
               ".param .b64 a;\nst.param.b64 [a+0], %rd3;\n.param .b64 b;\n"
               "st.param.b64 [b+0], %rd2;\n.param .b32 c;\ncall.uni (c), vprintf, (a, b);\n}\n",
            ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
            ".global .align 1 .b8 text[4] = {37, 100, 59};\n"),
        {3, 1, 1}, {1, 1, 1}, 1024, options);
    QVERIFY2(!run.fault && run.error.empty(), run.error.c_str());
    QCOMPARE(printed, std::string("0;1;2;"));
}

QTEST_GUILESS_MAIN(TestPtxControl)
#include "tst_ptx_control.moc"
