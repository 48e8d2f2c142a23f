#include "gpu/ptx/matrix.h"

#include "gpu/ptx/numeric.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

namespace gpu::ptx {

namespace {

constexpr unsigned WarpSize = 32;

int bitsOf(MatrixType type)
{
    switch (type) {
    case MatrixType::F16:
    case MatrixType::BF16:
        return 16;
    case MatrixType::TF32:
    case MatrixType::F32:
    case MatrixType::S32:
        return 32;
    case MatrixType::F64:
        return 64;
    case MatrixType::S8:
    case MatrixType::U8:
    case MatrixType::E4M3:
    case MatrixType::E5M2:
        return 8;
    case MatrixType::S4:
    case MatrixType::U4:
        return 4;
    case MatrixType::B1:
        return 1;
    }
    return 0;
}

bool isInteger(MatrixType type)
{
    return type == MatrixType::S8 || type == MatrixType::U8 || type == MatrixType::S4
        || type == MatrixType::U4 || type == MatrixType::B1;
}

bool oneOf(MatrixShape shape, std::initializer_list<MatrixShape> shapes)
{
    return std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
}

bool isFp8(MatrixType type)
{
    return type == MatrixType::E4M3 || type == MatrixType::E5M2;
}

bool shapeExists(MatrixShape shape, MatrixType type, bool wmma)
{
    constexpr MatrixShape Wide{16, 16, 16}, Tall{32, 8, 16}, Flat{8, 32, 16};
    switch (type) {
    case MatrixType::F16:
    case MatrixType::BF16:
        return wmma ? oneOf(shape, {Wide, Tall, Flat}) : oneOf(shape, {{16, 8, 8}, {16, 8, 16}});
    case MatrixType::TF32:
        return wmma ? oneOf(shape, {{16, 16, 8}}) : oneOf(shape, {{16, 8, 4}, {16, 8, 8}});
    case MatrixType::F64:
        return oneOf(shape, {{8, 8, 4}})
            || (!wmma && oneOf(shape, {{16, 8, 4}, {16, 8, 8}, {16, 8, 16}}));
    case MatrixType::S8:
    case MatrixType::U8:
        return wmma ? oneOf(shape, {Wide, Tall, Flat})
                    : oneOf(shape, {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}});
    case MatrixType::S4:
    case MatrixType::U4:
        return oneOf(shape, {{8, 8, 32}}) || (!wmma && oneOf(shape, {{16, 8, 32}, {16, 8, 64}}));
    case MatrixType::B1:
        return oneOf(shape, {{8, 8, 128}}) || (!wmma && oneOf(shape, {{16, 8, 128}, {16, 8, 256}}));
    case MatrixType::E4M3:
    case MatrixType::E5M2:
        return !wmma && oneOf(shape, {{16, 8, 16}, {16, 8, 32}});
    case MatrixType::F32:
    case MatrixType::S32:
        return false;
    }
    return false;
}

/// Whether the accumulator's type goes with the factors' type.
bool accumulates(MatrixType factor, MatrixType accumulator)
{
    if (factor == MatrixType::F64)
        return accumulator == MatrixType::F64;
    if (isInteger(factor))
        return accumulator == MatrixType::S32;
    if (accumulator == MatrixType::F16)
        return factor == MatrixType::F16 || isFp8(factor);
    return accumulator == MatrixType::F32;
}

/// Different factor types go together only within these families.
bool factorsMatch(MatrixType a, MatrixType b)
{
    return a == b || (isFp8(a) && isFp8(b))
        || (isInteger(a) && isInteger(b) && bitsOf(a) == bitsOf(b));
}

float floatElement(MatrixType type, std::uint64_t bits)
{
    switch (type) {
    case MatrixType::F16:
        return f16ToF32(std::uint16_t(bits));
    case MatrixType::BF16:
        return bf16ToF32(std::uint16_t(bits));
    case MatrixType::TF32:
        return tf32Operand(std::uint32_t(bits));
    case MatrixType::E4M3:
        return float(decodeFloat(format::E4M3, bits));
    case MatrixType::E5M2:
        return float(decodeFloat(format::E5M2, bits));
    default:
        return std::bit_cast<float>(std::uint32_t(bits));
    }
}

std::int32_t integerElement(MatrixType type, std::uint64_t bits)
{
    switch (type) {
    case MatrixType::S8:
        return std::int8_t(bits);
    case MatrixType::S4:
        return std::int32_t((bits ^ 8u)) - 8;
    default:
        return std::int32_t(bits);
    }
}

/// Calls f(row, column, register, lane, shift) for each element of an operand, copies included.
template <class F>
void forEachElement(
    const MatrixOperation &operation, MatrixOperand operand, const FragmentLayout &layout, F f)
{
    const bool alongColumn = operand == MatrixOperand::B;
    for (unsigned reg = 0; reg < layout.registers; ++reg) {
        for (unsigned lane = 0; lane < WarpSize; ++lane) {
            const ElementPosition first = elementPosition(operation, operand, reg, lane, 0);
            for (unsigned e = 0; e < layout.elementsPerRegister; ++e)
                f(first.row + (alongColumn ? e : 0), first.column + (alongColumn ? 0 : e), reg,
                    lane, e * layout.elementBits);
        }
    }
}

/// An operand as a dense row-major matrix.
template <class T, class Convert>
std::vector<T> gather(const MatrixOperation &operation, MatrixOperand operand,
    const MatrixFragment &fragment, Convert convert)
{
    const auto layout = fragmentLayout(operation, operand);
    std::vector<T> matrix(std::size_t(layout->rows) * layout->columns);
    const std::uint64_t mask
        = layout->elementBits == 64 ? ~std::uint64_t(0) : (1ull << layout->elementBits) - 1;
    forEachElement(operation, operand, *layout,
        [&](unsigned row, unsigned column, unsigned reg, unsigned lane, unsigned shift) {
            matrix[row * layout->columns + column]
                = T(convert(operation.type(operand), (fragment[reg][lane] >> shift) & mask));
        });
    return matrix;
}

template <class T, class Convert>
void scatter(const MatrixOperation &operation, const std::vector<T> &matrix, MatrixFragment &d,
    Convert convert)
{
    const auto layout = fragmentLayout(operation, MatrixOperand::D);
    for (unsigned reg = 0; reg < layout->registers; ++reg)
        d[reg].fill(0);
    forEachElement(operation, MatrixOperand::D, *layout,
        [&](unsigned row, unsigned column, unsigned reg, unsigned lane, unsigned shift) {
            d[reg][lane] |= std::uint64_t(convert(matrix[row * layout->columns + column])) << shift;
        });
}

void multiplyFloats(const MatrixOperation &operation, const MatrixFragment &a,
    const MatrixFragment &b, const MatrixFragment &c, MatrixFragment &d)
{
    const auto left = gather<float>(operation, MatrixOperand::A, a, floatElement);
    const auto right = gather<float>(operation, MatrixOperand::B, b, floatElement);
    auto sum = gather<float>(operation, MatrixOperand::C, c, floatElement);
    const unsigned m = operation.shape.m, n = operation.shape.n, k = operation.shape.k;
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned at = 0; at < n; at += 8) {
            float *out = &sum[i * n + at];
            for (unsigned j = 0; j < k; ++j) {
                const float factor = left[i * k + j];
                const float *row = &right[j * n + at];
                for (unsigned column = 0; column < 8; ++column)
                    out[column] += factor * row[column];
            }
        }
    }
    scatter(operation, sum, d, [&](float value) {
        return operation.d == MatrixType::F16 ? std::uint32_t(f32ToF16(value))
                                              : std::bit_cast<std::uint32_t>(canonical(value));
    });
}

void multiplyDoubles(const MatrixOperation &operation, const MatrixFragment &a,
    const MatrixFragment &b, const MatrixFragment &c, MatrixFragment &d)
{
    const auto toDouble
        = [](MatrixType, std::uint64_t bits) { return std::bit_cast<double>(bits); };
    const auto left = gather<double>(operation, MatrixOperand::A, a, toDouble);
    const auto right = gather<double>(operation, MatrixOperand::B, b, toDouble);
    auto sum = gather<double>(operation, MatrixOperand::C, c, toDouble);
    const unsigned m = operation.shape.m, n = operation.shape.n, k = operation.shape.k;
    for (unsigned i = 0; i < m; ++i)
        for (unsigned j = 0; j < k; ++j)
            for (unsigned column = 0; column < n; ++column)
                sum[i * n + column]
                    = std::fma(left[i * k + j], right[j * n + column], sum[i * n + column]);
    scatter(operation, sum, d, [](double value) { return std::bit_cast<std::uint64_t>(value); });
}

void multiplyIntegers(const MatrixOperation &operation, const MatrixFragment &a,
    const MatrixFragment &b, const MatrixFragment &c, MatrixFragment &d)
{
    const auto left = gather<std::int32_t>(operation, MatrixOperand::A, a, integerElement);
    const auto right = gather<std::int32_t>(operation, MatrixOperand::B, b, integerElement);
    auto sum = gather<std::int64_t>(operation, MatrixOperand::C, c,
        [](MatrixType, std::uint64_t bits) { return std::int32_t(bits); });
    const unsigned m = operation.shape.m, n = operation.shape.n, k = operation.shape.k;
    for (unsigned i = 0; i < m; ++i)
        for (unsigned j = 0; j < k; ++j)
            for (unsigned column = 0; column < n; ++column) {
                const std::int32_t x = left[i * k + j], y = right[j * n + column];
                sum[i * n + column] += operation.xorPopc ? x ^ y : x * y;
            }
    scatter(operation, sum, d, [&](std::int64_t value) {
        if (operation.saturate)
            value = std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                std::numeric_limits<std::int32_t>::max());
        return std::uint32_t(value);
    });
}

} // namespace

MatrixType MatrixOperation::type(MatrixOperand operand) const
{
    switch (operand) {
    case MatrixOperand::A:
        return a;
    case MatrixOperand::B:
        return b;
    case MatrixOperand::C:
        return c;
    case MatrixOperand::D:
        return d;
    }
    return d;
}

std::optional<FragmentLayout> fragmentLayout(
    const MatrixOperation &operation, MatrixOperand operand)
{
    const MatrixShape shape = operation.shape;
    if (!shapeExists(shape, operation.a, operation.wmma) || !factorsMatch(operation.a, operation.b)
        || !accumulates(operation.a, operation.c) || !accumulates(operation.a, operation.d))
        return std::nullopt;
    const MatrixType type = operation.type(operand);
    const bool isA = operand == MatrixOperand::A, isB = operand == MatrixOperand::B;
    FragmentLayout layout;
    layout.rows = isB ? shape.k : shape.m;
    layout.columns = isA ? shape.k : shape.n;
    layout.elementBits = std::uint8_t(bitsOf(type));
    layout.elementsPerRegister = std::uint8_t(std::max(1, 32 / bitsOf(type)));
    layout.registers
        = std::uint8_t(layout.rows * layout.columns / int(WarpSize) / layout.elementsPerRegister);
    if (operation.wmma && type == MatrixType::F16 && (isA || isB))
        layout.registers = 8;
    return layout;
}

ElementPosition elementPosition(const MatrixOperation &operation, MatrixOperand operand,
    unsigned reg, unsigned lane, unsigned element)
{
    const MatrixShape shape = operation.shape;
    const unsigned group = lane / 4, inGroup = lane % 4;
    const unsigned perRegister = unsigned(std::max(1, 32 / bitsOf(operation.type(operand))));
    const unsigned chunk = 4 * perRegister; // elements along k that one register covers
    const unsigned chunks = std::max(1u, shape.k / chunk);
    unsigned row = 0, column = 0;
    if (operand == MatrixOperand::A) {
        const unsigned halves = shape.m >= 16 ? 2 : 1; // row groups of a tile: g and g + 8
        const unsigned index = reg % (shape.m / 8 * chunks);
        const unsigned tile = index / (halves * chunks), within = index % (halves * chunks);
        row = 16 * tile + group + 8 * (within % halves);
        column = chunk * (within / halves) + inGroup * perRegister + element;
    } else if (operand == MatrixOperand::B) {
        const unsigned index = reg % (shape.n / 8 * chunks);
        row = chunk * (index % chunks) + inGroup * perRegister + element;
        column = 8 * (index / chunks) + group;
    } else {
        const unsigned halves = shape.m >= 16 ? 2 : 1;
        const unsigned index = reg * perRegister + element; // two neighbours in a row, then g + 8
        const unsigned block = index / 2;
        const unsigned tile = block / halves; // tiles of 8 columns first, then of 16 rows
        const unsigned tileColumns = shape.n / 8u;
        row = 16 * (tile / tileColumns) + 8 * (block % halves) + group;
        column = 8 * (tile % tileColumns) + 2 * inGroup + index % 2;
    }
    return {std::uint16_t(row), std::uint16_t(column)};
}

void multiplyAdd(const MatrixOperation &operation, const MatrixFragment &a, const MatrixFragment &b,
    const MatrixFragment &c, MatrixFragment &d)
{
    if (operation.a == MatrixType::F64)
        multiplyDoubles(operation, a, b, c, d);
    else if (isInteger(operation.a))
        multiplyIntegers(operation, a, b, c, d);
    else
        multiplyFloats(operation, a, b, c, d);
}

void loadMatrix(
    unsigned count, bool transposed, const std::array<MatrixRow, 32> &rows, MatrixFragment &d)
{
    for (unsigned matrix = 0; matrix < count; ++matrix) {
        for (unsigned lane = 0; lane < WarpSize; ++lane) {
            std::uint32_t value = 0;
            for (unsigned e = 0; e < 2; ++e) {
                const unsigned along = 2 * (lane % 4) + e, across = lane / 4;
                const unsigned row = transposed ? along : across;
                const unsigned column = transposed ? across : along;
                const MatrixRow &bytes = rows[8 * matrix + row];
                const unsigned half = bytes[2 * column] | (bytes[2 * column + 1] << 8u);
                value |= half << (16 * e);
            }
            d[matrix][lane] = value;
        }
    }
}

void storeMatrix(
    unsigned count, bool transposed, const MatrixFragment &source, std::array<MatrixRow, 32> &rows)
{
    for (unsigned matrix = 0; matrix < count; ++matrix) {
        for (unsigned lane = 0; lane < WarpSize; ++lane) {
            for (unsigned e = 0; e < 2; ++e) {
                const unsigned along = 2 * (lane % 4) + e, across = lane / 4;
                const unsigned row = transposed ? along : across;
                const unsigned column = transposed ? across : along;
                const auto half = std::uint16_t(source[matrix][lane] >> (16 * e));
                rows[8 * matrix + row][2 * column] = std::uint8_t(half);
                rows[8 * matrix + row][2 * column + 1] = std::uint8_t(half >> 8);
            }
        }
    }
}

LaneRegister transposeMatrix(const LaneRegister &a)
{
    MatrixFragment fragment{};
    fragment[0] = a;
    std::array<MatrixRow, 32> rows{};
    storeMatrix(1, true, fragment, rows);
    loadMatrix(1, false, rows, fragment);
    return fragment[0];
}

} // namespace gpu::ptx
