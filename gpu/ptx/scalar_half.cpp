#include "gpu/ptx/approximate.h"
#include "gpu/ptx/scalar.h"

namespace gpu::ptx {

namespace {

using u16 = std::uint16_t;
using u64 = std::uint64_t;

enum class Kind : std::uint8_t { F16, BF16 };

/// .ftz, .sat and .relu on one result.
template <Kind K> u16 finish(u16 value, const Instruction &in)
{
    if (K == Kind::F16 && in.ftz)
        value = flushF16(value);
    const bool relu = in.mode & ModeRelu;
    if (!in.sat && !relu)
        return value;
    const float wide = K == Kind::F16 ? f16ToF32(value) : bf16ToF32(value);
    const float clamped = in.sat ? saturate(wide) : gpu::ptx::relu(wide);
    return K == Kind::F16 ? f32ToF16(clamped) : f32ToBf16(clamped);
}

template <Kind K, auto F> u16 one(u64 a, u64 b, u64 c, const Instruction &in)
{
    const auto prepare
        = [&](u64 x) { return K == Kind::F16 && in.ftz ? flushF16(u16(x)) : u16(x); };
    if constexpr (std::is_invocable_v<decltype(F), u16, u16, u16>)
        return finish<K>(F(prepare(a), prepare(b), prepare(c)), in);
    else if constexpr (std::is_invocable_v<decltype(F), u16, u16, const Instruction &>)
        return finish<K>(F(prepare(a), prepare(b), in), in);
    else if constexpr (std::is_invocable_v<decltype(F), u16, u16>)
        return finish<K>(F(prepare(a), prepare(b)), in);
    else
        return finish<K>(F(u16(a), in), in);
}

template <Kind K, auto F> u64 single(const u64 *o, const Instruction &in)
{
    return one<K, F>(o[0], o[1], o[2], in);
}
template <Kind K, auto F> u64 both(const u64 *o, const Instruction &in)
{
    return u64(one<K, F>(o[0], o[1], o[2], in))
        | u64(one<K, F>(o[0] >> 16, o[1] >> 16, o[2] >> 16, in)) << 16;
}

template <Kind K, auto F>
ScalarFunction shaped(const Operation &op, Selection &shape, unsigned count)
{
    const std::size_t size = syntax::sizeOf(op.type());
    shape.dst = std::uint8_t(size);
    for (unsigned i = 0; i < count; ++i)
        shape.source[i] = std::uint8_t(size);
    return size == 2 ? single<K, F> : both<K, F>;
}

template <Kind K> u16 extremum(u16 a, u16 b, const Instruction &in)
{
    const bool isMax = in.mode & 16u, nan = in.mode & ModeNan;
    if (in.mode & ModeXorsign) {
        const u16 sign = (a ^ b) & 0x8000u;
        a &= 0x7fffu;
        b &= 0x7fffu;
        const u16 magnitude = K == Kind::F16
            ? (isMax ? maximumF16(a, b, nan) : minimumF16(a, b, nan))
            : (isMax ? maximumBf16(a, b, nan) : minimumBf16(a, b, nan));
        const u16 infinity = K == Kind::F16 ? 0x7c00u : 0x7f80u;
        return magnitude > infinity ? magnitude : u16(magnitude | sign);
    }
    if constexpr (K == Kind::F16)
        return isMax ? maximumF16(a, b, nan) : minimumF16(a, b, nan);
    else
        return isMax ? maximumBf16(a, b, nan) : minimumBf16(a, b, nan);
}

/// neg and abs make a NaN canonical.
template <Kind K> u16 quiet(u16 magnitudeOf, u16 value)
{
    constexpr u16 Infinity = K == Kind::F16 ? 0x7c00u : 0x7f80u;
    return (magnitudeOf & 0x7fffu) > Infinity ? u16(0x7fffu) : value;
}

template <Kind K> ScalarFunction common(const Operation &op, Selection &shape)
{
    if (op.base == "neg")
        return shaped<K, [](u16 a, const Instruction &) { return quiet<K>(a, a ^ 0x8000u); }>(
            op, shape, 1);
    if (op.base == "abs")
        return shaped<K, [](u16 a, const Instruction &) { return quiet<K>(a, a & 0x7fffu); }>(
            op, shape, 1);
    if (op.base == "min" || op.base == "max") {
        shape.mode |= (op.base == "max" ? 16u : 0u) | (op.has("NaN") ? ModeNan : 0u)
            | (op.has("xorsign") ? ModeXorsign : 0u);
        return shaped<K, [](u16 a, u16 b, const Instruction &in) { return extremum<K>(a, b, in); }>(
            op, shape, 2);
    }
    return nullptr;
}

} // namespace

ScalarFunction scalarHalf(const Operation &op, Selection &shape)
{
    const std::string &base = op.base;
    shape.mode = op.has("relu") ? ModeRelu : 0u;
    if (op.type() == Type::F16 || op.type() == Type::F16x2) {
        constexpr Kind K = Kind::F16;
        if (base == "add")
            return shaped<K, [](u16 a, u16 b) { return addF16(a, b); }>(op, shape, 2);
        if (base == "sub")
            return shaped<K, [](u16 a, u16 b) { return subF16(a, b); }>(op, shape, 2);
        if (base == "mul")
            return shaped<K, [](u16 a, u16 b) { return mulF16(a, b); }>(op, shape, 2);
        if (base == "fma")
            return shaped<K, [](u16 a, u16 b, u16 c) { return fmaF16(a, b, c); }>(op, shape, 3);
        if (base == "ex2")
            return shaped<K, [](u16 a, const Instruction &in) {
                return approximateEx2F16(a, in.ftz);
            }>(op, shape, 1);
        if (base == "tanh")
            return shaped<K, [](u16 a, const Instruction &) { return approximateTanhF16(a); }>(
                op, shape, 1);
        return common<K>(op, shape);
    }
    constexpr Kind K = Kind::BF16;
    if (base == "add")
        return shaped<K, [](u16 a, u16 b) { return addBf16(a, b); }>(op, shape, 2);
    if (base == "sub")
        return shaped<K, [](u16 a, u16 b) { return subBf16(a, b); }>(op, shape, 2);
    if (base == "mul")
        return shaped<K, [](u16 a, u16 b) { return mulBf16(a, b); }>(op, shape, 2);
    if (base == "fma")
        return shaped<K, [](u16 a, u16 b, u16 c) { return fmaBf16(a, b, c); }>(op, shape, 3);
    if (base == "ex2")
        return shaped<K, [](u16 a, const Instruction &) { return approximateEx2Bf16(a); }>(
            op, shape, 1);
    if (base == "tanh")
        return shaped<K, [](u16 a, const Instruction &) { return approximateTanhBf16(a); }>(
            op, shape, 1);
    return common<K>(op, shape);
}

} // namespace gpu::ptx
