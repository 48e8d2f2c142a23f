#include "ptxformats.h"
#include "ptxrun.h"

using namespace ptxtest;

namespace {

/// Puts a location that is the thread's own, with a first value, where an instruction finds it.
struct Place {
    const char *name;
    const char *setUp;
    const char *address;
};
constexpr Place Places[] = {{".global", "", "%ia"}, {"", "", "%ia"},
    {".shared",
        ".shared .align 16 .b8 s[512];\n.reg .b32 p;\nmov.u32 p, s;\n"
        "mad.lo.u32 p, %y, 16, p;\n",
        "p"},
    {"",
        ".shared .align 16 .b8 s[512];\n.reg .b64 p;\nmov.u64 p, s;\ncvta.shared.u64 p, p;\n"
        "mad.wide.u32 p, %y, 16, p;\n",
        "p"}};

QByteArray bits(const QByteArray &type)
{
    const bool pair = type.endsWith("x2");
    return pair || type.endsWith("32") ? "b32" : type.endsWith("64") ? "b64" : "b16";
}

/// The old value comes back as it was, whichever NaN it is.
template <class T> auto old(T a)
{
    if constexpr (std::is_integral_v<T>)
        return a;
    else
        return AnyNan<T>{a};
}

/// `name` is the operation with its type last; f gives the new value from the old and the operand.
template <class T, class F>
void operation(
    Ops &ops, const QByteArray &name, F f, std::initializer_list<int> places = {0, 1, 2, 3})
{
    const QByteArray type = name.mid(name.lastIndexOf('.') + 1);
    const QByteArray b = "." + bits(type);
    for (const int index : places) {
        const Place &place = Places[index];
        const QByteArray space = place.name;
        const QByteArray at = QByteArray(" [") + place.address + "]";
        const QByteArray before
            = "{\n" + QByteArray(place.setUp) + "st" + space + b + at + ", %a;\n";
        for (const char *order : {"", ".relaxed.gpu", ".acq_rel.sys", ".acquire.cta"})
            if (space == ".global" || order[0] == 0)
                ops.add(before + "atom" + order + space + "." + name + " %d," + at + ", %b;\nld"
                        + space + b + " %q," + at + ";\n}",
                    [=](T a, T b2) { return std::pair(old(a), f(a, b2)); });
        if (!name.startsWith("exch"))
            for (const char *order : {"", ".release.gpu"})
                ops.add(before + "red" + order + space + "." + name + at + ", %b;\nld" + space + b
                        + " %d," + at + ";\n}",
                    [=](T a, T b2) { return f(a, b2); });
    }
}

template <class T> void compareAndSwap(Ops &ops, const QByteArray &b)
{
    for (const Place &place : Places) {
        const QByteArray space = place.name;
        const QByteArray at = QByteArray(" [") + place.address + "]";
        const QByteArray before
            = "{\n" + QByteArray(place.setUp) + "st" + space + "." + b + at + ", %a;\n";
        const QByteArray after = "ld" + space + "." + b + " %q," + at + ";\n}";
        ops.add(before + "atom" + space + ".cas." + b + " %d," + at + ", %b, %c;\n" + after,
            [](T a, T compare, T c) { return std::pair<T, T>(a, a == compare ? c : a); });
        ops.add(before + "atom" + space + ".cas." + b + " %d," + at + ", %a, %c;\n" + after,
            [](T a, T, T c) { return std::pair<T, T>(a, c); });
    }
}

template <class P, class F> P pairwise(P a, P b, F f)
{
    return {u32(f(u16(a.bits), u16(b.bits))) | u32(f(u16(a.bits >> 16), u16(b.bits >> 16))) << 16};
}

void integers(Ops &ops)
{
    operation<u32>(ops, "add.u32", [](u32 a, u32 b) { return a + b; });
    operation<s32>(ops, "add.s32", [](s32 a, s32 b) { return s32(u32(a) + u32(b)); });
    operation<u64>(ops, "add.u64", [](u64 a, u64 b) { return a + b; });
    operation<u32>(ops, "min.u32", [](u32 a, u32 b) { return std::min(a, b); });
    operation<s32>(ops, "min.s32", [](s32 a, s32 b) { return std::min(a, b); });
    operation<u64>(ops, "min.u64", [](u64 a, u64 b) { return std::min(a, b); });
    operation<s64>(ops, "min.s64", [](s64 a, s64 b) { return std::min(a, b); });
    operation<u32>(ops, "max.u32", [](u32 a, u32 b) { return std::max(a, b); });
    operation<s32>(ops, "max.s32", [](s32 a, s32 b) { return std::max(a, b); });
    operation<u64>(ops, "max.u64", [](u64 a, u64 b) { return std::max(a, b); });
    operation<s64>(ops, "max.s64", [](s64 a, s64 b) { return std::max(a, b); });
    operation<u32>(ops, "and.b32", [](u32 a, u32 b) { return a & b; });
    operation<u64>(ops, "and.b64", [](u64 a, u64 b) { return a & b; });
    operation<u32>(ops, "or.b32", [](u32 a, u32 b) { return a | b; });
    operation<u64>(ops, "or.b64", [](u64 a, u64 b) { return a | b; });
    operation<u32>(ops, "xor.b32", [](u32 a, u32 b) { return a ^ b; });
    operation<u64>(ops, "xor.b64", [](u64 a, u64 b) { return a ^ b; });
    operation<u32>(ops, "exch.b32", [](u32, u32 b) { return b; });
    operation<u64>(ops, "exch.b64", [](u64, u64 b) { return b; });
    // inc wraps to 0 past the bound, dec from 0 or from above it to the bound.
    operation<u32>(ops, "inc.u32", [](u32 a, u32 b) { return a >= b ? 0u : a + 1; });
    operation<u32>(ops, "dec.u32", [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
    compareAndSwap<u16>(ops, "b16");
    compareAndSwap<u32>(ops, "b32");
    compareAndSwap<u64>(ops, "b64");
}

template <class P> void pairs(Ops &ops, const QByteArray &type, const Format &format)
{
    const auto sum = [=](u16 a, u16 b) {
        return u16(roundedFma(format, valueOf(format, a), 1, valueOf(format, b)));
    };
    operation<P>(ops, "add.noftz." + type, [=](P a, P b) { return pairwise(a, b, sum); });
}

} // namespace

/// atom and red (PTX ISA 9.7.13.5 and .6): each operation on each type, and under contention.
class TestPtxAtomic : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data();
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
    void contention_data();
    void contention();
};

void TestPtxAtomic::definitions_data()
{
    Ops ops;
    integers(ops);
    operation<double>(ops, "add.f64", [](double a, double b) { return a + b; });
    pairs<HalfPair>(ops, "f16x2", F16Format);
    pairs<BrainPair>(ops, "bf16x2", BF16Format);
    operation<Half>(ops, "add.noftz.f16", [](Half a, Half b) {
        return Half{
            u16(roundedFma(F16Format, valueOf(F16Format, a.bits), 1, valueOf(F16Format, b.bits)))};
    });
    operation<Brain>(ops, "add.noftz.bf16", [](Brain a, Brain b) {
        return Brain{u16(
            roundedFma(BF16Format, valueOf(BF16Format, a.bits), 1, valueOf(BF16Format, b.bits)))};
    });
    // ISA: an f32 addition flushes subnormals in global memory, not in shared memory.
    operation<float>(
        ops, "add.f32", [](float a, float b) { return flushed(flushed(a) + flushed(b)); }, {0, 1});
    operation<float>(ops, "add.f32", [](float a, float b) { return a + b; }, {2, 3});
    ops.newRows();
}

void TestPtxAtomic::contention_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<quint32>("wanted");
    const auto row = [](const char *name, const char *body, quint32 wanted) {
        QTest::newRow(name) << QByteArray(body) << wanted;
    };
    // 8 blocks of 96 threads; %r1 is the thread's number in the grid.
    row("add", "red.global.add.u32 [%o], %r1;", 767 * 768 / 2);
    row("atom add", "atom.global.add.u32 %r2, [%o], 1;", 768);
    row("float add", "red.global.add.f32 [%o], 0f3F000000;", std::bit_cast<quint32>(384.0f));
    row("max", "red.global.max.u32 [%o], %r1;", 767);
    row("or", "shr.u32 %r2, %r1, 5;\nshl.b32 %r2, 1, %r2;\nred.global.or.b32 [%o], %r2;", 0xffffff);
    row("xor", "red.global.xor.b32 [%o], %r1;", 0); // each bit is set in an even number of them
    row("inc", "atom.global.inc.u32 %r2, [%o], 99;", 768 % 100);
    row("dec", "atom.global.dec.u32 %r2, [%o], 99;", 100 - 768 % 100);
    row("half add", "red.global.add.noftz.f16x2 [%o], 0x3c004000;", 0x62006600); // 768 and 1536
    row("swap",
        "L:\nld.relaxed.gpu.global.u32 %r2, [%o];\nadd.u32 %r3, %r2, 3;\n"
        "atom.global.cas.b32 %r4, [%o], %r2, %r3;\nsetp.ne.u32 %p1, %r4, %r2;\n@%p1 bra L;",
        768 * 3);
    row("shared",
        ".shared .u32 s;\nmov.u32 %r5, %tid.x;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 st.shared.u32 "
        "[s], 0;\nbar.sync 0;\nred.shared.add.u32 [s], 2;\nbar.sync 0;\n"
        "@%p1 ld.shared.u32 %r6, [s];\n@%p1 red.global.add.u32 [%o], %r6;",
        1536);
}

void TestPtxAtomic::contention()
{
    QFETCH(QByteArray, body);
    QFETCH(quint32, wanted);
    for (const bool checked : {false, true}) {
        gpu::ptx::ExecutionOptions options;
        options.threads = 4;
        options.checked = checked;
        const PtxRun run
            = PtxRun::run(PtxRun::kernel("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"
                                         "mad.lo.u32 %r1, %r1, 96, %r2;\n"
                              + body.toStdString()),
                {96, 1, 1}, {8, 1, 1}, 16, options);
        QVERIFY2(run.error.empty(), run.error.c_str());
        QVERIFY2(!run.fault, run.fault ? run.fault->message.c_str() : "");
        QCOMPARE(run.out[0], wanted);
    }
}

QTEST_APPLESS_MAIN(TestPtxAtomic)
#include "tst_ptx_atomic.moc"
