#include "ptxharness.h"
#include "ptxrun.h"

using namespace ptxtest;

namespace {

/// 32 aligned bytes of shared memory that are the thread's own, all ones, at [p].
constexpr const char *Own = "{\n.shared .align 16 .b8 s[1024];\n.reg .b32 p;\nmov.u32 p, s;\n"
                            "mad.lo.u32 p, %y, 32, p;\n";

/// The first `given` bytes of a source and zeros, `size` in all.
u64 copied(u64 source, u32 size, u32 given, int word)
{
    u64 value = 0;
    for (u32 i = 0; i < 8; ++i) {
        const u32 at = u32(word) * 8 + i;
        const u64 byte = at >= size ? 0xffu : at < given ? source >> (8 * i) & 0xffu : 0u;
        value |= byte << (8 * i);
    }
    return value;
}

void copies(Ops &ops)
{
    const QByteArray before = QByteArray(Own) + "st.shared.v2.b64 [p], {-1, -1};\n";
    const QByteArray read = "ld.shared.v2.b64 {%d, %q}, [p];\n}";
    struct Copy {
        const char *name;
        u32 size;
    };
    constexpr Copy List[] = {{"ca.shared.global", 4}, {"ca.shared.global", 8},
        {"ca.shared.global", 16}, {"cg.shared.global", 16}, {"ca.shared::cta.global", 16},
        {"cg.shared.global.L2::128B", 16}, {"ca.shared.global.L2::256B", 8}};
    for (const Copy &copy : List) {
        const QByteArray start
            = before + "cp.async." + copy.name + " [p], [%ia], " + QByteArray::number(copy.size);
        const auto whole = [=](u64 a, u64 b) {
            return std::pair<u64, u64>(
                copied(a, copy.size, copy.size, 0), copied(b, copy.size, copy.size, 1));
        };
        for (const char *wait :
            {"cp.async.commit_group;\ncp.async.wait_group 0;\n", "cp.async.wait_all;\n"})
            ops.add(start + ";\n" + wait + read, whole);
        // A shorter source is filled up with zeros.
        for (u32 given = 0; given <= copy.size; given += given < 4 ? 1 : copy.size / 4)
            ops.add(start + ", " + QByteArray::number(given) + ";\ncp.async.wait_all;\n" + read,
                [=](u64 a, u64 b) {
                    return std::pair<u64, u64>(
                        copied(a, copy.size, given, 0), copied(b, copy.size, given, 1));
                });
        ops.add("and.b32 %c, %c, 3;\n" + start + ", %c;\ncp.async.wait_all;\n" + read,
            [=](u64 a, u64 b, u32 c) {
                return std::pair<u64, u64>(
                    copied(a, copy.size, c & 3, 0), copied(b, copy.size, c & 3, 1));
            });
    }
}

/// Fences, hints and waits change no result of one thread.
void withoutEffect(Ops &ops)
{
    for (const char *text : {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu",
             "fence.sc.sys", "fence.proxy.async", "fence.mbarrier_init.release.cluster",
             "griddepcontrol.wait", "griddepcontrol.launch_dependents", "nanosleep.u32 100",
             "prefetch.global.L1 [%ia]", "prefetch.global.L2::evict_last [%ia]",
             "prefetchu.L1 [%ia]", "pmevent 1", "setmaxnreg.dec.sync.aligned.u32 40",
             "applypriority.global.L2::evict_normal [%ia], 128", "bar.warp.sync %active"})
        ops.add(QByteArray(text) + ";\nadd.u64 %d, %a, 1", [](u64 a) { return a + 1; });
}

} // namespace

/// Asynchronous copies and mbarriers (PTX ISA 9.7.9.25 and 9.7.13.15).
class TestPtxAsync : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        copies(ops);
        withoutEffect(ops);
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }

    void barriers_data();
    void barriers();
};

void TestPtxAsync::barriers_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<quint32>("wanted");
    const auto row = [](const char *name, const char *body, quint32 wanted) {
        QTest::newRow(name) << QByteArray(body) << wanted;
    };
    // One thread; the answers of the waits become the bits of %r1, the first in bit 0. Each WAIT
    // asks whether the phase of the token %rd1 is over, PARITY n whether that of parity n is.
    row("one arrival of one", "INIT 1\nARRIVE\nWAIT\nPARITY 0\nPARITY 1", 0b011);
    row("nothing arrived", "INIT 1\nPARITY 0\nPARITY 1", 0b10);
    row("one of two", "INIT 2\nARRIVE\nWAIT\nPARITY 0", 0b00);
    row("two of two", "INIT 2\nARRIVE\nWAIT\nDROPTOKEN\nWAIT\nPARITY 0", 0b110);
    row("two phases", "INIT 1\nARRIVE\nARRIVE\nWAIT\nPARITY 0\nPARITY 1", 0b101);
    row("a phase begins anew", "INIT 2\nDROPTOKEN\nDROPTOKEN\nARRIVE\nWAIT\nPARITY 0\nPARITY 1",
        0b010);
    row("count", "INIT 5\nmbarrier.arrive.shared.b64 %rd1, [m], 4;\nWAIT\nDROPTOKEN\nWAIT", 0b10);
    row("release", "INIT 1\nmbarrier.arrive.release.cta.shared::cta.b64 %rd1, [m];\nWAIT", 0b1);
    // One thread less from the next phase on.
    row("drop",
        "INIT 2\nmbarrier.arrive_drop.shared.b64 %rd1, [m];\nDROPTOKEN\nPARITY 0\n"
        "ARRIVE\nWAIT\nPARITY 1",
        0b111);
    row("invalidated", "INIT 9\nmbarrier.inval.shared.b64 [m];\nINIT 1\nARRIVE\nWAIT", 0b1);
    row("copies arrive", "INIT 1\ncp.async.mbarrier.arrive.noinc.shared.b64 [m];\nPARITY 0", 0b1);
    // Without .noinc the count rises first: the phase waits for a real arrival.
    row("copies add themselves",
        "INIT 1\ncp.async.mbarrier.arrive.shared.b64 [m];\nPARITY 0\nARRIVE\nPARITY 0", 0b10);
}

void TestPtxAsync::barriers()
{
    QFETCH(QByteArray, body);
    QFETCH(quint32, wanted);
    for (const char *wait : {"test_wait", "try_wait"}) {
        const QByteArray ask = QByteArray("mbarrier.") + wait;
        const QByteArray keep = ";\n@%p1 or.b32 %r1, %r1, %r2;\nshl.b32 %r2, %r2, 1;\n";
        const std::pair<const char *, QByteArray> words[]
            = {{"PARITY 0", ask + ".parity.shared.b64 %p1, [m], 0" + keep},
                {"PARITY 1", ask + ".parity.shared::cta.b64 %p1, [m], 1" + keep},
                {"WAIT", ask + ".shared.b64 %p1, [m], %rd1" + keep},
                {"DROPTOKEN", "mbarrier.arrive.shared.b64 _, [m];"},
                {"ARRIVE", "mbarrier.arrive.shared.b64 %rd1, [m];"},
                {"INIT 1", "mbarrier.init.shared.b64 [m], 1;"},
                {"INIT 2", "mbarrier.init.shared.b64 [m], 2;"},
                {"INIT 5", "mbarrier.init.shared.b64 [m], 5;"},
                {"INIT 9", "mbarrier.init.shared.b64 [m], 9;"}};
        QByteArray text = "mov.u32 %r1, 0;\nmov.u32 %r2, 1;\n" + body + "\n";
        for (const auto &[word, meaning] : words)
            text.replace(word, meaning);
        const PtxRun run = PtxRun::run(PtxRun::kernel(".shared .align 8 .b64 m;\n"
                                           + text.toStdString() + "st.global.u32 [%o], %r1;"),
            {1, 1, 1});
        QVERIFY2(run.error.empty(), run.error.c_str());
        QVERIFY2(!run.fault, run.fault ? run.fault->message.c_str() : "");
        QCOMPARE(run.out[0], wanted);
    }
}

QTEST_APPLESS_MAIN(TestPtxAsync)
#include "tst_ptx_async.moc"
