#include "gpu/ptx/bits.h"
#include "gpu/ptx/lanes.h"

#include <limits>

namespace gpu::ptx::ESPALIER_ISA {

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// The unsigned types carry all arithmetic that wraps.
template <class U, class S> Selection typed(const Operation &op, bool isSigned)
{
    const std::string &base = op.base;
    constexpr std::size_t Size = sizeof(U);
    const auto two = [](Handler handler) { return shapeOf(handler, Size, 2); };
    if (op.has("cc") || op.has("relu") || op.sat)
        return {};
    if (base == "add")
        return two(binary<U, U, [](U a, U b) { return U(a + b); }>);
    if (base == "sub")
        return two(binary<U, U, [](U a, U b) { return U(a - b); }>);
    if (base == "mul" && op.has("lo"))
        return two(binary<U, U, [](U a, U b) { return U(u64(a) * b); }>);
    if (base == "mad" && op.has("lo"))
        return shapeOf(ternary<U, U, U, [](U a, U b, U c) { return U(u64(a) * b + c); }>, Size, 3);
    if (base == "min")
        return two(isSigned ? binary<S, S, [](S a, S b) { return a < b ? a : b; }>
                            : binary<U, U, [](U a, U b) { return a < b ? a : b; }>);
    if (base == "max")
        return two(isSigned ? binary<S, S, [](S a, S b) { return b < a ? a : b; }>
                            : binary<U, U, [](U a, U b) { return b < a ? a : b; }>);
    if (base == "and")
        return two(binary<U, U, [](U a, U b) { return U(a & b); }>);
    if (base == "or")
        return two(binary<U, U, [](U a, U b) { return U(a | b); }>);
    if (base == "xor")
        return two(binary<U, U, [](U a, U b) { return U(a ^ b); }>);
    if (base == "not")
        return shapeOf(unary<U, U, [](U a) { return U(~a); }>, Size, 1);
    if (base == "neg")
        return shapeOf(unary<U, U, [](U a) { return U(0 - a); }>, Size, 1);
    if (base == "abs")
        return shapeOf(unary<U, S, [](S a) { return a < 0 ? U(0 - U(a)) : U(a); }>, Size, 1);
    constexpr u32 Bits = Size * 8;
    Selection shape;
    shape.dst = shape.source[0] = Size;
    shape.source[1] = 4;
    if (base == "shl")
        shape.handler = shift<U, [](U a, u32 n) { return n >= Bits ? U(0) : U(a << n); }>;
    if (base == "shr")
        shape.handler = isSigned
            ? shift<S, [](S a, u32 n) { return S(a >> (n >= Bits ? Bits - 1 : n)); }>
            : Handler(shift<U, [](U a, u32 n) { return n >= Bits ? U(0) : U(a >> n); }>);
    return shape;
}

/// mul.wide and mad.wide: operands of T, result of W.
template <class T, class W> Selection wide(const Operation &op)
{
    Selection shape;
    shape.dst = sizeof(W);
    shape.source[0] = shape.source[1] = sizeof(T);
    if (op.base == "mul") {
        shape.handler = binary<W, T, [](T a, T b) { return W(W(a) * W(b)); }>;
    } else {
        using U = std::make_unsigned_t<W>;
        shape.handler = ternary<W, T, W, [](T a, T b, W c) { return W(U(W(a) * W(b)) + U(c)); }>;
        shape.source[2] = sizeof(W);
    }
    return shape;
}

template <class T, auto F> void lop3Lanes(Warp &warp, const Instruction &in)
{
    const T *a = lanes<T>(warp, in.source[0]);
    const T *b = lanes<T>(warp, in.source[1]);
    const T *c = lanes<T>(warp, in.source[2]);
    const u32 table = *lanes<u32>(warp, in.source[3]);
    writeLanes(warp, lanes<T>(warp, in.dst), [=](int i) { return F(a[i], b[i], c[i], table); });
}

template <class T> void selp(Warp &warp, const Instruction &in)
{
    const T *a = lanes<T>(warp, in.source[0]);
    const T *b = lanes<T>(warp, in.source[1]);
    const u32 p = predicateSource(warp, in, 2);
    writeLanes(warp, lanes<T>(warp, in.dst), [=](int i) { return (p >> i) & 1u ? a[i] : b[i]; });
}

template <class T> void move(Warp &warp, const Instruction &in)
{
    const T *a = lanes<T>(warp, in.source[0]);
    writeLanes(warp, lanes<T>(warp, in.dst), [=](int i) { return a[i]; });
}

Selection selectSelp(std::size_t size)
{
    Selection shape = shapeOf(nullptr, size, 2);
    shape.source[2] = SizePredicate;
    shape.handler = size == 2 ? selp<u16> : size == 4 ? selp<u32> : selp<u64>;
    return shape;
}

} // namespace

Selection selectInteger(const Operation &op)
{
    const Type type = op.type();
    const std::size_t size = syntax::sizeOf(type);
    const std::string &base = op.base;
    if (base == "selp" && size >= 2)
        return selectSelp(size);
    if (base == "lop3" && type == Type::B32 && op.modifiers.empty()) {
        Selection shape = shapeOf(
            lop3Lanes<u32, [](u32 a, u32 b, u32 c, u32 t) { return lop3(a, b, c, t); }>, 4, 4);
        return shape;
    }
    if (isFloat(type) || type == Type::Pred || type == Type::U16x2 || type == Type::S16x2
        || op.types.size() != 1)
        return {};
    if ((base == "mul" || base == "mad") && op.has("wide")) {
        switch (type) {
        case Type::U16:
            return wide<u16, u32>(op);
        case Type::S16:
            return wide<s16, s32>(op);
        case Type::U32:
            return wide<u32, u64>(op);
        case Type::S32:
            return wide<s32, s64>(op);
        default:
            return {};
        }
    }
    const bool isSigned = syntax::isSigned(type);
    switch (size) {
    case 2:
        return typed<u16, s16>(op, isSigned);
    case 4:
        return typed<u32, s32>(op, isSigned);
    case 8:
        return typed<u64, s64>(op, isSigned);
    default:
        return {};
    }
}

} // namespace gpu::ptx::ESPALIER_ISA
