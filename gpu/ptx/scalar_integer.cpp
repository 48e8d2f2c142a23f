#include "gpu/ptx/bits.h"
#include "gpu/ptx/scalar.h"

#include <algorithm>
#include <limits>

namespace gpu::ptx {

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// Wraps F(T a, T b, T c, T d), taking as many operands as it has.
template <class T, auto F> u64 call(const u64 *o, const Instruction &)
{
    using U = std::make_unsigned_t<T>;
    if constexpr (std::is_invocable_v<decltype(F), T, T, T>)
        return U(F(T(o[0]), T(o[1]), T(o[2])));
    else if constexpr (std::is_invocable_v<decltype(F), T, T>)
        return U(F(T(o[0]), T(o[1])));
    else
        return U(F(T(o[0])));
}

template <class T> T clampTo(Wide value)
{
    return T(std::clamp<Wide>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// Division by zero gives all ones, as NVIDIA GPUs do; the ISA leaves it open.
template <class T> T divide(T a, T b)
{
    if (b == 0)
        return T(-1);
    if constexpr (std::is_signed_v<T>)
        if (b == -1)
            return T(0 - std::make_unsigned_t<T>(a));
    return T(a / b);
}
template <class T> T remainder(T a, T b)
{
    if (b == 0)
        return a;
    if constexpr (std::is_signed_v<T>)
        if (b == -1)
            return 0;
    return T(a % b);
}

template <class T> T multiplyHigh(T a, T b)
{
    if constexpr (sizeof(T) == 8)
        return mulHigh(a, b);
    else {
        using W = std::conditional_t<std::is_signed_v<T>, s64, u64>;
        return T((W(a) * W(b)) >> (8 * sizeof(T)));
    }
}

template <class T> ScalarFunction arithmetic(const Operation &op, Selection &shape)
{
    constexpr std::size_t Size = sizeof(T);
    const std::string &base = op.base;
    setShape(shape, Size, {Size, Size});
    if (base == "div")
        return call<T, [](T a, T b) { return divide(a, b); }>;
    if (base == "rem")
        return call<T, [](T a, T b) { return remainder(a, b); }>;
    if (base == "mul" && op.has("hi"))
        return call<T, [](T a, T b) { return multiplyHigh(a, b); }>;
    if (base == "add" && op.sat)
        return call<T, [](T a, T b) { return clampTo<T>(Wide(a) + b); }>;
    if (base == "sub" && op.sat)
        return call<T, [](T a, T b) { return clampTo<T>(Wide(a) - b); }>;
    if (base == "min" && op.has("relu"))
        return call<T, [](T a, T b) { return std::max<T>(std::min(a, b), 0); }>;
    if (base == "max" && op.has("relu"))
        return call<T, [](T a, T b) { return std::max<T>(std::max(a, b), 0); }>;
    setShape(shape, Size, {Size, Size, Size});
    if (base == "sad")
        return call<T, [](T a, T b, T c) {
            using U = std::make_unsigned_t<T>;
            return T(U(c) + (a < b ? U(U(b) - U(a)) : U(U(a) - U(b))));
        }>;
    if (base == "mad" && op.has("hi") && op.sat)
        return call<T, [](T a, T b, T c) { return clampTo<T>(Wide(multiplyHigh(a, b)) + c); }>;
    if (base == "mad" && op.has("hi"))
        return call<T, [](T a, T b, T c) {
            using U = std::make_unsigned_t<T>;
            return T(U(multiplyHigh(a, b)) + U(c));
        }>;
    return nullptr;
}

template <auto F> u64 pairwise(const u64 *o, const Instruction &)
{
    const auto half
        = [&](int shift) { return u64(u16(F(u16(o[0] >> shift), u16(o[1] >> shift)))); };
    return half(0) | half(16) << 16;
}

ScalarFunction pairs(const Operation &op, Selection &shape)
{
    setShape(shape, 4, {4, 4});
    const bool isSigned = op.type() == Type::S16x2;
    const bool relu = op.has("relu");
    if (op.base == "add")
        return pairwise<[](u16 a, u16 b) { return u16(a + b); }>;
    if (op.base == "min" && !isSigned)
        return pairwise<[](u16 a, u16 b) { return std::min(a, b); }>;
    if (op.base == "max" && !isSigned)
        return pairwise<[](u16 a, u16 b) { return std::max(a, b); }>;
    if (op.base == "min")
        return relu
            ? pairwise<[](u16 a, u16 b) { return u16(std::max<s16>(std::min(s16(a), s16(b)), 0)); }>
            : pairwise<[](u16 a, u16 b) { return u16(std::min(s16(a), s16(b))); }>;
    if (op.base == "max")
        return relu
            ? pairwise<[](u16 a, u16 b) { return u16(std::max<s16>(std::max(s16(a), s16(b)), 0)); }>
            : pairwise<[](u16 a, u16 b) { return u16(std::max(s16(a), s16(b))); }>;
    return nullptr;
}

int bits(const Instruction &in)
{
    return int(syntax::sizeOf(in.type) * 8);
}

ScalarFunction counting(const Operation &op, Selection &shape)
{
    const std::size_t size = syntax::sizeOf(op.type());
    setShape(shape, 4, {size});
    if (op.base == "popc")
        return [](const u64 *o, const Instruction &) { return u64(std::popcount(o[0])); };
    if (op.base == "clz")
        return [](const u64 *o, const Instruction &in) {
            return u64(std::countl_zero(o[0]) - (64 - bits(in)));
        };
    if (op.base == "bfind") {
        shape.mode = op.has("shiftamt");
        return [](const u64 *o, const Instruction &in) {
            return u64(findBit(o[0], bits(in), syntax::isSigned(in.type), in.mode != 0));
        };
    }
    setShape(shape, size, {size});
    if (op.base == "brev")
        return [](const u64 *o, const Instruction &in) {
            return bits(in) == 32 ? u64(reverseBits(u32(o[0]))) : reverseBits(o[0]);
        };
    if (op.base == "cnot")
        return [](const u64 *o, const Instruction &) { return u64(o[0] == 0); };
    return nullptr;
}

ScalarFunction fields(const Operation &op, Selection &shape)
{
    const std::size_t size = syntax::sizeOf(op.type());
    if (op.base == "bfe") {
        setShape(shape, size, {size, 4, 4});
        switch (op.type()) {
        case Type::U32:
            return [](const u64 *o, const Instruction &) {
                return u64(extractU32(u32(o[0]), u32(o[1]), u32(o[2])));
            };
        case Type::S32:
            return [](const u64 *o, const Instruction &) {
                return u64(extractS32(s32(o[0]), u32(o[1]), u32(o[2])));
            };
        case Type::U64:
            return [](const u64 *o, const Instruction &) {
                return extractU64(o[0], u32(o[1]), u32(o[2]));
            };
        default:
            return [](const u64 *o, const Instruction &) {
                return u64(extractS64(s64(o[0]), u32(o[1]), u32(o[2])));
            };
        }
    }
    if (op.base == "bfi") {
        setShape(shape, size, {size, size, 4, 4});
        if (size == 4)
            return [](const u64 *o, const Instruction &) {
                return u64(insertB32(u32(o[0]), u32(o[1]), u32(o[2]), u32(o[3])));
            };
        return [](const u64 *o, const Instruction &) {
            return insertB64(o[0], o[1], u32(o[2]), u32(o[3]));
        };
    }
    setShape(shape, 4, {4, 4, 4});
    if (op.base == "fns")
        return [](const u64 *o, const Instruction &) {
            return u64(findNthSet(u32(o[0]), u32(o[1]), s32(o[2])));
        };
    if (op.base == "prmt") {
        constexpr std::pair<std::string_view, PermuteMode> Modes[]
            = {{"f4e", PermuteMode::F4e}, {"b4e", PermuteMode::B4e}, {"rc8", PermuteMode::Rc8},
                {"ecl", PermuteMode::Ecl}, {"ecr", PermuteMode::Ecr}, {"rc16", PermuteMode::Rc16}};
        for (const auto &[name, mode] : Modes)
            if (op.has(name))
                shape.mode = u32(mode);
        return [](const u64 *o, const Instruction &in) {
            return u64(prmt(u32(o[0]), u32(o[1]), u32(o[2]), PermuteMode(in.mode)));
        };
    }
    if (op.base == "shf") {
        shape.mode = (op.has("wrap") ? 1u : 0u) | (op.has("r") ? 2u : 0u);
        return [](const u64 *o, const Instruction &in) {
            const bool wrap = in.mode & 1u;
            return u64(in.mode & 2u ? funnelRight(u32(o[0]), u32(o[1]), u32(o[2]), wrap)
                                    : funnelLeft(u32(o[0]), u32(o[1]), u32(o[2]), wrap));
        };
    }
    if (op.base == "dp4a" || op.base == "dp2a") {
        shape.mode = op.has("hi");
        if (op.base == "dp4a")
            return [](const u64 *o, const Instruction &in) {
                return u64(dp4a(
                    u32(o[0]), u32(o[1]), u32(o[2]), in.type == Type::S32, in.type2 == Type::S32));
            };
        return [](const u64 *o, const Instruction &in) {
            return u64(dp2a(u32(o[0]), u32(o[1]), u32(o[2]), in.type == Type::S32,
                in.type2 == Type::S32, in.mode != 0));
        };
    }
    setShape(shape, 4, {4, 4});
    shape.mode = op.has("wrap");
    if (op.base == "bmsk")
        return [](const u64 *o, const Instruction &in) {
            return u64(bitMask(u32(o[0]), u32(o[1]), in.mode != 0));
        };
    if (op.base == "szext")
        return [](const u64 *o, const Instruction &in) {
            return u64(extend(u32(o[0]), u32(o[1]), in.type == Type::S32, in.mode != 0));
        };
    return nullptr;
}

ScalarFunction multiply24(const Operation &op, Selection &shape)
{
    shape.mode = op.has("hi");
    setShape(shape, 4, {4, 4});
    if (op.base == "mul24")
        return [](const u64 *o, const Instruction &in) {
            return u64(mul24(u32(o[0]), u32(o[1]), in.type == Type::S32, in.mode != 0));
        };
    setShape(shape, 4, {4, 4, 4});
    return [](const u64 *o, const Instruction &in) {
        const u32 product = mul24(u32(o[0]), u32(o[1]), in.type == Type::S32, in.mode != 0);
        return in.sat ? u64(u32(clampTo<s32>(Wide(s32(product)) + s32(o[2]))))
                      : u64(product + u32(o[2]));
    };
}

} // namespace

ScalarFunction scalarInteger(const Operation &op, Selection &shape)
{
    if (op.has("cc"))
        return nullptr;
    if (op.type() == Type::U16x2 || op.type() == Type::S16x2)
        return pairs(op, shape);
    if (op.base == "mul24" || op.base == "mad24")
        return multiply24(op, shape);
    if (const ScalarFunction function = counting(op, shape))
        return function;
    if (const ScalarFunction function = fields(op, shape))
        return function;
    if (op.has("wide"))
        return nullptr;
    switch (op.type()) {
    case Type::U16:
        return arithmetic<u16>(op, shape);
    case Type::S16:
        return arithmetic<s16>(op, shape);
    case Type::U32:
        return arithmetic<u32>(op, shape);
    case Type::S32:
        return arithmetic<s32>(op, shape);
    case Type::U64:
        return arithmetic<u64>(op, shape);
    case Type::S64:
        return arithmetic<s64>(op, shape);
    default:
        return nullptr;
    }
}

} // namespace gpu::ptx
