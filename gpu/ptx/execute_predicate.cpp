#include "gpu/ptx/lanes.h"

namespace gpu::ptx::ESPALIER_ISA {

namespace {

enum Combine : std::uint32_t { CombineNone, CombineAnd, CombineOr, CombineXor };

/// setp: the predicate and, in dst2, the combination with its complement.
template <class T, auto Compare> void setp(Warp &warp, const Instruction &in)
{
    const T *a = lanes<T>(warp, in.source[0]);
    const T *b = lanes<T>(warp, in.source[1]);
    std::uint32_t yes = maskOf([=](int i) { return Compare(a[i], b[i]); });
    std::uint32_t no = ~yes;
    if (in.mode != CombineNone) {
        const std::uint32_t other = predicateSource(warp, in, 2);
        const auto combine = [&](std::uint32_t value) {
            return in.mode == CombineAnd ? value & other
                : in.mode == CombineOr   ? value | other
                                         : value ^ other;
        };
        yes = combine(yes);
        no = combine(no);
    }
    writePredicate(warp, in.dst, yes);
    if (in.dst2Size == SizePredicate)
        writePredicate(warp, in.dst2, no);
}

template <class T, auto Prepare> Handler comparison(const Operation &op)
{
    if (op.has("eq"))
        return setp<T, [](T a, T b) { return Prepare(a) == Prepare(b); }>;
    if (op.has("ne")) {
        if constexpr (std::is_floating_point_v<T>)
            return setp<T, [](T x, T y) {
                const T a = Prepare(x), b = Prepare(y);
                return a < b || b < a;
            }>;
        else
            return setp<T, [](T a, T b) { return Prepare(a) != Prepare(b); }>;
    }
    if (op.has("lt") || op.has("lo"))
        return setp<T, [](T a, T b) { return Prepare(a) < Prepare(b); }>;
    if (op.has("le") || op.has("ls"))
        return setp<T, [](T a, T b) { return Prepare(a) <= Prepare(b); }>;
    if (op.has("gt") || op.has("hi"))
        return setp<T, [](T a, T b) { return Prepare(b) < Prepare(a); }>;
    if (op.has("ge") || op.has("hs"))
        return setp<T, [](T a, T b) { return Prepare(a) >= Prepare(b); }>;
    if constexpr (std::is_floating_point_v<T>) {
        if (op.has("equ"))
            return setp<T, [](T x, T y) {
                const T a = Prepare(x), b = Prepare(y);
                return !(a < b || b < a);
            }>;
        if (op.has("neu"))
            return setp<T, [](T a, T b) { return !(Prepare(a) == Prepare(b)); }>;
        if (op.has("ltu"))
            return setp<T, [](T a, T b) { return !(Prepare(a) >= Prepare(b)); }>;
        if (op.has("leu"))
            return setp<T, [](T a, T b) { return !(Prepare(b) < Prepare(a)); }>;
        if (op.has("gtu"))
            return setp<T, [](T a, T b) { return !(Prepare(a) <= Prepare(b)); }>;
        if (op.has("geu"))
            return setp<T, [](T a, T b) { return !(Prepare(a) < Prepare(b)); }>;
        if (op.has("num"))
            return setp<T, [](T a, T b) { return a == a && b == b; }>;
        if (op.has("nan"))
            return setp<T, [](T a, T b) { return !(a == a && b == b); }>;
    }
    return nullptr;
}

template <class T> Handler plain(const Operation &op)
{
    return comparison<T, [](T a) { return a; }>(op);
}

Handler comparisonOf(const Operation &op)
{
    const Type type = op.type();
    if (type == Type::F32)
        return op.ftz ? comparison<float, [](float a) { return flush(a); }>(op) : plain<float>(op);
    if (type == Type::F64)
        return plain<double>(op);
    if (isFloat(type))
        return nullptr;
    switch (syntax::sizeOf(type)) {
    case 2:
        return syntax::isSigned(type) ? plain<std::int16_t>(op) : plain<std::uint16_t>(op);
    case 4:
        return syntax::isSigned(type) ? plain<std::int32_t>(op) : plain<std::uint32_t>(op);
    case 8:
        return syntax::isSigned(type) ? plain<std::int64_t>(op) : plain<std::uint64_t>(op);
    default:
        return nullptr;
    }
}

template <auto F> void logic(Warp &warp, const Instruction &in)
{
    writePredicate(warp, in.dst, F(predicateSource(warp, in, 0), predicateSource(warp, in, 1)));
}

Selection logicShape(Handler handler, unsigned count)
{
    Selection shape;
    shape.handler = handler;
    shape.dst = SizePredicate;
    for (unsigned i = 0; i < count; ++i)
        shape.source[i] = SizePredicate;
    return shape;
}

void movePredicate(Warp &warp, const Instruction &in)
{
    writePredicate(warp, in.dst, predicateSource(warp, in, 0));
}

void notPredicate(Warp &warp, const Instruction &in)
{
    writePredicate(warp, in.dst, ~predicateSource(warp, in, 0));
}

} // namespace

Selection selectPredicate(const Operation &op)
{
    using u32 = std::uint32_t;
    if (op.base == "setp" && op.types.size() == 1) {
        Selection shape;
        shape.handler = comparisonOf(op);
        shape.dst = shape.dst2 = SizePredicate;
        shape.source[0] = shape.source[1] = std::uint8_t(syntax::sizeOf(op.type()));
        shape.mode = op.has("and") ? CombineAnd
            : op.has("or")         ? CombineOr
            : op.has("xor")        ? CombineXor
                                   : CombineNone;
        if (shape.mode != CombineNone)
            shape.source[2] = SizePredicate;
        return shape;
    }
    if (op.type() != Type::Pred || op.types.size() != 1)
        return {};
    if (op.base == "and")
        return logicShape(logic<[](u32 a, u32 b) { return a & b; }>, 2);
    if (op.base == "or")
        return logicShape(logic<[](u32 a, u32 b) { return a | b; }>, 2);
    if (op.base == "xor")
        return logicShape(logic<[](u32 a, u32 b) { return a ^ b; }>, 2);
    if (op.base == "mov")
        return logicShape(movePredicate, 1);
    if (op.base == "not")
        return logicShape(notPredicate, 1);
    return {};
}

} // namespace gpu::ptx::ESPALIER_ISA
