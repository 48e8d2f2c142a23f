#include "gpu/ptx/scalar.h"

namespace gpu::ptx {

namespace {

using u64 = std::uint64_t;

constexpr std::string_view Names[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu",
    "leu", "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"};
enum Comparison : std::uint32_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };
constexpr std::uint32_t CombineShift = 8; ///< 1 and, 2 or, 3 xor

template <class T> bool compare(std::uint32_t how, T a, T b)
{
    const bool unordered = a != a || b != b;
    switch (how) {
    case Eq:
        return a == b;
    case Ne:
        return !unordered && a != b;
    case Lt:
        return a < b;
    case Le:
        return a <= b;
    case Gt:
        return a > b;
    case Ge:
        return a >= b;
    case Equ:
        return unordered || a == b;
    case Neu:
        return unordered || a != b;
    case Ltu:
        return unordered || a < b;
    case Leu:
        return unordered || a <= b;
    case Gtu:
        return unordered || a > b;
    case Geu:
        return unordered || a >= b;
    case Num:
        return !unordered;
    default:
        return unordered;
    }
}

float halfValue(u64 bits, Type type, bool ftz)
{
    const auto half = std::uint16_t(bits);
    if (type == Type::BF16 || type == Type::BF16x2)
        return bf16ToF32(half);
    return f16ToF32(ftz ? flushF16(half) : half);
}

bool compareBits(u64 a, u64 b, Type type, const Instruction &in)
{
    const std::uint32_t how = in.mode & 0xffu;
    switch (type) {
    case Type::F64:
        return compare(how, toDouble(a), toDouble(b));
    case Type::F32: {
        const float x = toFloat(a), y = toFloat(b);
        return in.ftz ? compare(how, flush(x), flush(y)) : compare(how, x, y);
    }
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
        return compare(how, halfValue(a, type, in.ftz), halfValue(b, type, in.ftz));
    case Type::S16:
        return compare(how, std::int16_t(a), std::int16_t(b));
    case Type::S32:
        return compare(how, std::int32_t(a), std::int32_t(b));
    case Type::S64:
        return compare(how, std::int64_t(a), std::int64_t(b));
    default:
        return compare(how, a, b);
    }
}

bool isPair(Type type)
{
    return type == Type::F16x2 || type == Type::BF16x2;
}

bool combine(bool value, const u64 *o, const Instruction &in)
{
    switch (in.mode >> CombineShift) {
    case 1:
        return value && o[2];
    case 2:
        return value || o[2];
    case 3:
        return value != (o[2] != 0);
    default:
        return value;
    }
}

u64 setPredicate(const u64 *o, const Instruction &in)
{
    const bool first = compareBits(o[0], o[1], in.type, in);
    const bool second = isPair(in.type) ? compareBits(o[0] >> 16, o[1] >> 16, in.type, in) : !first;
    return u64(combine(first, o, in)) | u64(combine(second, o, in)) << 1;
}

u64 setValue(const u64 *o, const Instruction &in)
{
    const bool low = combine(compareBits(o[0], o[1], in.type2, in), o, in);
    switch (in.type) {
    case Type::F32:
        return low ? bitsOf(1.0f) : 0;
    case Type::F16:
        return low ? 0x3c00u : 0u;
    case Type::BF16:
        return low ? 0x3f80u : 0u;
    default:
        break;
    }
    if (!isPair(in.type2))
        return low ? ~u64(0) : 0;
    const bool high = combine(compareBits(o[0] >> 16, o[1] >> 16, in.type2, in), o, in);
    const u64 one = in.type == Type::F16x2 ? 0x3c00u : in.type == Type::BF16x2 ? 0x3f80u : 0xffffu;
    return (low ? one : 0) | (high ? one << 16 : 0);
}

u64 selectBySign(const u64 *o, const Instruction &in)
{
    const bool first = in.type2 == Type::F32
        ? (in.ftz ? flush(toFloat(o[2])) : toFloat(o[2])) >= 0.0f
        : std::int32_t(o[2]) >= 0;
    return first ? o[0] : o[1];
}

} // namespace

ScalarFunction scalarCompare(const Operation &op, Selection &shape)
{
    const std::size_t size = syntax::sizeOf(op.type());
    if (op.base == "slct") {
        setShape(shape, size, {size, size, 4});
        return selectBySign;
    }
    std::uint32_t how = 0;
    while (how < std::size(Names) && !op.has(Names[how]))
        ++how;
    if (how == std::size(Names))
        return nullptr;
    constexpr std::uint32_t Unsigned[] = {Lt, Le, Gt, Ge};
    shape.mode = how > Nan ? Unsigned[how - Nan - 1] : how;
    const std::uint32_t combined = op.has("and") ? 1 : op.has("or") ? 2 : op.has("xor") ? 3 : 0;
    shape.mode |= combined << CombineShift;
    const bool isSetp = op.base == "setp";
    const std::size_t source = isSetp ? size : syntax::sizeOf(op.type(1));
    setShape(shape, isSetp ? std::size_t(SizePredicate) : size, {source, source});
    if (isSetp)
        shape.dst2 = SizePredicate;
    if (combined)
        shape.source[2] = SizePredicate;
    return isSetp ? setPredicate : setValue;
}

} // namespace gpu::ptx
