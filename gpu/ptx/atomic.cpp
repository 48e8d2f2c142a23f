#include "gpu/ptx/block.h"
#include "gpu/ptx/collective.h"
#include "gpu/ptx/decode.h"
#include "gpu/ptx/scalar.h"

#include <bit>

namespace gpu::ptx {

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum AtomicOp : u32 { Add, Min, Max, Inc, Dec, And, Or, Xor, Exch, Cas };
constexpr std::string_view Names[]
    = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};

u16 halfResult(Type type, u32 how, u16 a, u16 b)
{
    const bool brain = type == Type::BF16 || type == Type::BF16x2;
    switch (how) {
    case Add:
        return brain ? addBf16(a, b) : addF16(a, b);
    case Min:
        return brain ? minimumBf16(a, b) : minimumF16(a, b);
    default:
        return brain ? maximumBf16(a, b) : maximumF16(a, b);
    }
}

template <class T> u64 ordered(u32 how, T a, T b)
{
    using U = std::make_unsigned_t<T>;
    return U(how == Min ? (b < a ? b : a) : (a < b ? b : a));
}

/// f32 additions in global memory flush subnormals, those in shared memory do not.
u64 addedF32(u64 a, u64 b, bool flushes)
{
    const auto prepare = [&](float x) { return flushes ? flush(x) : x; };
    return bitsOf(prepare(add(prepare(toFloat(a)), prepare(toFloat(b)), Rounding::Rn)));
}

/// The new value of a location that holds `a`.
u64 updated(const Instruction &in, bool isGlobal, u64 a, u64 b, u64 c)
{
    switch (in.type) {
    case Type::F32:
        if (in.mode == Add)
            return addedF32(a, b, isGlobal);
        break;
    case Type::F64:
        if (in.mode == Add)
            return bitsOf(toDouble(a) + toDouble(b));
        break;
    case Type::F16:
    case Type::BF16:
        return halfResult(in.type, in.mode, u16(a), u16(b));
    case Type::F16x2:
    case Type::BF16x2:
        return u64(halfResult(in.type, in.mode, u16(a), u16(b)))
            | u64(halfResult(in.type, in.mode, u16(a >> 16), u16(b >> 16))) << 16;
    default:
        break;
    }
    switch (in.mode) {
    case Add:
        return a + b;
    case Min:
    case Max:
        switch (in.type) {
        case Type::S32:
            return ordered(in.mode, std::int32_t(a), std::int32_t(b));
        case Type::S64:
            return ordered(in.mode, std::int64_t(a), std::int64_t(b));
        default:
            return ordered(in.mode, a, b);
        }
    case Inc:
        return a >= b ? 0 : a + 1;
    case Dec:
        return a == 0 || a > b ? b : a - 1;
    case And:
        return a & b;
    case Or:
        return a | b;
    case Xor:
        return a ^ b;
    case Exch:
        return b;
    default:
        return a == b ? c : a;
    }
}

template <class T> u64 apply(const Instruction &in, bool isGlobal, std::byte *host, u64 b, u64 c)
{
    T *location = reinterpret_cast<T *>(host);
    T old = __atomic_load_n(location, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(location, &old, T(updated(in, isGlobal, old, b, c)), false,
        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) { }
    return old;
}

void atomic(Warp &warp, const Instruction &in)
{
    const u32 bytes = in.accessBytes;
    warp.block->synchronize();
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        const u64 raw = laneBits(warp, in, 0, lane) + u64(in.offset);
        std::byte *host
            = warp.resolve(in, lane, in.sourceSize[0] == 4 ? u32(raw) : raw, bytes, Access::Atomic);
        if (!host)
            return;
        const u64 b = laneBits(warp, in, 1, lane);
        const u64 c = in.sourceSize[2] ? laneBits(warp, in, 2, lane) : 0;
        const bool isGlobal = in.space == Space::Global
            || (in.space == Space::Generic && raw - SharedWindow >= WindowBytes);
        const u64 old = bytes == 2 ? apply<u16>(in, isGlobal, host, b, c)
            : bytes == 4           ? apply<u32>(in, isGlobal, host, b, c)
                                   : apply<u64>(in, isGlobal, host, b, c);
        if (in.dstSize)
            setLaneBits(warp, in.dst, in.dstSize, lane, old);
    }
}

} // namespace

Selection selectAtomic(const Operation &op, std::size_t operandCount)
{
    Selection shape;
    if ((op.base != "atom" && op.base != "red") || op.vector != 1 || op.has("async"))
        return shape;
    const std::uint8_t size = std::uint8_t(syntax::sizeOf(op.type()));
    u32 how = 0;
    while (how < std::size(Names) && !op.has(Names[how]))
        ++how;
    const bool fits = size == 2 || size == 4 || size == 8;
    const bool arithmetic = how < Inc || how == Exch || how == Cas;
    if (how == std::size(Names) || !fits || (isFloat(op.type()) && !arithmetic)
        || op.has("shared::cluster"))
        return shape;
    shape.handler = atomic;
    shape.mode = how;
    shape.accessBytes = size;
    shape.dst = op.base == "atom" ? size : std::uint8_t(SizeNone);
    shape.source[0] = SizeAddress;
    shape.source[1] = size;
    shape.source[2] = how == Cas ? size : std::uint8_t(SizeNone);
    shape.ignoresRest = true;
    (void)operandCount;
    return shape;
}

} // namespace gpu::ptx
