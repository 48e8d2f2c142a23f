#include "ptxharness.h"

using namespace ptxtest;

namespace {

/// What a comparison says of operands that are less, equal, greater or unordered.
struct Comparison {
    const char *name;
    bool less, equal, greater, unordered;
};
constexpr Comparison Ordered[]
    = {{"eq", false, true, false, false}, {"ne", true, false, true, false},
        {"lt", true, false, false, false}, {"le", true, true, false, false},
        {"gt", false, false, true, false}, {"ge", false, true, true, false}};
constexpr Comparison Unordered[]
    = {{"equ", false, true, false, true}, {"neu", true, false, true, true},
        {"ltu", true, false, false, true}, {"leu", true, true, false, true},
        {"gtu", false, false, true, true}, {"geu", false, true, true, true},
        {"num", true, true, true, false}, {"nan", false, false, false, true}};
constexpr Comparison UnsignedOnly[]
    = {{"lo", true, false, false, false}, {"ls", true, true, false, false},
        {"hi", false, false, true, false}, {"hs", false, true, true, false}};

template <class T> bool holds(const Comparison &how, T a, T b)
{
    return a < b ? how.less : a > b ? how.greater : a == b ? how.equal : how.unordered;
}

/// Operands as the comparison sees them.
template <class T> auto seen(T a, bool ftz)
{
    if constexpr (std::is_same_v<T, float>)
        return ftz ? flushed(a) : a;
    else if constexpr (std::is_same_v<T, Half>) {
        const float x = float(std::bit_cast<_Float16>(a.bits));
        return ftz && std::fabs(x) < 0x1p-14f ? std::copysign(0.0f, x) : x;
    } else if constexpr (std::is_same_v<T, Brain>)
        return std::bit_cast<float>(u32(a.bits) << 16);
    else
        return a;
}

template <class T> void compare(Ops &ops, const QByteArray &type, const Comparison &how, bool ftz)
{
    const QByteArray name = QByteArray(how.name);
    const QByteArray tail = (ftz ? ".ftz." : ".") + type;
    const auto is = [=](T a, T b) { return holds(how, seen(a, ftz), seen(b, ftz)); };
    // f16 and bf16 have no second result: their pairs need it.
    constexpr bool HasTwo = !std::is_same_v<T, Half> && !std::is_same_v<T, Brain>;
    if constexpr (HasTwo) {
        ops.add("setp." + name + tail + " %d|%q, %a, %b",
            [=](T a, T b) { return std::pair<bool, bool>(is(a, b), !is(a, b)); });
        ops.add("setp." + name + ".and" + tail + " %d|%q, %a, %b, %c",
            [=](T a, T b, bool c) { return std::pair<bool, bool>(is(a, b) && c, !is(a, b) && c); });
        ops.add("setp." + name + ".or" + tail + " %d|%q, %a, %b, !%c", [=](T a, T b, bool c) {
            return std::pair<bool, bool>(is(a, b) || !c, !is(a, b) || !c);
        });
    }
    ops.add("setp." + name + ".or" + tail + " %d, %a, %b, !%c",
        [=](T a, T b, bool c) { return is(a, b) || !c; });
    ops.add("setp." + name + tail + " %d, %a, %b", [=](T a, T b) { return is(a, b); });
    ops.add("setp." + name + ".xor" + tail + " %d, %a, %b, %c",
        [=](T a, T b, bool c) { return is(a, b) != c; });
    if constexpr (HasTwo) {
        ops.add("set." + name + (ftz ? ".ftz.u32." : ".u32.") + type + " %d, %a, %b",
            [=](T a, T b) { return is(a, b) ? 0xffffffffu : 0u; });
        ops.add("set." + name + ".and" + (ftz ? ".ftz.f32." : ".f32.") + type + " %d, %a, %b, !%c",
            [=](T a, T b, bool c) { return is(a, b) && !c ? 1.0f : 0.0f; });
        ops.add("set." + name + ".xor" + (ftz ? ".ftz.s32." : ".s32.") + type + " %d, %a, %b, %c",
            [=](T a, T b, bool c) { return is(a, b) != c ? -1 : 0; });
    }
}

template <class T> void integers(Ops &ops, const QByteArray &type)
{
    for (const Comparison &how : Ordered)
        if (type[0] != 'b' || how.less == how.greater)
            compare<T>(ops, type, how, false);
    if (type[0] == 'u')
        for (const Comparison &how : UnsignedOnly)
            compare<T>(ops, type, how, false);
}

template <class T> void floats(Ops &ops, const QByteArray &type, bool ftz)
{
    for (const Comparison &how : Ordered)
        compare<T>(ops, type, how, ftz);
    for (const Comparison &how : Unordered)
        compare<T>(ops, type, how, ftz);
}

float halfAt(u32 pair, int i)
{
    return float(std::bit_cast<_Float16>(u16(pair >> (16 * i))));
}
float brainAt(u32 pair, int i)
{
    return std::bit_cast<float>(u32(u16(pair >> (16 * i))) << 16);
}

/// setp and set on packed pairs: one answer for each half.
template <class F> void pairs(Ops &ops, const QByteArray &type, u32 one, F at)
{
    for (const auto *list : {&Ordered[0], &Unordered[0]})
        for (int i = 0; i < (list == Ordered ? 6 : 8); ++i) {
            const Comparison how = list[i];
            const QByteArray name = how.name;
            const auto is
                = [=](u32 a, u32 b, int half) { return holds(how, at(a, half), at(b, half)); };
            ops.add("setp." + name + "." + type + " %d|%q, %a, %b",
                [=](u32 a, u32 b) { return std::pair<bool, bool>(is(a, b, 0), is(a, b, 1)); });
            ops.add(
                "setp." + name + ".and." + type + " %d|%q, %a, %b, %c", [=](u32 a, u32 b, bool c) {
                    return std::pair<bool, bool>(is(a, b, 0) && c, is(a, b, 1) && c);
                });
            ops.add("set." + name + "." + type + "." + type + " %d, %a, %b", [=](u32 a, u32 b) {
                return (is(a, b, 0) ? one : 0u) | (is(a, b, 1) ? one << 16 : 0u);
            });
            ops.add("set." + name + ".u32." + type + " %d, %a, %b", [=](u32 a, u32 b) {
                return (is(a, b, 0) ? 0xffffu : 0u) | (is(a, b, 1) ? 0xffff0000u : 0u);
            });
        }
}

template <class T> void halfSets(Ops &ops, const QByteArray &type, u16 one)
{
    for (const auto *list : {&Ordered[0], &Unordered[0]})
        for (int i = 0; i < (list == Ordered ? 6 : 8); ++i) {
            const Comparison how = list[i];
            const auto is = [=](T a, T b) { return holds(how, seen(a, false), seen(b, false)); };
            const QByteArray head = QByteArray("set.") + how.name + ".";
            ops.add(head + type + "." + type + " %d, %a, %b",
                [=](T a, T b) { return is(a, b) ? one : u16(0); });
            ops.add(head + "u16." + type + " %d, %a, %b",
                [=](T a, T b) { return is(a, b) ? u16(0xffff) : u16(0); });
            ops.add(
                head + "s32." + type + " %d, %a, %b", [=](T a, T b) { return is(a, b) ? -1 : 0; });
        }
}

template <class T> void select(Ops &ops, const QByteArray &type)
{
    ops.add("selp." + type + " %d, %a, %b, %c", [](T a, T b, bool c) { return c ? a : b; });
    ops.add("selp." + type + " %d, %a, %b, !%c", [](T a, T b, bool c) { return c ? b : a; });
    ops.add("slct." + type + ".s32 %d, %a, %b, %c", [](T a, T b, s32 c) { return c >= 0 ? a : b; });
    ops.add(
        "slct." + type + ".f32 %d, %a, %b, %c", [](T a, T b, float c) { return c >= 0 ? a : b; });
    // A flushed subnormal is a zero, which is not negative.
    ops.add("slct.ftz." + type + ".f32 %d, %a, %b, %c",
        [](T a, T b, float c) { return flushed(c) >= 0 ? a : b; });
}

} // namespace

/// Comparison and selection (PTX ISA 9.7.6 and 9.7.7): every comparison on every type.
class TestPtxCompare : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        integers<u16>(ops, "b16");
        integers<u32>(ops, "b32");
        integers<u64>(ops, "b64");
        integers<u16>(ops, "u16");
        integers<u32>(ops, "u32");
        integers<u64>(ops, "u64");
        integers<s16>(ops, "s16");
        integers<s32>(ops, "s32");
        integers<s64>(ops, "s64");
        floats<float>(ops, "f32", false);
        floats<float>(ops, "f32", true);
        floats<double>(ops, "f64", false);
        floats<Half>(ops, "f16", false);
        floats<Half>(ops, "f16", true);
        floats<Brain>(ops, "bf16", false);
        pairs(ops, "f16x2", 0x3c00u, halfAt);
        pairs(ops, "bf16x2", 0x3f80u, brainAt);
        halfSets<Half>(ops, "f16", 0x3c00);
        halfSets<Brain>(ops, "bf16", 0x3f80);
        select<u16>(ops, "b16");
        select<u32>(ops, "b32");
        select<u64>(ops, "b64");
        select<s32>(ops, "s32");
        // Bits, not numbers: a NaN keeps its payload.
        ops.add("selp.f32 %d, %a, %b, %c", [](u32 a, u32 b, bool c) { return c ? a : b; });
        ops.add("selp.f64 %d, %a, %b, %c", [](u64 a, u64 b, bool c) { return c ? a : b; });
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxCompare)
#include "tst_ptx_compare.moc"
