#include "gpu/ptx/numeric.h"
#include "ptxrun.h"

#include <QtTest>

#include <bit>
#include <functional>

using namespace gpu::ptx;

namespace {

/// Element types of the matrices in memory.
struct Element {
    std::string name;
    unsigned bits = 0;
};

std::uint64_t encode(const std::string &type, int value)
{
    if (type == "f16")
        return encodeFloat(format::F16, value, Rounding::Rn);
    if (type == "bf16")
        return encodeFloat(format::BF16, value, Rounding::Rn);
    if (type == "tf32" || type == "f32")
        return std::bit_cast<std::uint32_t>(float(value));
    if (type == "f64")
        return std::bit_cast<std::uint64_t>(double(value));
    return std::uint64_t(std::int64_t(value));
}

/// Small whole numbers, so that every order of summation is exact.
int sample(unsigned seed, bool isSigned)
{
    return int((seed * 2654435761u) >> 16) % 4 - (isSigned ? 2 : 0);
}

/// The bytes of a matrix whose lines of `length` elements begin `stride` elements apart.
std::vector<std::uint8_t> bytesOf(unsigned lines, unsigned length, unsigned stride,
    const Element &element, const std::function<int(unsigned, unsigned)> &at)
{
    std::vector<std::uint8_t> bytes(std::size_t(lines) * stride * element.bits / 8);
    for (unsigned line = 0; line < lines; ++line)
        for (unsigned i = 0; i < length; ++i) {
            const std::size_t bit = std::size_t(line * stride + i) * element.bits;
            const std::uint64_t value = encode(element.name, at(line, i));
            if (element.bits < 8)
                bytes[bit / 8] |= std::uint8_t((value & 0xf) << (bit % 8));
            else
                std::memcpy(&bytes[bit / 8], &value, element.bits / 8);
        }
    return bytes;
}

std::string variable(const std::string &name, const std::vector<std::uint8_t> &bytes)
{
    std::string text = ".global .align 32 .b8 " + name + "[" + std::to_string(bytes.size()) + "]={";
    for (std::size_t i = 0; i < bytes.size(); ++i)
        text += (i ? "," : "") + std::to_string(bytes[i]);
    return text + "};\n.shared .align 32 .b8 s" + name + "[" + std::to_string(bytes.size())
        + "];\n";
}

/// Copies a variable to its twin in shared memory, four bytes a lane at a time.
std::string toShared(const std::string &name, std::size_t bytes)
{
    std::string text;
    for (std::size_t at = 0; at < bytes; at += 128) {
        const std::string offset = std::to_string(at);
        text += "mov.u64 %rd9, " + name + ";\nmov.u64 %rd8, s" + name
            + ";\nmov.u32 %r9, %laneid;\nmul.wide.u32 %rd7, %r9, 4;\n"
              "add.u64 %rd9, %rd9, %rd7;\nadd.u64 %rd8, %rd8, %rd7;\n"
              "add.u32 %r9, %r9, "
            + std::to_string(at / 4) + ";\nsetp.lt.u32 %p9, %r9, " + std::to_string(bytes / 4)
            + ";\n@%p9 ld.global.b32 %r9, [%rd9+" + offset + "];\n@%p9 st.shared.b32 [%rd8+"
            + offset + "], %r9;\n";
    }
    return text + "bar.warp.sync -1;\n";
}

std::string registers(const std::string &name, unsigned count)
{
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
        text += (i ? ", %" : "%") + name + std::to_string(i);
    return text + "}";
}

const char *const Fragments = ".reg .b32 %a<8>;\n.reg .b32 %b<8>;\n.reg .b32 %c<8>;\n"
                              ".reg .f64 %A<2>;\n.reg .f64 %B<2>;\n.reg .f64 %C<2>;\n";

struct Wmma {
    unsigned m = 0, n = 0, k = 0;
    Element factor, sum;
    unsigned aRegisters = 0, bRegisters = 0, cRegisters = 0;
    bool aRow = true, bRow = false, dRow = true;
    std::string space; ///< ".global", ".shared" or "" for generic
    unsigned padding = 0; ///< elements between the lines
};

int valueA(const Wmma &w, unsigned row, unsigned column)
{
    return sample(row * w.k + column, w.factor.name != "u8");
}
int valueB(const Wmma &w, unsigned row, unsigned column)
{
    return sample(7919 + row * w.n + column, w.factor.name != "u8");
}
int valueC(const Wmma &w, unsigned row, unsigned column)
{
    return sample(104729 + row * w.n + column, true);
}

std::string kernelOf(const Wmma &w)
{
    const auto bytes = [&](unsigned rows, unsigned columns, bool isRow, const Element &element,
                           int (*value)(const Wmma &, unsigned, unsigned)) {
        const unsigned length = isRow ? columns : rows;
        return bytesOf(isRow ? rows : columns, length, length + w.padding, element,
            [&](unsigned line, unsigned i) {
                return isRow ? value(w, line, i) : value(w, i, line);
            });
    };
    const auto a = bytes(w.m, w.k, w.aRow, w.factor, valueA);
    const auto b = bytes(w.k, w.n, w.bRow, w.factor, valueB);
    const auto c = bytes(w.m, w.n, w.dRow, w.sum, valueC);
    const bool isDouble = w.factor.name == "f64", isShared = w.space == ".shared";
    const auto layout = [](bool isRow) { return std::string(isRow ? ".row" : ".col"); };
    const std::string shape
        = ".m" + std::to_string(w.m) + "n" + std::to_string(w.n) + "k" + std::to_string(w.k);
    std::string body = Fragments;
    const auto load = [&](const char *operand, bool isRow, const Element &element,
                          const std::string &list, unsigned length) {
        const std::string name(1, char(operand[0] - 'a' + 'M'));
        const std::string stride = std::to_string(length + w.padding);
        body += "mov.u64 %rd1, " + std::string(isShared ? "s" : "") + name + ";\n";
        if (w.space.empty())
            body += "cvta.global.u64 %rd1, %rd1;\n";
        body += std::string("wmma.load.") + operand + ".sync.aligned" + layout(isRow) + shape
            + w.space + "." + element.name + " " + list + ", [%rd1], " + stride + ";\n";
    };
    if (isShared)
        body += toShared("M", a.size()) + toShared("N", b.size()) + toShared("O", c.size());
    const std::string ra = registers(isDouble ? "A" : "a", w.aRegisters);
    const std::string rb = registers(isDouble ? "B" : "b", w.bRegisters);
    const std::string rc = registers(isDouble ? "C" : "c", w.cRegisters);
    load("a", w.aRow, w.factor, ra, w.aRow ? w.k : w.m);
    load("b", w.bRow, w.factor, rb, w.bRow ? w.n : w.k);
    load("c", w.dRow, w.sum, rc, w.dRow ? w.n : w.m);
    const std::string factors
        = w.factor.name == "f16" ? "" : "." + w.factor.name + "." + w.factor.name;
    body += "wmma.mma.sync.aligned" + layout(w.aRow) + layout(w.bRow) + shape + "." + w.sum.name
        + factors + "." + w.sum.name + " " + rc + ", " + ra + ", " + rb + ", " + rc + ";\n";
    body += "wmma.store.d.sync.aligned" + layout(w.dRow) + shape + ".global." + w.sum.name
        + " [%o], " + rc + ", " + std::to_string((w.dRow ? w.n : w.m) + w.padding) + ";\n";
    return PtxRun::kernel(body, variable("M", a) + variable("N", b) + variable("O", c));
}

QByteArray messageOf(const PtxRun &run)
{
    return QByteArray::fromStdString(run.error + (run.fault ? run.fault->message : ""));
}

} // namespace

Q_DECLARE_METATYPE(Wmma)

/// Kernels with warp matrix instructions against a plain triple loop.
class TestPtxWmma : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wmma_data();
    void wmma();
    void mmaWithLdmatrix();
    void ldmatrixToStmatrix();
    void movmatrix();
    void pathsMeetAtMma();
    void faults_data();
    void faults();
    void readsOfUnwrittenShared();
};

void TestPtxWmma::wmma_data()
{
    QTest::addColumn<Wmma>("w");
    const Element f16{"f16", 16}, bf16{"bf16", 16}, tf32{"tf32", 32}, f32{"f32", 32},
        f64{"f64", 64}, s8{"s8", 8}, u8{"u8", 8}, s4{"s4", 4}, s32{"s32", 32};
    const Wmma rows[] = {{16, 16, 16, f16, f32, 8, 8, 8, true, false, true, ".global", 0},
        {16, 16, 16, f16, f32, 8, 8, 8, false, true, false, ".shared", 8},
        {16, 16, 16, f16, f16, 8, 8, 4, true, true, true, "", 16},
        {32, 8, 16, f16, f32, 8, 8, 8, false, false, true, ".shared", 0},
        {8, 32, 16, f16, f16, 8, 8, 4, true, true, false, ".global", 8},
        {16, 16, 16, bf16, f32, 4, 4, 8, true, true, true, ".shared", 8},
        {32, 8, 16, bf16, f32, 8, 2, 8, true, false, false, "", 0},
        {8, 32, 16, bf16, f32, 2, 8, 8, false, true, true, ".global", 8},
        {16, 16, 8, tf32, f32, 4, 4, 8, true, false, true, ".shared", 4},
        {16, 16, 8, tf32, f32, 4, 4, 8, false, true, false, ".global", 0},
        {8, 8, 4, f64, f64, 1, 1, 2, true, false, true, ".shared", 2},
        {8, 8, 4, f64, f64, 1, 1, 2, false, true, false, "", 0},
        {16, 16, 16, s8, s32, 2, 2, 8, true, false, true, ".global", 16},
        {32, 8, 16, u8, s32, 4, 1, 8, false, true, true, ".shared", 0},
        {8, 32, 16, s8, s32, 1, 4, 8, true, false, false, "", 16},
        {8, 8, 32, s4, s32, 1, 1, 2, true, false, true, ".global", 32}};
    for (const Wmma &w : rows)
        QTest::addRow("m%un%uk%u %s %s%s%s%s +%u", w.m, w.n, w.k, w.factor.name.c_str(),
            w.aRow ? "row" : "col", w.bRow ? ".row" : ".col", w.dRow ? ".row" : ".col",
            w.space.c_str(), w.padding)
            << w;
}

void TestPtxWmma::wmma()
{
    QFETCH(Wmma, w);
    const PtxRun run = PtxRun::run(kernelOf(w));
    QVERIFY2(!run.fault && run.error.empty(), messageOf(run).constData());
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(run.out.data());
    const unsigned stride = (w.dRow ? w.n : w.m) + w.padding;
    for (unsigned row = 0; row < w.m; ++row)
        for (unsigned column = 0; column < w.n; ++column) {
            int expected = valueC(w, row, column);
            for (unsigned j = 0; j < w.k; ++j)
                expected += valueA(w, row, j) * valueB(w, j, column);
            const unsigned at = w.dRow ? row * stride + column : column * stride + row;
            const std::size_t size = w.sum.bits / 8;
            std::uint64_t got = 0;
            std::memcpy(&got, bytes + at * size, size);
            const std::uint64_t mask = size == 8 ? ~0ull : (1ull << w.sum.bits) - 1;
            QCOMPARE(got, encode(w.sum.name, expected) & mask);
        }
}

void TestPtxWmma::mmaWithLdmatrix()
{
    const Wmma w{16, 8, 16, {"f16", 16}, {"f32", 32}, 4, 2, 4, true, true, true, ".shared", 0};
    const auto a = bytesOf(16, 16, 16, w.factor,
        [&](unsigned row, unsigned column) { return valueA(w, row, column); });
    const auto b = bytesOf(
        16, 8, 8, w.factor, [&](unsigned row, unsigned column) { return valueB(w, row, column); });
    // Lane l of ldmatrix.x4 gives row l % 16 of the left (l < 16) or right half of A.
    const PtxRun run = PtxRun::run(
        PtxRun::kernel(std::string(Fragments) + toShared("M", a.size()) + toShared("N", b.size())
                + "mov.u32 %r1, %laneid;\nand.b32 %r2, %r1, 15;\nshr.u32 %r3, %r1, 4;\n"
                  "mov.u32 %r4, sM;\nmad.lo.u32 %r4, %r2, 32, %r4;\nmad.lo.u32 %r4, %r3, 16, %r4;\n"
                  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%r4];\n"
                  "mov.u64 %rd4, sN;\nmul.wide.u32 %rd5, %r2, 16;\nadd.u64 %rd4, %rd4, %rd5;\n"
                  "cvta.shared.u64 %rd4, %rd4;\n"
                  "ldmatrix.sync.aligned.m8n8.x2.trans.b16 {%b0, %b1}, [%rd4];\n"
                  "mov.f32 %f1, 0f00000000;\n"
                  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f10, %f11, %f12, %f13}, "
                  "{%a0, %a1, %a2, %a3}, {%b0, %b1}, {%f1, %f1, 0f3F800000, %f1};\n"
                  "shr.u32 %r5, %r1, 2;\nand.b32 %r6, %r1, 3;\nmul.wide.u32 %rd1, %r5, 32;\n"
                  "mad.wide.u32 %rd1, %r6, 8, %rd1;\nadd.u64 %rd1, %rd1, %o;\n"
                  "st.global.v2.f32 [%rd1], {%f10, %f11};\n"
                  "st.global.v2.f32 [%rd1+256], {%f12, %f13};\n",
            variable("M", a) + variable("N", b)));
    QVERIFY2(!run.fault && run.error.empty(), messageOf(run).constData());
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned column = 0; column < 8; ++column) {
            int expected = row >= 8 && column % 2 == 0 ? 1 : 0;
            for (unsigned j = 0; j < 16; ++j)
                expected += valueA(w, row, j) * valueB(w, j, column);
            QCOMPARE(std::bit_cast<float>(run.out[row * 8 + column]), float(expected));
        }
}

void TestPtxWmma::ldmatrixToStmatrix()
{
    const auto numbers = bytesOf(
        32, 8, 8, {"u16", 16}, [](unsigned row, unsigned column) { return int(row * 8 + column); });
    const PtxRun run = PtxRun::run(PtxRun::kernel(std::string(Fragments) + toShared("M", 512)
            + "mov.u32 %r1, %laneid;\nmov.u32 %r2, sM;\nmad.lo.u32 %r2, %r1, 16, %r2;\n"
              "ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%a0, %a1, %a2, %a3}, [%r2];\n"
              "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r2], {%a0, %a1, %a2, %a3};\n"
              "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2];\n"
              "mad.wide.u32 %rd1, %r1, 16, %o;\n"
              "st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\n",
        variable("M", numbers)));
    QVERIFY2(!run.fault && run.error.empty(), messageOf(run).constData());
    for (unsigned row = 0; row < 32; ++row)
        for (unsigned column = 0; column < 8; ++column)
            QCOMPARE((run.out[row * 4 + column / 2] >> (16 * (column % 2))) & 0xffff,
                (row / 8) * 64 + column * 8 + row % 8);
}

void TestPtxWmma::movmatrix()
{
    // Element (r, c) is 8 r + c: lane 4 r + c / 2 holds a pair.
    const PtxRun run = PtxRun::run(
        PtxRun::kernel("mov.u32 %r1, %laneid;\nmul.lo.u32 %r2, %r1, 0x20002;\n"
                       "add.u32 %r2, %r2, 0x10000;\n"
                       "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r2;\n"
                       "mad.wide.u32 %rd1, %r1, 4, %o;\nst.global.u32 [%rd1], %r3;\n"));
    QVERIFY2(!run.fault && run.error.empty(), messageOf(run).constData());
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane / 4, column = 2 * (lane % 4);
        QCOMPARE(run.out[lane], (8 * column + row) | (8 * (column + 1) + row) << 16);
    }
}

void TestPtxWmma::pathsMeetAtMma()
{
    // The lanes arrive at different times.
    const PtxRun run = PtxRun::run(PtxRun::kernel(
        "mov.u32 %r1, %laneid;\nmov.u32 %r2, %r1;\nsetp.gt.u32 %p1, %r1, 9;\n@%p1 bra M;\n"
        "mov.u32 %r5, 0;\nL: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 50;\n@%p2 bra L;\n"
        "M: movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r2;\n"
        "mad.wide.u32 %rd1, %r1, 4, %o;\nst.global.u32 [%rd1], %r3;\n"));
    QVERIFY2(!run.fault && run.error.empty(), messageOf(run).constData());
    // Lane 1 holds (0, 2) and (0, 3), which come from lanes 8 and 12, column 0.
    QCOMPARE(run.out[1], 8u | 12u << 16);
}

void TestPtxWmma::faults_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<unsigned>("threads");
    QTest::addColumn<int>("kind");
    const auto kindOf = [](FaultKind kind) { return int(kind); };
    const QByteArray load("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 "
                          "{%a0, %a1, %a2, %a3}, ");
    QTest::newRow("half a warp") << load + "[%o], 16;" << 48u
                                 << kindOf(FaultKind::BarrierDivergence);
    QTest::newRow("some lanes only") << "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 "
            + load + "[%o], 16;\nbar.sync 0;"
                                     << 32u << kindOf(FaultKind::BarrierDivergence);
    QTest::newRow("exited lanes") << "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 exit;\n"
            + load
            + "[%o], 16;" << 32u << kindOf(FaultKind::BarrierDivergence);
    QTest::newRow("past the end") << load + "[%o+3840], 16;" << 32u
                                  << kindOf(FaultKind::OutOfBounds);
    QTest::newRow("long stride") << load + "[%o], 256;" << 32u << kindOf(FaultKind::OutOfBounds);
    QTest::newRow("odd address") << load + "[%o+1], 16;" << 32u << kindOf(FaultKind::Misaligned);
    QTest::newRow("ldmatrix of 8 bytes")
        << QByteArray("mov.u32 %r1, %laneid;\nmul.lo.u32 %r1, %r1, 8;\n"
                      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%r1];")
        << 32u << kindOf(FaultKind::Misaligned);
    QTest::newRow("sparse") << QByteArray(
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%a0, %a1}, "
        "{%b0, %b1}, {%f0, %f1, %f2, %f3}, %c0, 0;")
                            << 32u << kindOf(FaultKind::Unsupported);
}

void TestPtxWmma::faults()
{
    QFETCH(QByteArray, body);
    QFETCH(unsigned, threads);
    QFETCH(int, kind);
    const PtxRun run = PtxRun::run(
        PtxRun::kernel(Fragments + body.toStdString(), ".shared .align 16 .b8 sM[512];\n"),
        {threads, 1, 1});
    QVERIFY2(run.fault, run.error.c_str());
    QCOMPARE(int(run.fault->kind), kind);
}

void TestPtxWmma::readsOfUnwrittenShared()
{
    ExecutionOptions options;
    options.checked = true;
    const PtxRun run = PtxRun::run(
        PtxRun::kernel(Fragments
                + std::string("mov.u32 %r1, %laneid;\nmov.u32 %r2, sM;\n"
                              "mad.lo.u32 %r2, %r1, 16, %r2;\nsetp.ne.u32 %p1, %r1, 19;\n"
                              "@%p1 st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};\n"
                              "bar.warp.sync -1;\n"
                              "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, "
                              "[%r2];\n"),
            ".shared .align 16 .b8 sM[512];\n"),
        {32, 1, 1}, {1, 1, 1}, 1024, options);
    QVERIFY2(run.fault, run.error.c_str());
    QCOMPARE(int(run.fault->kind), int(FaultKind::UninitialisedRead));
    QCOMPARE(run.fault->thread.x, 19u);
}

QTEST_APPLESS_MAIN(TestPtxWmma)
#include "tst_ptx_wmma.moc"
