#include "ptxformats.h"

using namespace ptxtest;

namespace {

/// The scalar and packed pattern types of a format.
struct F16Types {
    using One = Half;
    using Two = HalfPair;
    static constexpr Format Layout = F16Format;
    static constexpr const char *Name = "f16";
};
struct BF16Types {
    using One = Brain;
    using Two = BrainPair;
    static constexpr Format Layout = BF16Format;
    static constexpr const char *Name = "bf16";
};

struct Form {
    QByteArray modifiers;
    bool ftz = false, sat = false, relu = false;
};

template <class K> u16 flush(u16 bits, bool ftz)
{
    const u16 exponent = u16(((1 << K::Layout.exponentBits) - 1) << K::Layout.mantissaBits);
    return ftz && !(bits & exponent) ? bits & 0x8000u : bits;
}

/// .ftz, .sat and .relu of a result.
template <class K> u16 finish(u16 bits, const Form &form)
{
    bits = flush<K>(bits, form.ftz);
    const double value = valueOf(K::Layout, bits);
    if (form.sat)
        return u16(rounded(K::Layout, saturated(value)));
    return form.relu && value <= 0 ? u16(0) : bits;
}

template <class K> double operand(u16 bits, const Form &form)
{
    return valueOf(K::Layout, flush<K>(bits, form.ftz));
}

/// f on one pattern and on both halves of a pair.
template <class K, class F> void unary(Ops &ops, const QByteArray &name, F f)
{
    using One = typename K::One;
    using Two = typename K::Two;
    ops.add(name + "." + K::Name + " %d, %a", [=](One a) { return One{f(a.bits)}; });
    ops.add(name + "." + K::Name + "x2 %d, %a",
        [=](Two a) { return Two{u32(f(u16(a.bits))) | u32(f(u16(a.bits >> 16))) << 16}; });
}
template <class K, class F> void binary(Ops &ops, const QByteArray &name, F f)
{
    using One = typename K::One;
    using Two = typename K::Two;
    ops.add(
        name + "." + K::Name + " %d, %a, %b", [=](One a, One b) { return One{f(a.bits, b.bits)}; });
    ops.add(name + "." + K::Name + "x2 %d, %a, %b", [=](Two a, Two b) {
        return Two{
            u32(f(u16(a.bits), u16(b.bits))) | u32(f(u16(a.bits >> 16), u16(b.bits >> 16))) << 16};
    });
}
template <class K, class F> void ternary(Ops &ops, const QByteArray &name, F f)
{
    using One = typename K::One;
    using Two = typename K::Two;
    ops.add(name + "." + K::Name + " %d, %a, %b, %c",
        [=](One a, One b, One c) { return One{f(a.bits, b.bits, c.bits)}; });
    ops.add(name + "." + K::Name + "x2 %d, %a, %b, %c", [=](Two a, Two b, Two c) {
        return Two{u32(f(u16(a.bits), u16(b.bits), u16(c.bits)))
            | u32(f(u16(a.bits >> 16), u16(b.bits >> 16), u16(c.bits >> 16))) << 16};
    });
}

template <class K> void arithmetic(Ops &ops, const Form &form)
{
    const Format layout = K::Layout;
    binary<K>(ops, "add" + form.modifiers, [=](u16 a, u16 b) {
        return finish<K>(
            u16(roundedFma(layout, operand<K>(a, form), 1, operand<K>(b, form))), form);
    });
    binary<K>(ops, "sub" + form.modifiers, [=](u16 a, u16 b) {
        return finish<K>(
            u16(roundedFma(layout, operand<K>(a, form), 1, -operand<K>(b, form))), form);
    });
    binary<K>(ops, "mul" + form.modifiers, [=](u16 a, u16 b) {
        return finish<K>(
            u16(rounded(layout, Quad(operand<K>(a, form)) * Quad(operand<K>(b, form)))), form);
    });
}

template <class K> void fused(Ops &ops, const Form &form)
{
    ternary<K>(ops, "fma.rn" + form.modifiers, [=](u16 a, u16 b, u16 c) {
        return finish<K>(u16(roundedFma(K::Layout, operand<K>(a, form), operand<K>(b, form),
                             operand<K>(c, form))),
            form);
    });
}

template <class K> void extrema(Ops &ops, bool isMax, const Form &form, bool nan, bool xorsign)
{
    const QByteArray name = QByteArray(isMax ? "max" : "min") + form.modifiers + (nan ? ".NaN" : "")
        + (xorsign ? ".xorsign.abs" : "");
    binary<K>(ops, name, [=](u16 a, u16 b) {
        a = flush<K>(a, form.ftz);
        b = flush<K>(b, form.ftz);
        const u16 sign = xorsign ? (a ^ b) & 0x8000u : 0u;
        if (xorsign) {
            a &= 0x7fffu;
            b &= 0x7fffu;
        }
        const double x = valueOf(K::Layout, a), y = valueOf(K::Layout, b);
        if (std::isnan(x) || std::isnan(y)) {
            if (nan || (std::isnan(x) && std::isnan(y)))
                return u16(0x7fff);
            return u16((std::isnan(x) ? b : a) | sign);
        }
        const bool first = x == y ? std::signbit(x) != isMax : (x < y) != isMax;
        return u16((first ? a : b) | sign);
    });
}

} // namespace

/// f16, bf16 and their packed pairs (PTX ISA 9.7.4).
class TestPtxHalf : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        const Form plain{}, ftz{".ftz", true, false, false};
        for (const char *rounding : {"", ".rn"}) {
            const QByteArray r = rounding;
            arithmetic<F16Types>(ops, {r, false, false, false});
            arithmetic<F16Types>(ops, {r + ".ftz", true, false, false});
            arithmetic<F16Types>(ops, {r + ".sat", false, true, false});
            arithmetic<F16Types>(ops, {r + ".ftz.sat", true, true, false});
            arithmetic<BF16Types>(ops, {r, false, false, false});
        }
        fused<F16Types>(ops, plain);
        fused<F16Types>(ops, ftz);
        fused<F16Types>(ops, {".sat", false, true, false});
        fused<F16Types>(ops, {".ftz.sat", true, true, false});
        fused<F16Types>(ops, {".relu", false, false, true});
        fused<F16Types>(ops, {".ftz.relu", true, false, true});
        fused<BF16Types>(ops, plain);
        fused<BF16Types>(ops, {".relu", false, false, true});
        for (const bool isMax : {false, true})
            for (const bool nan : {false, true})
                for (const bool xorsign : {false, true}) {
                    extrema<F16Types>(ops, isMax, plain, nan, xorsign);
                    extrema<F16Types>(ops, isMax, ftz, nan, xorsign);
                    extrema<BF16Types>(ops, isMax, plain, nan, xorsign);
                }
        unary<F16Types>(ops, "neg", [](u16 a) { return u16(a ^ 0x8000u); });
        unary<F16Types>(ops, "abs", [](u16 a) { return u16(a & 0x7fffu); });
        unary<F16Types>(
            ops, "neg.ftz", [](u16 a) { return flush<F16Types>(u16(a ^ 0x8000u), true); });
        unary<F16Types>(
            ops, "abs.ftz", [](u16 a) { return flush<F16Types>(u16(a & 0x7fffu), true); });
        unary<BF16Types>(ops, "neg", [](u16 a) { return u16(a ^ 0x8000u); });
        unary<BF16Types>(ops, "abs", [](u16 a) { return u16(a & 0x7fffu); });
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxHalf)
#include "tst_ptx_half.moc"
