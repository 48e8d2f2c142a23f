#pragma once

#include <array>
#include <cstdint>
#include <optional>

/// The warp matrix instructions: fragment layouts and arithmetic on the registers of 32 lanes.
namespace gpu::ptx {

/// One register of every lane; a 32-bit register uses the low half.
using LaneRegister = std::array<std::uint64_t, 32>;
/// The registers of one matrix operand, in the order of the instruction's vector operand.
using MatrixFragment = std::array<LaneRegister, 8>;

enum class MatrixType : std::uint8_t {
    F16,
    BF16,
    TF32,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
    S32,
    E4M3,
    E5M2
};
enum class MatrixOperand : std::uint8_t { A, B, C, D };
enum class MatrixLayout : std::uint8_t { Row, Col };

struct MatrixShape {
    std::uint16_t m = 0, n = 0, k = 0;
    friend bool operator==(const MatrixShape &, const MatrixShape &) = default;
};

/// mma.sync or wmma.mma. For wmma.load and wmma.store fill in the shape and the type of the
/// operand.
struct MatrixOperation {
    MatrixShape shape;
    MatrixType a = MatrixType::F16, b = MatrixType::F16, c = MatrixType::F32, d = MatrixType::F32;
    bool wmma = false;
    bool saturate = false; ///< .satfinite: integer results clamp instead of wrapping
    bool xorPopc = false; ///< b1 only: .xor.popc, else .and.popc

    MatrixType type(MatrixOperand operand) const;
};

/// Where the elements of one operand live. Elements of a register start at its low bits.
struct FragmentLayout {
    std::uint16_t rows = 0, columns = 0; ///< of the whole operand matrix
    std::uint8_t registers = 0; ///< a lane
    std::uint8_t elementsPerRegister = 0;
    std::uint8_t elementBits = 0; ///< in the register; tf32 counts 32
};

struct ElementPosition {
    std::uint16_t row = 0, column = 0;
};

/// nullopt if this combination of shape and types is not implemented: the instruction is then
/// unsupported.
std::optional<FragmentLayout> fragmentLayout(
    const MatrixOperation &operation, MatrixOperand operand);
/// The matrix element at bits [element * elementBits, …) of a lane's register. mma.sync: exactly as
/// the ISA's formulas say. wmma: the ISA leaves it open; it is mma.sync's layout here, and where
/// the ISA gives a lane more room than elements (f16 a and b), the fragment is held twice.
ElementPosition elementPosition(const MatrixOperation &operation, MatrixOperand operand,
    unsigned reg, unsigned lane, unsigned element);

/// Offset in elements from the base pointer of a wmma.load or wmma.store.
inline std::int64_t elementOffset(
    ElementPosition position, MatrixLayout layout, std::int64_t strideElements)
{
    return layout == MatrixLayout::Row ? position.row * strideElements + position.column
                                       : position.column * strideElements + position.row;
}

/// d = a * b + c for a whole warp; the operation must have layouts. `d` may alias `c`.
/// f16, bf16, tf32 and fp8: products are exact and added to the accumulator in f32, one after
/// another in order of k, each sum rounded to nearest; f16 results are rounded once at the end.
/// Hardware adds groups of products and the accumulator at once, aligned to the largest exponent
/// with few extra bits and truncated, so its last bits differ unless all sums are exact. f64 is a
/// chain of fused multiply-adds in order of k. Integers are exact.
void multiplyAdd(const MatrixOperation &operation, const MatrixFragment &a, const MatrixFragment &b,
    const MatrixFragment &c, MatrixFragment &d);

/// The 16-byte rows of ldmatrix and stmatrix: row r of matrix j is at the address of lane 8 j + r.
using MatrixRow = std::array<std::uint8_t, 16>;
/// ldmatrix.m8n8.x{1,2,4}[.trans].b16: `count` registers from 8 * count rows.
void loadMatrix(
    unsigned count, bool transposed, const std::array<MatrixRow, 32> &rows, MatrixFragment &d);
/// stmatrix: the inverse.
void storeMatrix(
    unsigned count, bool transposed, const MatrixFragment &source, std::array<MatrixRow, 32> &rows);
/// movmatrix.m8n8.trans.b16.
LaneRegister transposeMatrix(const LaneRegister &a);

} // namespace gpu::ptx
