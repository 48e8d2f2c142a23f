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
using s64 = std::int64_t;

template <class T> void move(Warp &warp, const Instruction &in)
{
    const T *a = lanes<T>(warp, in.source[0]);
    writeLanes(warp, lanes<T>(warp, in.dst), [=](int i) { return a[i]; });
}

/// mov.b64 {lo, hi}, a.
template <class W, class E> void unpack(Warp &warp, const Instruction &in)
{
    alignas(64) W wide[32];
    std::memcpy(wide, lanes<W>(warp, in.source[0]), sizeof(wide));
    const Slot *list = warp.frame->function->lists.data() + in.list;
    for (unsigned k = 0; k < in.count; ++k) {
        const unsigned shift = unsigned(k * 8 * sizeof(E));
        writeLanes(warp, lanes<E>(warp, list[k]), [&](int i) { return E(wide[i] >> shift); });
    }
}

/// mov.b64 d, {lo, hi}.
template <class W, class E> void pack(Warp &warp, const Instruction &in)
{
    alignas(64) W wide[32] = {};
    const Slot *list = warp.frame->function->lists.data() + in.list;
    for (unsigned k = 0; k < in.count; ++k) {
        const E *part = lanes<E>(warp, list[k]);
        const unsigned shift = unsigned(k * 8 * sizeof(E));
        for (int i = 0; i < 32; ++i)
            wide[i] = W(wide[i] | W(W(part[i]) << shift));
    }
    writeLanes(warp, lanes<W>(warp, in.dst), [&](int i) { return wide[i]; });
}

Selection selectMove(const Operation &op, const u8 *sizes)
{
    const std::size_t size = syntax::sizeOf(op.type());
    if (size != 2 && size != 4 && size != 8)
        return {};
    Selection shape = shapeOf(nullptr, size, 1);
    const bool isUnpack = sizes[0] != SizeNone && sizes[0] < size;
    const bool isPack = !isUnpack && sizes[1] != SizeNone && sizes[1] < size;
    const u8 part = isUnpack ? sizes[0] : sizes[1];
    if (part == SizePredicate)
        return {};
    if (isUnpack) {
        shape.dst = SizeVector;
        shape.dstCount = u8(size / part);
    }
    if (isPack) {
        shape.source[0] = SizeVector;
        shape.sourceCount[0] = u8(size / part);
    }
    if (!isUnpack && !isPack)
        shape.handler = size == 2 ? move<u16> : size == 4 ? move<u32> : move<u64>;
    else if (size == 4)
        shape.handler = isUnpack ? unpack<u32, u16> : pack<u32, u16>;
    else if (part == 4)
        shape.handler = isUnpack ? unpack<u64, u32> : pack<u64, u32>;
    else
        shape.handler = isUnpack ? unpack<u64, u16> : pack<u64, u16>;
    return shape;
}

/// Registers hold S's bits in RS and receive D's bits, extended, in RD.
template <class RD, class D, class RS, class S, auto F>
void convert(Warp &warp, const Instruction &in)
{
    const RS *a = lanes<RS>(warp, in.source[0]);
    writeLanes(warp, lanes<RD>(warp, in.dst), [=](int i) { return RD(D(F(S(a[i])))); });
}

template <class D, class S, auto F> Handler convertInteger(u8 to, u8 from)
{
    using LS = std::conditional_t<sizeof(S) == 8, u64, u32>;
    using LD = std::conditional_t<std::is_signed_v<D>, s64, u64>;
    using ID = std::conditional_t<std::is_signed_v<D>, s32, u32>;
    const auto source = [&]<class RD>() -> Handler {
        if constexpr (sizeof(S) <= 2)
            if (from == 2)
                return convert<RD, D, u16, S, F>;
        if constexpr (sizeof(S) <= 4)
            if (from == 4)
                return convert<RD, D, u32, S, F>;
        return from == 8 ? convert<RD, D, u64, S, F> : Handler(nullptr);
    };
    (void)sizeof(LS);
    if (to == 2 && sizeof(D) <= 2)
        return source.template operator()<u16>();
    if (to == 4 && sizeof(D) <= 4)
        return source.template operator()<ID>();
    return to == 8 ? source.template operator()<LD>() : nullptr;
}

template <class S> Handler integerFrom(Type to, u8 toSize, u8 fromSize)
{
    constexpr auto Same = [](S a) { return a; };
    switch (to) {
    case Type::U8:
    case Type::B8:
        return convertInteger<u8, S, Same>(toSize, fromSize);
    case Type::S8:
        return convertInteger<s8, S, Same>(toSize, fromSize);
    case Type::U16:
    case Type::B16:
        return convertInteger<u16, S, Same>(toSize, fromSize);
    case Type::S16:
        return convertInteger<s16, S, Same>(toSize, fromSize);
    case Type::U32:
    case Type::B32:
        return convertInteger<u32, S, Same>(toSize, fromSize);
    case Type::S32:
        return convertInteger<s32, S, Same>(toSize, fromSize);
    case Type::U64:
    case Type::B64:
        return convertInteger<u64, S, Same>(toSize, fromSize);
    case Type::S64:
        return convertInteger<s64, S, Same>(toSize, fromSize);
    default:
        return nullptr;
    }
}

Handler integerToInteger(Type to, Type from, u8 toSize, u8 fromSize)
{
    switch (from) {
    case Type::U8:
    case Type::B8:
        return integerFrom<u8>(to, toSize, fromSize);
    case Type::S8:
        return integerFrom<s8>(to, toSize, fromSize);
    case Type::U16:
    case Type::B16:
        return integerFrom<u16>(to, toSize, fromSize);
    case Type::S16:
        return integerFrom<s16>(to, toSize, fromSize);
    case Type::U32:
    case Type::B32:
        return integerFrom<u32>(to, toSize, fromSize);
    case Type::S32:
        return integerFrom<s32>(to, toSize, fromSize);
    case Type::U64:
    case Type::B64:
        return integerFrom<u64>(to, toSize, fromSize);
    case Type::S64:
        return integerFrom<s64>(to, toSize, fromSize);
    default:
        return nullptr;
    }
}

Handler floating(const Operation &op)
{
    const Type to = op.type(0), from = op.type(1);
    if (op.sat || op.ftz || op.has("relu") || op.has("satfinite"))
        return nullptr;
    const bool nearest = op.rounding == Rounding::Rn && !op.integralRounding;
    if (to == Type::F32 && from == Type::F16)
        return unary<float, u16, [](u16 a) { return f16ToF32(a); }>;
    if (to == Type::F32 && from == Type::BF16)
        return unary<float, u16, [](u16 a) { return bf16ToF32(a); }>;
    if (to == Type::F64 && from == Type::F32)
        return unary<double, float, [](float a) { return double(a); }>;
    if (!nearest)
        return nullptr;
    if (to == Type::F16 && from == Type::F32)
        return unary<u16, float, [](float a) { return f32ToF16(a); }>;
    if (to == Type::BF16 && from == Type::F32)
        return unary<u16, float, [](float a) { return f32ToBf16(a); }>;
    if (to == Type::F32 && from == Type::F64)
        return unary<float, double, [](double a) { return float(a); }>;
    if (to == Type::F32 && from == Type::S32)
        return unary<float, s32, [](s32 a) { return float(a); }>;
    if (to == Type::F32 && from == Type::U32)
        return unary<float, u32, [](u32 a) { return float(a); }>;
    if (to == Type::F64 && from == Type::S32)
        return unary<double, s32, [](s32 a) { return double(a); }>;
    if (to == Type::F64 && from == Type::U32)
        return unary<double, u32, [](u32 a) { return double(a); }>;
    return nullptr;
}

/// cvt.rn.f16x2.f32 and bf16x2: a goes to the upper half.
template <auto F> void packHalves(Warp &warp, const Instruction &in)
{
    const float *a = lanes<float>(warp, in.source[0]);
    const float *b = lanes<float>(warp, in.source[1]);
    writeLanes(
        warp, lanes<u32>(warp, in.dst), [=](int i) { return u32(F(a[i])) << 16 | u32(F(b[i])); });
}

} // namespace

Selection selectConvert(const Operation &op, const u8 *sizes, std::size_t count)
{
    if (op.base == "mov" && op.types.size() == 1 && count == 2)
        return selectMove(op, sizes);
    if (op.base != "cvt" || op.types.size() != 2)
        return {};
    const Type to = op.type(0), from = op.type(1);
    Selection shape;
    if (!isFloat(to) && !isFloat(from)) {
        if (op.sat)
            return {};
        shape.dst = sizes[0] ? sizes[0] : u8(std::max<std::size_t>(syntax::sizeOf(to), 2));
        shape.source[0] = sizes[1] ? sizes[1] : u8(std::max<std::size_t>(syntax::sizeOf(from), 2));
        shape.handler = integerToInteger(to, from, shape.dst, shape.source[0]);
        return shape;
    }
    if (count == 3 && from == Type::F32 && op.rounding == Rounding::Rn && !op.has("relu")
        && !op.has("satfinite")) {
        shape = shapeOf(nullptr, 4, 2);
        if (to == Type::F16x2)
            shape.handler = packHalves<[](float x) { return f32ToF16(x); }>;
        if (to == Type::BF16x2)
            shape.handler = packHalves<[](float x) { return f32ToBf16(x); }>;
        return shape;
    }
    shape.dst = u8(syntax::sizeOf(to));
    shape.source[0] = u8(syntax::sizeOf(from));
    if ((sizes[0] == SizeNone || sizes[0] == shape.dst)
        && (sizes[1] == SizeNone || sizes[1] == shape.source[0]))
        shape.handler = floating(op);
    return shape;
}

} // namespace gpu::ptx::ESPALIER_ISA
