#pragma once

#include "gpu/ptx/interpreter.h"

#include <QtTest>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

/// Runs one PTX instruction on a vector of inputs, one a thread, and compares with a definition
/// written in the test from the PTX ISA. Nothing here calls the interpreter's arithmetic.
namespace ptxtest {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

/// Patterns of 16-bit floats and of packed pairs of them.
struct Half {
    u16 bits = 0;
};
struct Brain {
    u16 bits = 0;
};

/// Packed pairs of them.
struct HalfPair {
    u32 bits = 0;
};
struct BrainPair {
    u32 bits = 0;
};

/// A result that may be any NaN where it is one.
template <class T> struct AnyNan {
    using Type = T;
    T value;
};

/// A result that the ISA bounds rather than fixes.
template <class T> struct Near {
    using Type = T;
    double value = 0;
    double relative = 0, absolute = 0; ///< either bound suffices
};

enum class Kind : u8 { Predicate, Int16, Int32, Int64, Single, Double, F16, BF16, F16x2, BF16x2 };

template <class T> constexpr Kind kindOf()
{
    if constexpr (requires { typename T::Type; })
        return kindOf<typename T::Type>();
    else if constexpr (std::is_same_v<T, bool>)
        return Kind::Predicate;
    else if constexpr (std::is_same_v<T, float>)
        return Kind::Single;
    else if constexpr (std::is_same_v<T, double>)
        return Kind::Double;
    else if constexpr (std::is_same_v<T, Half>)
        return Kind::F16;
    else if constexpr (std::is_same_v<T, Brain>)
        return Kind::BF16;
    else if constexpr (std::is_same_v<T, HalfPair>)
        return Kind::F16x2;
    else if constexpr (std::is_same_v<T, BrainPair>)
        return Kind::BF16x2;
    else
        return sizeof(T) == 2 ? Kind::Int16 : sizeof(T) == 4 ? Kind::Int32 : Kind::Int64;
}

inline const char *registerType(Kind kind)
{
    constexpr const char *Names[]
        = {"pred", "b16", "b32", "b64", "f32", "f64", "b16", "b16", "b32", "b32"};
    return Names[int(kind)];
}

template <class T> T fromBits(u64 bits)
{
    if constexpr (std::is_same_v<T, bool>)
        return (bits & 1) != 0;
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(u32(bits));
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<double>(bits);
    else if constexpr (requires(T value) { value.bits; })
        return T{decltype(T::bits)(bits)};
    else
        return T(bits);
}

/// What a definition wants of one result.
struct Wanted {
    u64 bits = 0;
    bool anyNan = false;
    double value = 0, relative = 0, absolute = 0; ///< of a Near
};

template <class T> Wanted wanted(T value)
{
    if constexpr (std::is_same_v<T, float>)
        return {std::bit_cast<u32>(value)};
    else if constexpr (std::is_same_v<T, double>)
        return {std::bit_cast<u64>(value), true};
    else if constexpr (requires { value.bits; })
        return {value.bits};
    else if constexpr (std::is_same_v<T, bool>)
        return {value};
    else
        return {std::make_unsigned_t<T>(value)};
}
template <class T> Wanted wanted(AnyNan<T> value)
{
    Wanted result = wanted(value.value);
    result.anyNan = true;
    return result;
}
/// The bounds of an approximation; an infinite or zero value is exact.
template <class T> Wanted wanted(Near<T> near)
{
    Wanted result{0, true, near.value, near.relative, near.absolute};
    if constexpr (std::is_floating_point_v<T>)
        result.bits = wanted(T(near.value)).bits;
    return result;
}

using Row = std::array<u64, 4>;

/// One row: %a %b %c %e are the operands, %d and %q the results. %active has the mask of the lanes
/// that execute it: all, then every other one.
struct Op {
    QByteArray text;
    std::vector<Kind> sources, results;
    std::function<void(const u64 *, Wanted *)> define;
    std::vector<u64> more = {}; ///< further inputs of %a, with zeros for the others
    std::vector<Row> rows = {}; ///< if not empty, all the inputs; a multiple of 32
    /// Instead of `define`, where a result depends on the inputs of the other 31 lanes. False:
    /// open.
    std::function<bool(const Row *warp, unsigned lane, u32 active, Wanted *)> defineLane = {};
};

template <class R> struct Results {
    static void kinds(std::vector<Kind> &out) { out.push_back(kindOf<R>()); }
    static void put(const R &value, Wanted *out) { out[0] = wanted(value); }
};
template <class A, class B> struct Results<std::pair<A, B>> {
    static void kinds(std::vector<Kind> &out) { out = {kindOf<A>(), kindOf<B>()}; }
    static void put(const std::pair<A, B> &value, Wanted *out)
    {
        out[0] = wanted(value.first);
        out[1] = wanted(value.second);
    }
};

template <class F, class R, class... A, std::size_t... I>
Op makeOp(const QByteArray &text, F f, R (F::*)(A...) const, std::index_sequence<I...>)
{
    Op op;
    op.text = text;
    op.sources = {kindOf<A>()...};
    Results<R>::kinds(op.results);
    op.define = [f](const u64 *in, Wanted *out) {
        (void)in;
        Results<R>::put(f(fromBits<A>(in[I])...), out);
    };
    return op;
}
template <class F, class R, class... A>
Op makeOp(const QByteArray &text, F f, R (F::*member)(A...) const)
{
    return makeOp(text, f, member, std::index_sequence_for<A...>());
}

/// The rows of one test function. The types of a definition's parameters and result say which
/// registers the instruction has and which inputs it is tried on.
class Ops {
public:
    template <class F> void add(const QByteArray &text, F f)
    {
        m_ops.push_back(makeOp(text, f, &F::operator()));
    }
    void add(Op op) { m_ops.push_back(std::move(op)); }
    void newRows() const
    {
        QTest::addColumn<ptxtest::Op>("op");
        for (const Op &op : m_ops)
            QTest::newRow(op.text.simplified().constData()) << op;
    }

private:
    std::vector<Op> m_ops;
};

std::vector<u64> edges(Kind kind, std::size_t operands);
/// Empty if every input gives what the definition says; else the first that does not.
QString firstDifference(const Op &op);

/// f() with the host's rounding mode set; its operands must be volatile.
template <class F> auto inMode(int mode, F f)
{
    std::fesetround(mode);
    const volatile auto result = f();
    std::fesetround(FE_TONEAREST);
    return result;
}

/// The rounding modifiers with the host's modes.
struct Mode {
    const char *name;
    int host;
};
constexpr Mode Modes[]
    = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/// Replaces subnormals by a zero of their sign.
inline float flushed(float x)
{
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
template <class T> T saturated(T x)
{
    return std::isnan(x) || x <= 0 ? T(0) : x >= 1 ? T(1) : x;
}

} // namespace ptxtest

Q_DECLARE_METATYPE(ptxtest::Op)
