#include "gpu/ptx/matrix.h"
#include "gpu/ptx/numeric.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <vector>

using namespace gpu::ptx;
using enum MatrixType;

Q_DECLARE_METATYPE(gpu::ptx::MatrixOperation)

namespace {

using Dense = std::map<std::pair<unsigned, unsigned>, double>;

std::uint64_t encodeElement(MatrixType type, double value)
{
    switch (type) {
    case F16:
        return encodeFloat(format::F16, value, Rounding::Rn);
    case BF16:
        return encodeFloat(format::BF16, value, Rounding::Rn);
    case TF32:
    case F32:
        return std::bit_cast<std::uint32_t>(float(value));
    case F64:
        return std::bit_cast<std::uint64_t>(value);
    case E4M3:
        return encodeFloat(format::E4M3, value, Rounding::Rn);
    case E5M2:
        return encodeFloat(format::E5M2, value, Rounding::Rn);
    default:
        return std::uint64_t(std::int64_t(value));
    }
}

/// A small whole number that every type can hold; unsigned types get no negative ones.
double sample(MatrixType type, unsigned seed)
{
    const unsigned hash = (seed * 2654435761u) >> 16;
    switch (type) {
    case B1:
        return hash & 1;
    case U4:
    case U8:
        return hash % 9;
    case S4:
    case S8:
    case E4M3:
    case E5M2:
    case F16:
    case BF16:
    case TF32:
        return int(hash % 7) - 3;
    default:
        return int(hash % 101) - 50;
    }
}

MatrixFragment fill(const MatrixOperation &op, MatrixOperand operand, const Dense &matrix)
{
    MatrixFragment fragment{};
    const auto layout = fragmentLayout(op, operand);
    const std::uint64_t mask
        = layout->elementBits == 64 ? ~0ull : (1ull << layout->elementBits) - 1;
    for (unsigned reg = 0; reg < layout->registers; ++reg)
        for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned e = 0; e < layout->elementsPerRegister; ++e) {
                const auto at = elementPosition(op, operand, reg, lane, e);
                fragment[reg][lane]
                    |= (encodeElement(op.type(operand), matrix.at({at.row, at.column})) & mask)
                    << (e * layout->elementBits);
            }
    return fragment;
}

Dense random(const MatrixOperation &op, MatrixOperand operand, unsigned seed)
{
    Dense dense;
    const auto layout = fragmentLayout(op, operand);
    for (unsigned row = 0; row < layout->rows; ++row)
        for (unsigned column = 0; column < layout->columns; ++column)
            dense[{row, column}] = sample(op.type(operand), seed + row * 257u + column * 31u);
    return dense;
}

MatrixOperation mma(unsigned m, unsigned n, unsigned k, MatrixType a, MatrixType b, MatrixType c)
{
    return {{std::uint16_t(m), std::uint16_t(n), std::uint16_t(k)}, a, b, c, c};
}

MatrixOperation wmma(unsigned m, unsigned n, unsigned k, MatrixType ab, MatrixType c)
{
    MatrixOperation op = mma(m, n, k, ab, ab, c);
    op.wmma = true;
    return op;
}

} // namespace

class TestPtxMatrix : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void product_data()
    {
        QTest::addColumn<MatrixOperation>("op");
        auto row = [](const char *text, const MatrixOperation &op) { QTest::newRow(text) << op; };
        row("m16n8k16 f16", mma(16, 8, 16, F16, F16, F32));
        row("m16n8k16 f16 f16", mma(16, 8, 16, F16, F16, F16));
        row("m16n8k8 f16", mma(16, 8, 8, F16, F16, F32));
        row("m16n8k16 bf16", mma(16, 8, 16, BF16, BF16, F32));
        row("m16n8k8 bf16", mma(16, 8, 8, BF16, BF16, F32));
        row("m16n8k4 tf32", mma(16, 8, 4, TF32, TF32, F32));
        row("m16n8k8 tf32", mma(16, 8, 8, TF32, TF32, F32));
        row("m16n8k16 s8", mma(16, 8, 16, S8, S8, S32));
        row("m16n8k32 s8 u8", mma(16, 8, 32, S8, U8, S32));
        row("m8n8k16 u8", mma(8, 8, 16, U8, U8, S32));
        row("m16n8k32 s4", mma(16, 8, 32, S4, S4, S32));
        row("m16n8k64 u4 s4", mma(16, 8, 64, U4, S4, S32));
        row("m8n8k32 u4", mma(8, 8, 32, U4, U4, S32));
        row("m8n8k128 b1", mma(8, 8, 128, B1, B1, S32));
        row("m16n8k128 b1", mma(16, 8, 128, B1, B1, S32));
        row("m16n8k256 b1", mma(16, 8, 256, B1, B1, S32));
        row("m8n8k4 f64", mma(8, 8, 4, F64, F64, F64));
        row("m16n8k4 f64", mma(16, 8, 4, F64, F64, F64));
        row("m16n8k8 f64", mma(16, 8, 8, F64, F64, F64));
        row("m16n8k16 f64", mma(16, 8, 16, F64, F64, F64));
        row("m16n8k32 e4m3", mma(16, 8, 32, E4M3, E4M3, F32));
        row("m16n8k32 e5m2 e4m3", mma(16, 8, 32, E5M2, E4M3, F32));
        row("m16n8k16 e4m3 f16", mma(16, 8, 16, E4M3, E4M3, F16));
        for (auto [m, n] : {std::pair{16u, 16u}, {32u, 8u}, {8u, 32u}}) {
            const std::string shape = std::to_string(m) + "x" + std::to_string(n) + "x16 wmma ";
            row((shape + "f16 f32").c_str(), wmma(m, n, 16, F16, F32));
            row((shape + "f16 f16").c_str(), wmma(m, n, 16, F16, F16));
            row((shape + "bf16").c_str(), wmma(m, n, 16, BF16, F32));
            row((shape + "s8").c_str(), wmma(m, n, 16, S8, S32));
            row((shape + "u8").c_str(), wmma(m, n, 16, U8, S32));
        }
        row("16x16x8 wmma tf32", wmma(16, 16, 8, TF32, F32));
        row("8x8x4 wmma f64", wmma(8, 8, 4, F64, F64));
        row("8x8x32 wmma s4", wmma(8, 8, 32, S4, S32));
        row("8x8x128 wmma b1", wmma(8, 8, 128, B1, S32));
    }
    /// Whole numbers are exact in any order of summation, so a triple loop is the truth.
    void product()
    {
        QFETCH(MatrixOperation, op);
        const Dense a = random(op, MatrixOperand::A, 1), b = random(op, MatrixOperand::B, 2),
                    c = random(op, MatrixOperand::C, 3);
        MatrixFragment d{};
        multiplyAdd(op, fill(op, MatrixOperand::A, a), fill(op, MatrixOperand::B, b),
            fill(op, MatrixOperand::C, c), d);
        Dense want;
        for (unsigned i = 0; i < op.shape.m; ++i)
            for (unsigned j = 0; j < op.shape.n; ++j) {
                double sum = c.at({i, j});
                for (unsigned k = 0; k < op.shape.k; ++k)
                    sum += a.at({i, k}) * b.at({k, j});
                want[{i, j}] = sum;
            }
        QVERIFY(d == fill(op, MatrixOperand::D, want));
    }

    void everyElementHasAPlace_data() { product_data(); }
    void everyElementHasAPlace()
    {
        QFETCH(MatrixOperation, op);
        for (auto operand : {MatrixOperand::A, MatrixOperand::B, MatrixOperand::C}) {
            const auto layout = fragmentLayout(op, operand);
            std::map<std::pair<unsigned, unsigned>, unsigned> held;
            for (unsigned reg = 0; reg < layout->registers; ++reg)
                for (unsigned lane = 0; lane < 32; ++lane)
                    for (unsigned e = 0; e < layout->elementsPerRegister; ++e) {
                        const auto at = elementPosition(op, operand, reg, lane, e);
                        ++held[{at.row, at.column}];
                    }
            QCOMPARE(held.size(), std::size_t(layout->rows) * layout->columns);
            const unsigned copies = layout->registers * 32u * layout->elementsPerRegister
                / (unsigned(layout->rows) * layout->columns);
            for (const auto &[at, count] : held)
                QCOMPARE(count, copies);
        }
    }

    /// The formulas of the ISA's figures, spelled out for a few shapes.
    void positionsFollowTheIsa()
    {
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned group = lane >> 2, inGroup = lane % 4;
            auto check = [&](const MatrixOperation &op, MatrixOperand operand, unsigned i,
                             unsigned perRegister, unsigned row, unsigned column) {
                const auto at
                    = elementPosition(op, operand, i / perRegister, lane, i % perRegister);
                QCOMPARE(unsigned(at.row), row);
                QCOMPARE(unsigned(at.column), column);
            };
            const auto half = mma(16, 8, 16, F16, F16, F32);
            for (unsigned i = 0; i < 8; ++i)
                check(half, MatrixOperand::A, i, 2, i < 2 || (i >= 4 && i < 6) ? group : group + 8,
                    inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8));
            for (unsigned i = 0; i < 4; ++i) {
                check(half, MatrixOperand::B, i, 2, inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8), group);
                check(
                    half, MatrixOperand::C, i, 1, i < 2 ? group : group + 8, inGroup * 2 + (i & 1));
            }
            const auto tf32 = mma(16, 8, 8, TF32, TF32, F32);
            for (unsigned i = 0; i < 4; ++i)
                check(tf32, MatrixOperand::A, i, 1, i % 2 == 0 ? group : group + 8,
                    i < 2 ? inGroup : inGroup + 4);
            const auto bytes = mma(16, 8, 32, S8, S8, S32);
            for (unsigned i = 0; i < 16; ++i)
                check(bytes, MatrixOperand::A, i, 4,
                    i < 4 || (i >= 8 && i < 12) ? group : group + 8,
                    inGroup * 4 + (i & 3) + (i < 8 ? 0 : 16));
            for (unsigned i = 0; i < 8; ++i)
                check(
                    bytes, MatrixOperand::B, i, 4, inGroup * 4 + (i & 3) + (i < 4 ? 0 : 16), group);
            const auto doubles = mma(8, 8, 4, F64, F64, F64);
            check(doubles, MatrixOperand::A, 0, 1, group, inGroup);
            check(doubles, MatrixOperand::B, 0, 1, inGroup, group);
            check(doubles, MatrixOperand::C, 1, 1, group, inGroup * 2 + 1);
        }
    }

    void registerCounts()
    {
        auto counts = [](const MatrixOperation &op) {
            return QList<int>{fragmentLayout(op, MatrixOperand::A)->registers,
                fragmentLayout(op, MatrixOperand::B)->registers,
                fragmentLayout(op, MatrixOperand::C)->registers};
        };
        QCOMPARE(counts(mma(16, 8, 16, F16, F16, F32)), (QList<int>{4, 2, 4}));
        QCOMPARE(counts(mma(16, 8, 16, F16, F16, F16)), (QList<int>{4, 2, 2}));
        QCOMPARE(counts(mma(16, 8, 16, F64, F64, F64)), (QList<int>{8, 4, 4}));
        QCOMPARE(counts(wmma(16, 16, 16, F16, F32)), (QList<int>{8, 8, 8}));
        QCOMPARE(counts(wmma(32, 8, 16, F16, F16)), (QList<int>{8, 8, 4}));
        QCOMPARE(counts(wmma(32, 8, 16, BF16, F32)), (QList<int>{8, 2, 8}));
        QCOMPARE(counts(wmma(8, 32, 16, S8, S32)), (QList<int>{1, 4, 8}));
        QCOMPARE(counts(wmma(16, 16, 8, TF32, F32)), (QList<int>{4, 4, 8}));
        QVERIFY(!fragmentLayout(mma(16, 8, 32, F16, F16, F32), MatrixOperand::A));
        QVERIFY(!fragmentLayout(mma(16, 8, 16, F16, BF16, F32), MatrixOperand::A));
        QVERIFY(!fragmentLayout(mma(16, 8, 16, BF16, BF16, F16), MatrixOperand::C));
    }

    void integerOverflow()
    {
        MatrixOperation op = mma(16, 8, 16, S8, S8, S32);
        Dense a, b, c;
        for (unsigned i = 0; i < 16; ++i)
            for (unsigned j = 0; j < 16; ++j)
                a[{i, j}] = b[{i, j}] = -128;
        for (unsigned i = 0; i < 16; ++i)
            for (unsigned j = 0; j < 8; ++j)
                c[{i, j}] = 0x7fffffff;
        MatrixFragment d{};
        const auto run = [&] {
            multiplyAdd(op, fill(op, MatrixOperand::A, a), fill(op, MatrixOperand::B, b),
                fill(op, MatrixOperand::C, c), d);
            return d[0][0];
        };
        QCOMPARE(run(), std::uint64_t(0x7fffffffu + 16 * 16384u));
        op.saturate = true;
        QCOMPARE(run(), std::uint64_t(0x7fffffffu));
    }

    void roundsInOrderOfK()
    {
        // 2^24 + 1 + 1 in f32 loses both ones; f16 results are rounded once, at the end.
        const auto op = mma(16, 8, 16, F16, F16, F32);
        Dense a, b, c;
        for (unsigned i = 0; i < 16; ++i)
            for (unsigned j = 0; j < 16; ++j)
                a[{i, j}] = b[{i, j}] = j < 2 ? 1 : 0;
        for (unsigned i = 0; i < 16; ++i)
            for (unsigned j = 0; j < 8; ++j)
                c[{i, j}] = 16777216;
        MatrixFragment d{};
        multiplyAdd(op, fill(op, MatrixOperand::A, a), fill(op, MatrixOperand::B, b),
            fill(op, MatrixOperand::C, c), d);
        QCOMPARE(std::bit_cast<float>(std::uint32_t(d[0][0])), 16777216.0f);
    }

    void loadAndStoreMatrix()
    {
        std::array<MatrixRow, 32> rows{};
        for (unsigned r = 0; r < 32; ++r)
            for (unsigned c = 0; c < 8; ++c) {
                rows[r][2 * c] = std::uint8_t(c);
                rows[r][2 * c + 1] = std::uint8_t(r);
            }
        for (bool transposed : {false, true})
            for (unsigned count : {1u, 2u, 4u}) {
                MatrixFragment d{};
                loadMatrix(count, transposed, rows, d);
                for (unsigned matrix = 0; matrix < count; ++matrix)
                    for (unsigned lane = 0; lane < 32; ++lane)
                        for (unsigned e = 0; e < 2; ++e) {
                            const unsigned x = lane / 4, y = 2 * (lane % 4) + e;
                            const unsigned row = 8 * matrix + (transposed ? y : x);
                            const unsigned column = transposed ? x : y;
                            QCOMPARE(unsigned((d[matrix][lane] >> (16 * e)) & 0xffff),
                                row << 8 | column);
                        }
                std::array<MatrixRow, 32> back{};
                storeMatrix(count, transposed, d, back);
                QVERIFY(std::equal(rows.begin(), rows.begin() + 8 * count, back.begin()));
            }
    }

    void transposes()
    {
        LaneRegister a{};
        for (unsigned lane = 0; lane < 32; ++lane)
            a[lane] = (2 * lane) | ((2 * lane + 1) << 16);
        const LaneRegister t = transposeMatrix(a);
        QCOMPARE(t[0], std::uint64_t(0u | 8u << 16));
        QCOMPARE(t[1], std::uint64_t(16u | 24u << 16));
        QCOMPARE(t[4], std::uint64_t(1u | 9u << 16));
        QVERIFY(transposeMatrix(t) == a);
    }
};

QTEST_APPLESS_MAIN(TestPtxMatrix)
#include "tst_ptx_matrix.moc"
