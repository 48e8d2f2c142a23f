#include "gpu/ptx/scalar.h"

#include <algorithm>

namespace gpu::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

constexpr u32 ModeIntegral = 16;

const FloatFormat *formatOf(Type type)
{
    switch (type) {
    case Type::F64:
        return &format::F64;
    case Type::F32:
        return &format::F32;
    case Type::F16:
    case Type::F16x2:
        return &format::F16;
    case Type::BF16:
    case Type::BF16x2:
        return &format::BF16;
    case Type::E4M3:
    case Type::E4M3x2:
        return &format::E4M3;
    case Type::E5M2:
    case Type::E5M2x2:
        return &format::E5M2;
    default:
        return nullptr;
    }
}

int bits(Type type)
{
    return int(syntax::sizeOf(type) * 8);
}

s64 signExtend(u64 value, int width)
{
    return s64(value << (64 - width)) >> (64 - width);
}

u64 encode(Type type, double value, const Instruction &in)
{
    const u32 mode = in.mode;
    if ((mode & ModeRelu) && !(value > 0))
        value = value != value ? value : 0.0;
    if (in.sat)
        value = saturate(value);
    if (type == Type::F32 && in.ftz)
        return bitsOf(flush(toFloat(encodeFloat(format::F32, value, in.rounding))));
    return encodeFloat(*formatOf(type), value, in.rounding, mode & ModeSatFinite);
}

u64 integerToInteger(const u64 *o, const Instruction &in)
{
    const int from = bits(in.type2), to = bits(in.type);
    const u64 raw = from == 64 ? o[0] : o[0] & ((u64(1) << from) - 1);
    Wide value = syntax::isSigned(in.type2) ? Wide(signExtend(raw, from)) : Wide(raw);
    if (in.sat) {
        const bool isSigned = syntax::isSigned(in.type);
        const Wide one = 1;
        const Wide low = isSigned ? -(one << (to - 1)) : 0;
        const Wide high = isSigned ? (one << (to - 1)) - 1 : (one << to) - 1;
        value = std::clamp(value, low, high);
    }
    const u64 result = u64(value);
    return syntax::isSigned(in.type) ? u64(signExtend(result, to))
        : to == 64                   ? result
                                     : result & ((u64(1) << to) - 1);
}

u64 integerToFloat(const u64 *o, const Instruction &in)
{
    const int from = bits(in.type2);
    const u64 raw = from == 64 ? o[0] : o[0] & ((u64(1) << from) - 1);
    const s64 asSigned = signExtend(raw, from);
    const bool negative = syntax::isSigned(in.type2) && asSigned < 0;
    const FloatFormat &to = *formatOf(in.type);
    const u64 result = encodeInteger(to, negative, negative ? 0 - u64(asSigned) : raw, in.rounding);
    return in.sat ? encodeFloat(to, saturate(decodeFloat(to, result)), Rounding::Rn) : result;
}

double sourceValue(u64 raw, const Instruction &in)
{
    if (in.type2 == Type::F64)
        return toDouble(raw);
    if (in.type2 == Type::F32)
        return in.ftz ? flush(toFloat(raw)) : toFloat(raw);
    const FloatFormat &from = *formatOf(in.type2);
    const int width = 1 + from.exponentBits + from.mantissaBits;
    return decodeFloat(from, raw & ((u64(1) << width) - 1));
}

u64 floatToInteger(const u64 *o, const Instruction &in)
{
    return toInteger(sourceValue(o[0], in), in.rounding, syntax::isSigned(in.type), bits(in.type),
        in.type2 == Type::F64);
}

u64 floatToFloat(const u64 *o, const Instruction &in)
{
    const double value = sourceValue(o[0], in);
    if (in.mode & ModeIntegral) {
        Instruction exact = in;
        exact.rounding = Rounding::Rn;
        return encode(in.type, roundToIntegral(value, in.rounding), exact);
    }
    if (in.type == Type::F64)
        return bitsOf(in.sat ? saturate(value) : value);
    // The ISA leaves the pattern open; an H200 keeps the sign of an f64, and nowhere else.
    if (in.type2 == Type::F64 && value != value && !in.sat) {
        if (in.type == Type::F16)
            return bitsOf(value) >> 63 ? 0xfe00u : 0x7e00u;
        if (in.type == Type::F32)
            return bitsOf(float(value));
    }
    return encode(in.type, value, in);
}

u64 toTensorFloat(const u64 *o, const Instruction &in)
{
    const float value = toFloat(o[0]);
    const float positive = (in.mode & ModeRelu) ? relu(value) : value;
    return toTf32(positive, in.rounding, in.mode & ModeSatFinite);
}

/// Two f32 to a packed pair; the first goes to the upper half.
u64 packTwo(const u64 *o, const Instruction &in)
{
    const FloatFormat &to = *formatOf(in.type);
    const int width = 1 + to.exponentBits + to.mantissaBits;
    return encode(in.type, toFloat(o[0]), in) << width | encode(in.type, toFloat(o[1]), in);
}

/// Between packed pairs: f16x2 to and from the fp8 formats.
u64 convertPair(const u64 *o, const Instruction &in)
{
    const FloatFormat &from = *formatOf(in.type2), &to = *formatOf(in.type);
    const int fromWidth = 1 + from.exponentBits + from.mantissaBits;
    const int toWidth = 1 + to.exponentBits + to.mantissaBits;
    const u64 mask = (u64(1) << fromWidth) - 1;
    const u64 low = encode(in.type, decodeFloat(from, o[0] & mask), in);
    const u64 high = encode(in.type, decodeFloat(from, (o[0] >> fromWidth) & mask), in);
    return high << toWidth | low;
}

bool isPair(Type type)
{
    return type == Type::F16x2 || type == Type::BF16x2 || type == Type::E4M3x2
        || type == Type::E5M2x2;
}

bool isInteger(Type type)
{
    return type >= Type::U8 && type <= Type::B64;
}

} // namespace

ScalarFunction scalarConvert(
    const Operation &op, const std::uint8_t *sizes, std::size_t count, Selection &shape)
{
    const Type to = op.type(0), from = op.type(1);
    if (op.types.size() != 2)
        return nullptr;
    shape.mode = (op.has("relu") ? ModeRelu : 0u) | (op.has("satfinite") ? ModeSatFinite : 0u)
        | (op.integralRounding ? ModeIntegral : 0u);
    const auto natural = [](Type type) { return std::max<std::size_t>(syntax::sizeOf(type), 2); };
    // Integer registers may be wider than the type.
    const auto actual = [&](std::size_t i, Type type) {
        return isInteger(type) && sizes[i] > natural(type) ? sizes[i] : natural(type);
    };
    setShape(shape, actual(0, to), {actual(1, from)});
    if (isPair(to)) {
        if (from == Type::F32 && count == 3) {
            setShape(shape, natural(to), {4, 4});
            return packTwo;
        }
        return isPair(from) ? convertPair : nullptr;
    }
    if (to == Type::TF32)
        return from == Type::F32 ? toTensorFloat : nullptr;
    if (isInteger(to) && isInteger(from))
        return integerToInteger;
    if (isInteger(from) && formatOf(to))
        return integerToFloat;
    if (isInteger(to) && formatOf(from) && !isPair(from))
        return floatToInteger;
    return formatOf(to) && formatOf(from) && !isPair(from) ? floatToFloat : nullptr;
}

} // namespace gpu::ptx
