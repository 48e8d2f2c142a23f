#include "gpu/ptx/block.h"
#include "gpu/ptx/execute_shadow.h"
#include "gpu/ptx/lanes.h"

namespace gpu::ptx::ESPALIER_ISA {

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;

/// Offsets of the lanes from the start of a range, or of lane 0 alone if the pattern tells the
/// rest. Inactive lanes repeat an active one's.
template <class A> struct Addresses {
    alignas(64) A offset[32];
    std::byte *host = nullptr; ///< where offsets start
    u64 laneStride = 0; ///< of the range
    Pattern pattern = Pattern::Odd;
};

/// As Warp::range, which is slower for what is most frequent.
inline Range rangeOf(Warp &warp, const Instruction &in, u64 address, Access access)
{
    std::vector<std::byte> &shared = warp.block->shared;
    if (in.space == Space::Shared)
        return {0, shared.size(), shared.data(), 0, Space::Shared};
    return warp.range(in, address, access);
}

/// The pattern of a whole warp, by comparison with lane 0: enough for most accesses.
template <class A> inline Pattern patternOf(const A *address, u32 bytes)
{
    A differing = 0, irregular = 0;
    for (int i = 0; i < 32; ++i) {
        const A distance = A(address[i] - address[0]);
        differing |= distance;
        irregular |= distance ^ A(A(i) * A(bytes));
    }
    return differing == 0 ? Pattern::Broadcast
        : irregular == 0  ? Pattern::Contiguous
                          : Pattern::Scattered;
}

/// Sets all offsets; false if one is out of bounds or misaligned.
template <class A>
inline bool spread(const A *address, A base, A limit, u32 bytes, u32 mask, A *offset)
{
    const A fallback = A(address[std::countr_zero(mask)] + base);
    A outside = 0;
    for (int i = 0; i < 32; ++i) {
        offset[i] = (mask >> i) & 1u ? A(address[i] + base) : fallback;
        outside |= A(offset[i] > limit) | (offset[i] & A(bytes - 1));
    }
    return outside == 0;
}

template <class A>
inline void locate(Warp &warp, const Instruction &in, Access access, u32 bytes, Addresses<A> &out)
{
    const A *address = lanes<A>(warp, in.source[0]);
    const u32 mask = warp.mask;
    const Range range
        = rangeOf(warp, in, A(address[std::countr_zero(mask)] + A(in.offset)), access);
    out.host = range.host;
    out.laneStride = range.laneStride;
    if (range.size < bytes || (warp.checked && range.space == Space::Local))
        return;
    const A base = A(A(in.offset) - A(range.begin));
    const A limit = A(range.size - bytes);
    Pattern pattern = mask == FullMask ? patternOf(address, bytes) : Pattern::Scattered;
    const bool isShared = warp.checked && range.space == Space::Shared;
    if (pattern != Pattern::Scattered && range.laneStride == 0 && !isShared) {
        const A begin = A(address[0] + base);
        const A span = pattern == Pattern::Contiguous ? A(31 * bytes) : A(0);
        if (begin <= limit && span <= limit - begin && (begin & A(bytes - 1)) == 0) {
            out.offset[0] = begin;
            out.pattern = pattern;
        }
        return;
    }
    if (!spread(address, base, limit, bytes, mask, out.offset)
        || (isShared
            && !admitShared(warp, mask, pattern, out.offset, bytes, access == Access::Write)))
        return;
    out.pattern = range.laneStride ? Pattern::Scattered : pattern;
}

/// The slow way, lane by lane with all checks; stops at the first fault. All lanes are checked
/// before the first access is recorded: those of one instruction do not race.
template <class A, class F>
[[gnu::noinline]] void eachLane(Warp &warp, const Instruction &in, Access access, u32 bytes, F f)
{
    const A *address = lanes<A>(warp, in.source[0]);
    A copies[32];
    std::memcpy(copies, address, sizeof(copies));
    std::byte *hosts[32];
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        hosts[lane]
            = warp.checkIn(in.space, in, lane, A(copies[lane] + A(in.offset)), bytes, access);
        if (!hosts[lane])
            return;
    }
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        warp.record(in.space, lane, A(copies[lane] + A(in.offset)), bytes, access);
        f(lane, hosts[lane]);
    }
}

template <class T> inline T read(const std::byte *at)
{
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

/// Loads elements of T into registers of R: zero- or sign-extended as T is. Count 0: as the
/// instruction says.
template <class A, class T, class R, u32 Count> void loadElements(Warp &warp, const Instruction &in)
{
    Addresses<A> at;
    const u32 count = Count ? Count : in.count;
    const u32 bytes = u32(count * sizeof(T));
    locate<A>(warp, in, Access::Read, bytes, at);
    const Slot *list = warp.frame->function->lists.data() + in.list;
    if (at.pattern == Pattern::Odd)
        return eachLane<A>(
            warp, in, Access::Read, bytes, [&](unsigned lane, const std::byte *host) {
                for (u32 k = 0; k < count; ++k)
                    lanes<R>(warp, list[k])[lane] = R(read<T>(host + k * sizeof(T)));
            });
    const std::byte *host = at.host;
    for (u32 k = 0; k < count; ++k, host += sizeof(T)) {
        R *destination = lanes<R>(warp, list[k]);
        if (at.pattern == Pattern::Broadcast) {
            const R value = R(read<T>(host + at.offset[0]));
            writeLanes(warp, destination, [=](int) { return value; });
        } else if (at.pattern == Pattern::Contiguous) {
            const std::byte *first = host + at.offset[0];
            if (Count == 1)
                for (int i = 0; i < 32; ++i)
                    destination[i] = R(read<T>(first + std::size_t(i) * sizeof(T)));
            else
                for (int i = 0; i < 32; ++i)
                    destination[i] = R(read<T>(first + std::size_t(i) * bytes));
        } else {
            alignas(64) R values[32];
            if (at.laneStride)
                for (int i = 0; i < 32; ++i)
                    values[i] = R(read<T>(host + at.offset[i] + u64(i) * at.laneStride));
            else
#pragma GCC unroll 32
                for (int i = 0; i < 32; ++i)
                    values[i] = R(read<T>(host + at.offset[i]));
            writeLanes(warp, destination, [&](int i) { return values[i]; });
        }
    }
}

template <class A, class T, class R> void load(Warp &warp, const Instruction &in)
{
    in.count == 1 ? loadElements<A, T, R, 1>(warp, in) : loadElements<A, T, R, 0>(warp, in);
}

template <class A, class T, class R, u32 Count>
void storeElements(Warp &warp, const Instruction &in)
{
    Addresses<A> at;
    const u32 count = Count ? Count : in.count;
    const u32 bytes = u32(count * sizeof(T));
    locate<A>(warp, in, Access::Write, bytes, at);
    const Slot *list = warp.frame->function->lists.data() + in.list;
    const auto put = [&](unsigned lane, std::byte *host) {
        for (u32 k = 0; k < count; ++k) {
            const T value = T(lanes<R>(warp, list[k])[lane]);
            std::memcpy(host + k * sizeof(T), &value, sizeof(T));
        }
    };
    if (at.pattern == Pattern::Odd) {
        eachLane<A>(warp, in, Access::Write, bytes, put);
    } else if (at.pattern == Pattern::Contiguous && Count == 1) {
        const R *source = lanes<R>(warp, list[0]);
        alignas(64) T values[32];
        for (int i = 0; i < 32; ++i)
            values[i] = T(source[i]);
        std::memcpy(at.host + at.offset[0], values, sizeof(values));
    } else if (at.pattern != Pattern::Scattered) {
        const u64 stride = at.pattern == Pattern::Contiguous ? bytes : 0;
        for (unsigned lane = 0; lane < 32; ++lane)
            put(lane, at.host + at.offset[0] + lane * stride);
    } else {
        for (u32 rest = warp.mask; rest; rest &= rest - 1) {
            const unsigned lane = unsigned(std::countr_zero(rest));
            put(lane, at.host + at.offset[lane] + lane * at.laneStride);
        }
    }
}

template <class A, class T, class R> void store(Warp &warp, const Instruction &in)
{
    in.count == 1 ? storeElements<A, T, R, 1>(warp, in) : storeElements<A, T, R, 0>(warp, in);
}

template <class A> Handler loadHandler(Type type, u8 size)
{
    switch (type) {
    case Type::U8:
    case Type::B8:
        return size == 2 ? load<A, u8, u16> : size == 4 ? load<A, u8, u32> : load<A, u8, u64>;
    case Type::S8:
        return size == 2 ? load<A, s8, u16> : size == 4 ? load<A, s8, u32> : load<A, s8, u64>;
    case Type::S16:
        return size == 2 ? load<A, u16, u16> : size == 4 ? load<A, s16, u32> : load<A, s16, u64>;
    case Type::S32:
        return size == 4 ? load<A, u32, u32> : size == 8 ? load<A, s32, u64> : Handler(nullptr);
    default:
        break;
    }
    switch (syntax::sizeOf(type)) {
    case 2:
        return size == 2 ? load<A, u16, u16> : size == 4 ? load<A, u16, u32> : load<A, u16, u64>;
    case 4:
        return size == 4 ? load<A, u32, u32> : size == 8 ? load<A, u32, u64> : Handler(nullptr);
    case 8:
        return size == 8 ? load<A, u64, u64> : nullptr;
    default:
        return nullptr;
    }
}

template <class A> Handler storeHandler(Type type, u8 size)
{
    switch (syntax::sizeOf(type)) {
    case 1:
        return size == 2 ? store<A, u8, u16> : size == 4 ? store<A, u8, u32> : store<A, u8, u64>;
    case 2:
        return size == 2 ? store<A, u16, u16> : size == 4 ? store<A, u16, u32> : store<A, u16, u64>;
    case 4:
        return size == 4 ? store<A, u32, u32> : size == 8 ? store<A, u32, u64> : Handler(nullptr);
    case 8:
        return size == 8 ? store<A, u64, u64> : nullptr;
    default:
        return nullptr;
    }
}

u8 addressSize(u8 size)
{
    return size == SizeNone ? 8 : size;
}

template <class T> void toGeneric(Warp &warp, const Instruction &in)
{
    const u64 window = in.space == Space::Shared ? SharedWindow
        : in.space == Space::Local               ? LocalWindow
        : in.space == Space::Param               ? ParamWindow
                                                 : 0;
    const u64 delta = in.mode ? 0 - window : window;
    const T *a = lanes<T>(warp, in.source[0]);
    writeLanes(warp, lanes<u64>(warp, in.dst), [=](int i) { return u64(a[i]) + delta; });
}

void isSpace(Warp &warp, const Instruction &in)
{
    const u64 *a = lanes<u64>(warp, in.source[0]);
    const Space space = in.space;
    const u32 result = maskOf([=](int i) {
        const u64 address = a[i];
        const bool shared = address - SharedWindow < WindowBytes;
        const bool local = address - LocalWindow < WindowBytes;
        const bool param = address - ParamWindow < WindowBytes;
        return space == Space::Shared ? shared
            : space == Space::Local   ? local
            : space == Space::Param   ? param
            : space == Space::Const   ? false
                                      : !shared && !local && !param;
    });
    writePredicate(warp, in.dst, result);
}

} // namespace

Selection selectMemory(const Operation &op, const u8 *sizes, std::size_t count)
{
    Selection shape;
    const u8 natural = u8(std::max<std::size_t>(syntax::sizeOf(op.type()), 2));
    shape.ignoresRest = true;
    const bool known = std::none_of(op.modifiers.begin(), op.modifiers.end(),
        [](const std::string &m) { return m == "shared::cluster" || m == "async"; });
    if (!known)
        return {};
    if ((op.base == "ld" || op.base == "ldu") && count >= 2) {
        // Address registers of 4 bytes are checked against the space by the decoder.
        shape.dst = SizeVector;
        shape.source[0] = SizeAddress;
        const u8 size = sizes[0] ? sizes[0] : natural;
        shape.handler = addressSize(sizes[1]) == 4 ? loadHandler<u32>(op.type(), size)
                                                   : loadHandler<u64>(op.type(), size);
        return shape;
    }
    if (op.base == "st" && count >= 2) {
        shape.source[0] = SizeAddress;
        shape.source[1] = SizeVector;
        shape.required = 2;
        const u8 size = sizes[1] ? sizes[1] : natural;
        shape.handler = addressSize(sizes[0]) == 4 ? storeHandler<u32>(op.type(), size)
                                                   : storeHandler<u64>(op.type(), size);
        return shape;
    }
    shape.ignoresRest = false;
    if (op.base == "cvta") {
        shape.mode = op.has("to");
        shape.dst = 8;
        shape.source[0] = 8;
        shape.handler = toGeneric<u64>;
        return shape;
    }
    if (op.base == "isspacep") {
        shape.dst = SizePredicate;
        shape.source[0] = 8;
        shape.handler = isSpace;
        return shape;
    }
    return {};
}

} // namespace gpu::ptx::ESPALIER_ISA
