#include "ptxharness.h"

using namespace ptxtest;

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
/// Twice the width and of the same signedness.
template <class T> struct Twice;
template <> struct Twice<u16> {
    using Type = u32;
};
template <> struct Twice<s16> {
    using Type = s32;
};
template <> struct Twice<u32> {
    using Type = u64;
};
template <> struct Twice<s32> {
    using Type = s64;
};

/// The mathematical value modulo 2^width.
template <class T> T low(s128 value)
{
    return T(Unsigned<T>(u128(value)));
}
template <class T> s128 product(T a, T b)
{
    // The product of two u64 needs all 128 bits, which wrap to the same pattern.
    return s128(u128(s128(a)) * u128(s128(b)));
}
template <class T> T high(T a, T b)
{
    if constexpr (std::is_signed_v<T>)
        return T(product(a, b) >> (8 * sizeof(T)));
    else
        return T(u128(product(a, b)) >> (8 * sizeof(T)));
}
template <class T> T clamped(s128 value)
{
    constexpr s128 Least = std::numeric_limits<T>::min(), Most = std::numeric_limits<T>::max();
    return T(value < Least ? Least : value > Most ? Most : value);
}

template <class T> void arithmetic(Ops &ops, const QByteArray &type)
{
    ops.add("add." + type + " %d, %a, %b", [](T a, T b) { return low<T>(s128(a) + b); });
    ops.add("sub." + type + " %d, %a, %b", [](T a, T b) { return low<T>(s128(a) - b); });
    ops.add("add." + type + " %d, %a, -3", [](T a) { return low<T>(s128(a) - 3); });
    ops.add("mul.lo." + type + " %d, %a, %b", [](T a, T b) { return low<T>(product(a, b)); });
    ops.add("mul.hi." + type + " %d, %a, %b", [](T a, T b) { return high(a, b); });
    ops.add("mad.lo." + type + " %d, %a, %b, %c",
        [](T a, T b, T c) { return low<T>(s128(u128(product(a, b)) + u128(s128(c)))); });
    ops.add("mad.hi." + type + " %d, %a, %b, %c",
        [](T a, T b, T c) { return low<T>(s128(high(a, b)) + c); });
    ops.add("sad." + type + " %d, %a, %b, %c", [](T a, T b, T c) {
        const s128 difference = s128(a) - b;
        return low<T>((difference < 0 ? -difference : difference) + c);
    });
    ops.add("min." + type + " %d, %a, %b", [](T a, T b) { return a < b ? a : b; });
    ops.add("max." + type + " %d, %a, %b", [](T a, T b) { return a > b ? a : b; });
    // A zero divisor gives an unspecified value: what counts is that nothing is disturbed.
    ops.add("or.b" + type.mid(1) + " %b, %b, 1;\ndiv." + type + " %d, %a, %b", [](T a, T b) {
        b = T(b | 1);
        return low<T>(s128(a) / b);
    });
    ops.add("or.b" + type.mid(1) + " %b, %b, 1;\nrem." + type + " %d, %a, %b", [](T a, T b) {
        b = T(b | 1);
        return low<T>(s128(a) % b);
    });
    ops.add("div." + type + " %d, %a, 6", [](T a) { return T(a / 6); });
    ops.add("rem." + type + " %d, %a, 6", [](T a) { return T(a % 6); });
}

template <class T> void wide(Ops &ops, const QByteArray &type)
{
    using W = typename Twice<T>::Type;
    ops.add("mul.wide." + type + " %d, %a, %b", [](T a, T b) { return low<W>(product(a, b)); });
    ops.add("mul.wide." + type + " %d, %a, 12", [](T a) { return low<W>(product(a, T(12))); });
    ops.add("mad.wide." + type + " %d, %a, %b, %c",
        [](T a, T b, W c) { return low<W>(product(a, b) + c); });
}

template <class T> void oneSigned(Ops &ops, const QByteArray &type)
{
    ops.add("neg." + type + " %d, %a", [](T a) { return low<T>(-s128(a)); });
    ops.add("abs." + type + " %d, %a", [](T a) { return low<T>(a < 0 ? -s128(a) : s128(a)); });
}

void saturating(Ops &ops)
{
    ops.add("add.sat.s32 %d, %a, %b", [](s32 a, s32 b) { return clamped<s32>(s128(a) + b); });
    ops.add("sub.sat.s32 %d, %a, %b", [](s32 a, s32 b) { return clamped<s32>(s128(a) - b); });
    ops.add("mad.hi.sat.s32 %d, %a, %b, %c",
        [](s32 a, s32 b, s32 c) { return clamped<s32>(s128(high(a, b)) + c); });
    ops.add("min.relu.s32 %d, %a, %b", [](s32 a, s32 b) { return std::max(std::min(a, b), 0); });
    ops.add("max.relu.s32 %d, %a, %b", [](s32 a, s32 b) { return std::max(std::max(a, b), 0); });
}

/// The low 24 bits, extended as the type says.
s64 low24(u32 a, bool isSigned)
{
    const s64 value = a & 0xffffffu;
    return isSigned && (value & 0x800000) ? value - 0x1000000 : value;
}

template <class T> void of24Bits(Ops &ops, const QByteArray &type)
{
    constexpr bool Signed = std::is_signed_v<T>;
    constexpr auto Product = [](T a, T b) { return low24(u32(a), Signed) * low24(u32(b), Signed); };
    ops.add("mul24.lo." + type + " %d, %a, %b", [=](T a, T b) { return T(Product(a, b)); });
    ops.add("mul24.hi." + type + " %d, %a, %b", [=](T a, T b) { return T(Product(a, b) >> 16); });
    ops.add("mad24.lo." + type + " %d, %a, %b, %c",
        [=](T a, T b, T c) { return low<T>(s128(Product(a, b)) + c); });
    ops.add("mad24.hi." + type + " %d, %a, %b, %c",
        [=](T a, T b, T c) { return low<T>(s128(Product(a, b) >> 16) + c); });
}

/// F on both 16-bit halves.
template <class T, class F> u32 pairwise(u32 a, u32 b, F f)
{
    return u32(u16(f(T(a), T(b)))) | u32(u16(f(T(a >> 16), T(b >> 16)))) << 16;
}

template <class T> void packed(Ops &ops, const QByteArray &type)
{
    ops.add("add." + type + " %d, %a, %b",
        [](u32 a, u32 b) { return pairwise<T>(a, b, [](T x, T y) { return x + y; }); });
    ops.add("min." + type + " %d, %a, %b",
        [](u32 a, u32 b) { return pairwise<T>(a, b, [](T x, T y) { return std::min(x, y); }); });
    ops.add("max." + type + " %d, %a, %b",
        [](u32 a, u32 b) { return pairwise<T>(a, b, [](T x, T y) { return std::max(x, y); }); });
    if (std::is_unsigned_v<T>)
        return;
    ops.add("min.relu." + type + " %d, %a, %b", [](u32 a, u32 b) {
        return pairwise<T>(a, b, [](T x, T y) { return std::max<int>(std::min(x, y), 0); });
    });
    ops.add("max.relu." + type + " %d, %a, %b", [](u32 a, u32 b) {
        return pairwise<T>(a, b, [](T x, T y) { return std::max<int>(std::max(x, y), 0); });
    });
}

/// Two words of a long number through CC.CF; U is the word, W two of them.
template <class U, class W, class S> void chains(Ops &ops, const QByteArray &bits)
{
    constexpr int Width = 8 * sizeof(U);
    const auto join = [](U lowWord, U highWord) { return W(highWord) << Width | lowWord; };
    const auto split = [](W value) { return std::pair<U, U>(U(value), U(value >> Width)); };
    const QByteArray u = "u" + bits, s = "s" + bits;
    ops.add("add.cc." + u + " %d, %a, %b;\naddc." + u + " %q, %c, %e",
        [=](U a, U b, U c, U e) { return split(join(a, c) + join(b, e)); });
    ops.add("sub.cc." + u + " %d, %a, %b;\nsubc." + u + " %q, %c, %e",
        [=](U a, U b, U c, U e) { return split(join(a, c) - join(b, e)); });
    ops.add(
        "add.cc." + s + " %d, %a, %b;\naddc.cc." + s + " %d, %a, %b;\naddc." + s + " %q, %c, %e",
        [=](U a, U b, U c, U e) {
            const W first = W(a) + b, second = W(a) + b + (first >> Width);
            return std::pair<U, U>(U(second), U(c + e + U(second >> Width)));
        });
    ops.add(
        "sub.cc." + s + " %d, %a, %b;\nsubc.cc." + s + " %d, %a, %b;\nsubc." + s + " %q, %c, %e",
        [=](U a, U b, U c, U e) {
            const bool first = a < b;
            const bool second = W(a) < W(b) + first;
            return std::pair<U, U>(U(a - b - first), U(c - e - second));
        });
    // A product of two words plus two others, as long multiplication does.
    ops.add("mad.lo.cc." + u + " %d, %a, %b, %c;\nmadc.hi." + u + " %q, %a, %b, %e",
        [=](U a, U b, U c, U e) { return split(W(a) * b + join(c, e)); });
    ops.add(
        "mad.hi.cc." + u + " %d, %a, %b, %c;\naddc." + u + " %q, %e, 0", [=](U a, U b, U c, U e) {
            const W sum = ((W(a) * b) >> Width) + c;
            return std::pair<U, U>(U(sum), U(e + U(sum >> Width)));
        });
    ops.add("mad.lo.cc." + s + " %d, %a, %b, %c;\nmadc.hi." + s + " %q, %a, %b, %e",
        [=](S a, S b, U c, U e) { return split(W(W(s128(a)) * W(s128(b))) + join(c, e)); });
    ops.add("add.cc." + u + " %q, %a, %b;\nmadc.lo.cc." + u + " %d, %a, %b, %c;\naddc." + u
            + " %q, 0, 0",
        [=](U a, U b, U c) {
            const W sum = W(U(a * b)) + c + U(W(W(a) + b) >> Width);
            return std::pair<U, U>(U(sum), U(sum >> Width));
        });
}

} // namespace

/// Integer arithmetic (PTX ISA 9.7.1 and 9.7.2) on every type.
class TestPtxInteger : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void arithmetic_data()
    {
        Ops ops;
        ::arithmetic<u16>(ops, "u16");
        ::arithmetic<s16>(ops, "s16");
        ::arithmetic<u32>(ops, "u32");
        ::arithmetic<s32>(ops, "s32");
        ::arithmetic<u64>(ops, "u64");
        ::arithmetic<s64>(ops, "s64");
        wide<u16>(ops, "u16");
        wide<s16>(ops, "s16");
        wide<u32>(ops, "u32");
        wide<s32>(ops, "s32");
        oneSigned<s16>(ops, "s16");
        oneSigned<s32>(ops, "s32");
        oneSigned<s64>(ops, "s64");
        saturating(ops);
        of24Bits<u32>(ops, "u32");
        of24Bits<s32>(ops, "s32");
        ops.add("mad24.hi.sat.s32 %d, %a, %b, %c", [](s32 a, s32 b, s32 c) {
            return clamped<s32>(s128((low24(u32(a), true) * low24(u32(b), true)) >> 16) + c);
        });
        packed<u16>(ops, "u16x2");
        packed<s16>(ops, "s16x2");
        ops.newRows();
    }
    void arithmetic()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }

    /// The rows of all these tests mean nothing unless a wrong result is seen.
    void wrongDefinitionIsSeen()
    {
        const auto wrong = [](u32 a, u32 b) { return a == 0x12345u ? 0u : a - b; };
        Op op = makeOp("sub.u32 %d, %a, %b", wrong, &decltype(wrong)::operator());
        QCOMPARE(firstDifference(op), QString());
        op.more = {0x12345u};
        QCOMPARE(firstDifference(op),
            QStringLiteral("sub.u32 %d, %a, %b for %a = 0x12345 %b = 0x0 gives %d = 0x12345, not "
                           "0x0"));
        op.text = "sub.u32 %d, %a, %q";
        QVERIFY(firstDifference(op).contains(QLatin1String("%q")));
    }

    void carries_data()
    {
        Ops ops;
        chains<u32, u64, s32>(ops, "32");
        chains<u64, u128, s64>(ops, "64");
        ops.newRows();
    }
    void carries()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxInteger)
#include "tst_ptx_integer.moc"
