#include "gpu/ptx/matrixops.h"

#include "gpu/ptx/block.h"
#include "gpu/ptx/collective.h"
#include "gpu/ptx/decode.h"
#include "gpu/ptx/matrix.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpu::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 WholeWarp = 0xffffffffu;

/// Instruction::mode of the matrix instructions.
struct MatrixMode {
    MatrixOperation operation;
    MatrixOperand operand = MatrixOperand::D; ///< of wmma.load and wmma.store
    MatrixLayout layout = MatrixLayout::Row; ///< in memory
};

/// Edges are powers of two from 4 to 256, so their logarithms fit in three bits.
u32 pack(const MatrixMode &mode)
{
    const MatrixOperation &op = mode.operation;
    u32 bits = 0;
    for (const unsigned edge : {op.shape.m, op.shape.n, op.shape.k})
        bits = bits << 3 | u32(std::countr_zero(edge) - 2);
    for (const MatrixType type : {op.a, op.b, op.c, op.d})
        bits = bits << 4 | u32(type);
    bits = bits << 2 | u32(mode.operand);
    for (const bool flag : {op.wmma, op.saturate, op.xorPopc, mode.layout == MatrixLayout::Col})
        bits = bits << 1 | u32(flag);
    return bits;
}

MatrixMode unpack(u32 bits)
{
    MatrixMode mode;
    const auto take = [&](unsigned width) {
        const u32 value = bits & ((1u << width) - 1);
        bits >>= width;
        return value;
    };
    mode.layout = MatrixLayout(take(1));
    mode.operation.xorPopc = take(1);
    mode.operation.saturate = take(1);
    mode.operation.wmma = take(1);
    mode.operand = MatrixOperand(take(2));
    mode.operation.d = MatrixType(take(4));
    mode.operation.c = MatrixType(take(4));
    mode.operation.b = MatrixType(take(4));
    mode.operation.a = MatrixType(take(4));
    mode.operation.shape.k = std::uint16_t(4u << take(3));
    mode.operation.shape.n = std::uint16_t(4u << take(3));
    mode.operation.shape.m = std::uint16_t(4u << take(3));
    return mode;
}

/// True if all 32 lanes are here; else they are awaited or can no longer come, which is a fault.
bool wholeWarp(Warp &warp, const Instruction &in)
{
    if (!warp.rendezvous(in, WholeWarp))
        return false;
    if (warp.mask == WholeWarp)
        return true;
    warp.fault(in, unsigned(std::countr_zero(warp.mask)), FaultKind::BarrierDivergence,
        "a matrix instruction needs all 32 threads of the warp, but only "
            + std::to_string(std::popcount(warp.mask)) + " of them still run");
    return false;
}

const Slot *slotsOf(const Warp &warp, const Instruction &in)
{
    return warp.frame->function->lists.data() + in.list;
}

MatrixFragment readFragment(const Warp &warp, const Slot *slots, unsigned count, unsigned sizeBytes)
{
    MatrixFragment fragment{};
    for (unsigned reg = 0; reg < count; ++reg)
        for (unsigned lane = 0; lane < 32; ++lane)
            fragment[reg][lane] = sizeBytes == 8 ? laneValue<u64>(warp, slots[reg], lane)
                                                 : laneValue<u32>(warp, slots[reg], lane);
    return fragment;
}

void writeFragment(Warp &warp, const Slot *slots, unsigned count, unsigned sizeBytes,
    const MatrixFragment &fragment)
{
    for (unsigned reg = 0; reg < count; ++reg)
        for (unsigned lane = 0; lane < 32; ++lane)
            setLaneBits(warp, slots[reg], std::uint8_t(sizeBytes), lane, fragment[reg][lane]);
}

unsigned registerBytes(MatrixType type)
{
    return type == MatrixType::F64 ? 8 : 4;
}

void multiply(Warp &warp, const Instruction &in)
{
    if (!wholeWarp(warp, in))
        return;
    const MatrixOperation op = unpack(in.mode).operation;
    const unsigned results = fragmentLayout(op, MatrixOperand::D)->registers;
    const Slot *slots = slotsOf(warp, in);
    const Slot *next = slots + results;
    MatrixFragment sources[3];
    for (const MatrixOperand operand : {MatrixOperand::A, MatrixOperand::B, MatrixOperand::C}) {
        const unsigned count = fragmentLayout(op, operand)->registers;
        sources[unsigned(operand)]
            = readFragment(warp, next, count, registerBytes(op.type(operand)));
        next += count;
    }
    MatrixFragment d{};
    multiplyAdd(op, sources[0], sources[1], sources[2], d);
    writeFragment(warp, slots, results, registerBytes(op.d), d);
}

/// The matrix of a wmma.load or wmma.store in memory: lines of consecutive elements.
class MemoryMatrix {
public:
    MemoryMatrix(Warp &warp, const Instruction &in, unsigned strideSource)
        : m_warp(warp)
        , m_in(in)
        , m_mode(unpack(in.mode))
        , m_layout(*fragmentLayout(m_mode.operation, m_mode.operand))
    {
        const bool isRow = m_mode.layout == MatrixLayout::Row;
        m_lines = isRow ? m_layout.rows : m_layout.columns;
        const unsigned length = isRow ? m_layout.columns : m_layout.rows;
        m_lineBytes = length * m_layout.elementBits / 8;
        m_stride = in.sourceSize[strideSource] ? laneValue<u32>(warp, in.source[strideSource], 0)
                                               : length;
        m_address = laneBits(warp, in, 0, 0) + u64(in.offset);
        if (in.sourceSize[0] == 4)
            m_address = u32(m_address);
        m_bytes.resize(std::size_t(m_lines) * m_lineBytes);
    }

    const FragmentLayout &layout() const { return m_layout; }
    unsigned registerSize() const { return registerBytes(m_mode.operation.type(m_mode.operand)); }

    /// Copies from or to memory; false after a fault.
    bool transfer(Access access)
    {
        const bool done = copy(access);
        // Lane 0 stands for all lanes here, which must not look like a race with what they do next.
        m_warp.block->synchronizeWarp(m_warp);
        return done;
    }

    void toFragment(MatrixFragment &fragment) const
    {
        forEach(
            [&](u64 &lane, unsigned shift, std::size_t bit) {
                u64 value = 0;
                std::memcpy(
                    &value, m_bytes.data() + bit / 8, std::max(1u, m_layout.elementBits / 8u));
                if (m_layout.elementBits < 8)
                    value = (value >> (bit % 8)) & ((1u << m_layout.elementBits) - 1);
                lane |= value << shift;
            },
            fragment);
    }

    /// Results have whole bytes.
    void fromFragment(MatrixFragment fragment)
    {
        forEach(
            [&](u64 lane, unsigned shift, std::size_t bit) {
                const u64 value = lane >> shift;
                std::memcpy(m_bytes.data() + bit / 8, &value, m_layout.elementBits / 8u);
            },
            fragment);
    }

private:
    bool copy(Access access)
    {
        const unsigned elementBytes = std::max(1u, m_layout.elementBits / 8u);
        for (unsigned line = 0; line < m_lines; ++line) {
            const u64 begin = m_address + u64(line) * m_stride * m_layout.elementBits / 8;
            // As wide as the alignment allows: fewer checks.
            const unsigned width = std::clamp(
                1u << std::min(4, std::countr_zero(begin | m_lineBytes)), elementBytes, 16u);
            for (unsigned at = 0; at < m_lineBytes; at += width) {
                std::byte *host = m_warp.resolve(m_in, 0, begin + at, width, access);
                if (!host)
                    return false;
                std::byte *own = m_bytes.data() + std::size_t(line) * m_lineBytes + at;
                std::memcpy(access == Access::Read ? own : host,
                    access == Access::Read ? host : own, width);
            }
        }
        return true;
    }

    /// f(register of a lane, element's bit in it, its bit in the dense copy).
    template <class F> void forEach(F f, MatrixFragment &fragment) const
    {
        for (unsigned reg = 0; reg < m_layout.registers; ++reg)
            for (unsigned lane = 0; lane < 32; ++lane)
                for (unsigned e = 0; e < m_layout.elementsPerRegister; ++e) {
                    const ElementPosition position
                        = elementPosition(m_mode.operation, m_mode.operand, reg, lane, e);
                    const bool isRow = m_mode.layout == MatrixLayout::Row;
                    const std::size_t length = isRow ? m_layout.columns : m_layout.rows;
                    const auto element
                        = std::size_t(elementOffset(position, m_mode.layout, std::int64_t(length)));
                    f(fragment[reg][lane], e * m_layout.elementBits,
                        element * m_layout.elementBits);
                }
    }

    Warp &m_warp;
    const Instruction &m_in;
    MatrixMode m_mode;
    FragmentLayout m_layout;
    unsigned m_lines = 0, m_lineBytes = 0;
    u32 m_stride = 0; ///< elements
    u64 m_address = 0;
    std::vector<std::byte> m_bytes; ///< dense
};

void loadWmma(Warp &warp, const Instruction &in)
{
    if (!wholeWarp(warp, in))
        return;
    MemoryMatrix matrix(warp, in, 1);
    if (!matrix.transfer(Access::Read))
        return;
    MatrixFragment fragment{};
    matrix.toFragment(fragment);
    writeFragment(
        warp, slotsOf(warp, in), matrix.layout().registers, matrix.registerSize(), fragment);
}

void storeWmma(Warp &warp, const Instruction &in)
{
    if (!wholeWarp(warp, in))
        return;
    MemoryMatrix matrix(warp, in, 2);
    matrix.fromFragment(
        readFragment(warp, slotsOf(warp, in), matrix.layout().registers, matrix.registerSize()));
    matrix.transfer(Access::Write);
}

constexpr u32 Transposed = 0x100; ///< in `mode`, beside the number of matrices

/// Copies the rows of ldmatrix and stmatrix; false after a fault.
bool transferRows(Warp &warp, const Instruction &in, std::array<MatrixRow, 32> &rows, Access access)
{
    for (unsigned lane = 0; lane < 8 * (in.mode & 0xffu); ++lane) {
        u64 address = laneBits(warp, in, 0, lane) + u64(in.offset);
        if (in.sourceSize[0] == 4)
            address = u32(address);
        std::byte *host = warp.resolve(in, lane, address, 16, access);
        if (!host)
            return false;
        if (access == Access::Read)
            std::memcpy(rows[lane].data(), host, 16);
        else
            std::memcpy(host, rows[lane].data(), 16);
    }
    warp.block->synchronizeWarp(warp);
    return true;
}

void loadRows(Warp &warp, const Instruction &in)
{
    std::array<MatrixRow, 32> rows{};
    if (!wholeWarp(warp, in) || !transferRows(warp, in, rows, Access::Read))
        return;
    MatrixFragment fragment{};
    loadMatrix(in.mode & 0xffu, in.mode & Transposed, rows, fragment);
    writeFragment(warp, slotsOf(warp, in), in.mode & 0xffu, 4, fragment);
}

void storeRows(Warp &warp, const Instruction &in)
{
    if (!wholeWarp(warp, in))
        return;
    std::array<MatrixRow, 32> rows{};
    storeMatrix(in.mode & 0xffu, in.mode & Transposed,
        readFragment(warp, slotsOf(warp, in), in.mode & 0xffu, 4), rows);
    transferRows(warp, in, rows, Access::Write);
}

void moveMatrix(Warp &warp, const Instruction &in)
{
    if (!wholeWarp(warp, in))
        return;
    MatrixFragment fragment = readFragment(warp, in.source, 1, 4);
    fragment[0] = transposeMatrix(fragment[0]);
    writeFragment(warp, &in.dst, 1, 4, fragment);
}

std::optional<MatrixType> matrixType(Type type)
{
    switch (type) {
    case Type::F16:
        return MatrixType::F16;
    case Type::BF16:
        return MatrixType::BF16;
    case Type::TF32:
        return MatrixType::TF32;
    case Type::F32:
        return MatrixType::F32;
    case Type::F64:
        return MatrixType::F64;
    case Type::S8:
        return MatrixType::S8;
    case Type::U8:
        return MatrixType::U8;
    case Type::S4:
        return MatrixType::S4;
    case Type::U4:
        return MatrixType::U4;
    case Type::B1:
        return MatrixType::B1;
    case Type::S32:
        return MatrixType::S32;
    case Type::E4M3:
        return MatrixType::E4M3;
    case Type::E5M2:
        return MatrixType::E5M2;
    default:
        return std::nullopt;
    }
}

/// "m16n8k16"; an edge that no shape has gives an empty shape.
MatrixShape shapeOf(const Operation &op)
{
    for (const std::string &word : op.modifiers) {
        unsigned edges[3] = {}, at = 0;
        bool valid = word.size() >= 6 && word[0] == 'm';
        for (std::size_t i = 1; i < word.size() && valid; ++i) {
            if (word[i] >= '0' && word[i] <= '9')
                edges[at] = edges[at] * 10 + unsigned(word[i] - '0');
            else
                valid = at < 2 && word[i] == "nk"[at++];
        }
        for (const unsigned edge : edges)
            valid = valid && edge >= 4 && edge <= 256 && std::has_single_bit(edge);
        if (valid)
            return {std::uint16_t(edges[0]), std::uint16_t(edges[1]), std::uint16_t(edges[2])};
    }
    return {};
}

Selection selectMultiply(const Operation &op)
{
    Selection shape;
    MatrixMode mode;
    MatrixOperation &matrix = mode.operation;
    matrix.shape = shapeOf(op);
    matrix.wmma = op.base == "wmma";
    matrix.saturate = op.has("satfinite");
    matrix.xorPopc = op.has("xor");
    const bool wrongKind = op.has("sp") || op.has("sp::ordered_metadata") || op.has("block_scale")
        || (op.has("satfinite") && op.type(0) != Type::S32);
    if (wrongKind || matrix.shape == MatrixShape())
        return shape;
    if (op.types.size() != 4 && !(matrix.wmma && op.types.size() == 2))
        return shape;
    // wmma's f16 form names the types of d and c only.
    const auto d = matrixType(op.type(0)), c = matrixType(op.types.back());
    const auto a = op.types.size() == 2 ? MatrixType::F16 : matrixType(op.type(1));
    const auto b = op.types.size() == 2 ? MatrixType::F16 : matrixType(op.type(2));
    if (!a || !b || !c || !d)
        return shape;
    matrix.a = *a, matrix.b = *b, matrix.c = *c, matrix.d = *d;
    const auto layout = fragmentLayout(matrix, MatrixOperand::D);
    if (!layout)
        return shape;
    shape.handler = multiply;
    shape.mode = pack(mode);
    shape.dst = SizeVector;
    shape.dstCount = layout->registers;
    for (const MatrixOperand operand : {MatrixOperand::A, MatrixOperand::B, MatrixOperand::C}) {
        shape.source[unsigned(operand)] = SizeVector;
        shape.sourceCount[unsigned(operand)] = fragmentLayout(matrix, operand)->registers;
    }
    shape.required = 3;
    return shape;
}

/// The other operands' types that go with one that is loaded or stored.
void completeTypes(MatrixOperation &matrix, MatrixType type)
{
    const bool tf32 = matrix.shape == MatrixShape{16, 16, 8};
    MatrixType factor = type;
    if (type == MatrixType::F32)
        factor = tf32 ? MatrixType::TF32 : MatrixType::F16;
    else if (type == MatrixType::S32)
        factor = matrix.shape.k == 128 ? MatrixType::B1
            : matrix.shape.k == 32     ? MatrixType::S4
                                       : MatrixType::S8;
    MatrixType sum = type;
    if (type == MatrixType::BF16 || type == MatrixType::TF32)
        sum = MatrixType::F32;
    else if (type != MatrixType::F16 && type != MatrixType::F32 && type != MatrixType::F64)
        sum = MatrixType::S32;
    matrix.a = matrix.b = factor;
    matrix.c = matrix.d = sum;
}

Selection selectWmmaMemory(const Operation &op)
{
    Selection shape;
    MatrixMode mode;
    mode.operation.wmma = true;
    mode.operation.shape = shapeOf(op);
    const auto type = matrixType(op.type());
    if (!type || mode.operation.shape == MatrixShape())
        return shape;
    completeTypes(mode.operation, *type);
    mode.operand = op.has("a") ? MatrixOperand::A
        : op.has("b")          ? MatrixOperand::B
        : op.has("c")          ? MatrixOperand::C
                               : MatrixOperand::D;
    mode.layout = op.has("col") ? MatrixLayout::Col : MatrixLayout::Row;
    const auto layout = fragmentLayout(mode.operation, mode.operand);
    if (!layout || mode.operation.type(mode.operand) != *type)
        return shape;
    // Elements below a byte lie side by side along k only.
    const bool alongK = (mode.operand == MatrixOperand::A) == (mode.layout == MatrixLayout::Row);
    if (layout->elementBits < 8 && !alongK)
        return shape;
    const bool isStore = op.has("store");
    shape.handler = isStore ? storeWmma : loadWmma;
    shape.mode = pack(mode);
    shape.source[0] = SizeAddress;
    if (isStore) {
        shape.source[1] = SizeVector;
        shape.sourceCount[1] = layout->registers;
    } else {
        shape.dst = SizeVector;
        shape.dstCount = layout->registers;
    }
    shape.source[isStore ? 2 : 1] = 4;
    shape.required = isStore ? 2 : 1;
    return shape;
}

Selection selectRows(const Operation &op)
{
    Selection shape;
    const unsigned count = op.has("x1") ? 1 : op.has("x2") ? 2 : op.has("x4") ? 4 : 0;
    if (count == 0 || !op.has("m8n8") || op.type() != Type::B16)
        return shape;
    const bool isStore = op.base == "stmatrix";
    shape.handler = isStore ? storeRows : loadRows;
    shape.mode = count | (op.has("trans") ? Transposed : 0);
    shape.source[0] = SizeAddress;
    if (isStore) {
        shape.source[1] = SizeVector;
        shape.sourceCount[1] = std::uint8_t(count);
    } else {
        shape.dst = SizeVector;
        shape.dstCount = std::uint8_t(count);
    }
    shape.required = isStore ? 2 : 1;
    return shape;
}

} // namespace

Selection selectMatrix(const Operation &op)
{
    if (op.base == "mma" || (op.base == "wmma" && op.has("mma")))
        return selectMultiply(op);
    if (op.base == "wmma" && (op.has("load") || op.has("store")))
        return selectWmmaMemory(op);
    if (op.base == "ldmatrix" || op.base == "stmatrix")
        return selectRows(op);
    Selection shape;
    if (op.base == "movmatrix" && op.has("m8n8") && op.has("trans")) {
        shape.handler = moveMatrix;
        shape.dst = shape.source[0] = 4;
    }
    return shape;
}

} // namespace gpu::ptx
