#include "ptxharness.h"

using namespace ptxtest;

namespace {

/// Operands and results with .ftz and .sat.
template <class T> T operand(T x, bool ftz)
{
    if constexpr (std::is_same_v<T, float>)
        return ftz ? flushed(x) : x;
    else
        return x;
}
template <class T> T result(T x, bool ftz, bool sat)
{
    const T value = operand(x, ftz);
    return sat ? saturated(value) : value;
}

/// One instruction with its rounding, flushing and saturation modifiers.
struct Form {
    QByteArray modifiers;
    int host = FE_TONEAREST;
    bool ftz = false, sat = false;
};

template <class T> std::vector<Form> forms(bool unrounded, bool sat)
{
    std::vector<Form> all;
    if (unrounded)
        all.push_back({"", FE_TONEAREST, false, false});
    for (const Mode &mode : Modes)
        all.push_back({QByteArray(".") + mode.name, mode.host, false, false});
    if (std::is_same_v<T, double>)
        return all;
    const std::vector<Form> plain = all;
    for (const Form &form : plain) {
        all.push_back({form.modifiers + ".ftz", form.host, true, false});
        if (sat) {
            all.push_back({form.modifiers + ".sat", form.host, false, true});
            all.push_back({form.modifiers + ".ftz.sat", form.host, true, true});
        }
    }
    return all;
}

template <class T> void rounded(Ops &ops, const QByteArray &type)
{
    const auto two = [&](const char *base, const Form &form, auto f) {
        ops.add(base + form.modifiers + "." + type + " %d, %a, %b", [=](T a, T b) {
            const volatile T x = operand(a, form.ftz), y = operand(b, form.ftz);
            return result<T>(inMode(form.host, [&] { return f(x, y); }), form.ftz, form.sat);
        });
    };
    for (const Form &form : forms<T>(true, true)) {
        two("add", form, [](const volatile T &x, const volatile T &y) { return x + y; });
        two("sub", form, [](const volatile T &x, const volatile T &y) { return x - y; });
        two("mul", form, [](const volatile T &x, const volatile T &y) { return x * y; });
    }
    for (const Form &form : forms<T>(false, false)) {
        two("div", form, [](const volatile T &x, const volatile T &y) { return x / y; });
        ops.add("rcp" + form.modifiers + "." + type + " %d, %a", [=](T a) {
            const volatile T x = operand(a, form.ftz), one = 1;
            return result<T>(inMode(form.host, [&] { return one / x; }), form.ftz, false);
        });
        ops.add("sqrt" + form.modifiers + "." + type + " %d, %a", [=](T a) {
            const volatile T x = operand(a, form.ftz);
            return result<T>(inMode(form.host, [&] { return T(std::sqrt(x)); }), form.ftz, false);
        });
    }
    for (const Form &form : forms<T>(false, true))
        for (const char *base : {"fma", "mad"})
            ops.add(base + form.modifiers + "." + type + " %d, %a, %b, %c", [=](T a, T b, T c) {
                const volatile T x = operand(a, form.ftz), y = operand(b, form.ftz),
                                 z = operand(c, form.ftz);
                return result<T>(inMode(form.host, [&] { return T(std::fma(T(x), T(y), T(z))); }),
                    form.ftz, form.sat);
            });
}

/// The ISA's program for min and max: +0 is above -0, a NaN loses unless .NaN.
struct Extremum {
    bool isMax = false, ftz = false, propagates = false, xorsign = false;

    template <class T> T operator()(T a, T b) const
    {
        a = operand(a, ftz);
        b = operand(b, ftz);
        const bool sign = std::signbit(a) != std::signbit(b);
        if (xorsign) {
            a = std::fabs(a);
            b = std::fabs(b);
        }
        T chosen;
        if (std::isnan(a) || std::isnan(b))
            chosen = propagates || std::isnan(b) ? (propagates ? T(NAN) : a) : b;
        else if (a == b)
            chosen = std::signbit(a) == isMax ? b : a;
        else
            chosen = (a < b) != isMax ? a : b;
        return xorsign && !std::isnan(chosen) ? std::copysign(chosen, sign ? T(-1) : T(1)) : chosen;
    }
};

void extrema(Ops &ops)
{
    for (const bool isMax : {false, true}) {
        const QByteArray base = isMax ? "max" : "min";
        for (int bits = 0; bits < 8; ++bits) {
            const Extremum how{isMax, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
            const QByteArray name = base + (how.ftz ? ".ftz" : "") + (how.propagates ? ".NaN" : "")
                + (how.xorsign ? ".xorsign.abs" : "") + ".f32";
            ops.add(name + " %d, %a, %b", [=](float a, float b) { return how(a, b); });
            if (!how.xorsign)
                ops.add(name + " %d, %a, %b, %c",
                    [=](float a, float b, float c) { return how(how(a, b), c); });
        }
        const Extremum how{isMax, false, false, false};
        ops.add(base + ".f64 %d, %a, %b", [=](double a, double b) { return how(a, b); });
    }
}

void signs(Ops &ops)
{
    for (const bool ftz : {false, true}) {
        const QByteArray tail = QByteArray(ftz ? ".ftz" : "") + ".f32 %d, %a";
        ops.add("neg" + tail, [=](float a) { return operand(-a, ftz); });
        ops.add("abs" + tail, [=](float a) { return operand(std::fabs(a), ftz); });
    }
    ops.add("neg.f64 %d, %a", [](double a) { return -a; });
    ops.add("abs.f64 %d, %a", [](double a) { return std::fabs(a); });
    // The sign of a and the rest of b, NaN or not.
    ops.add("copysign.f32 %d, %a, %b",
        [](u32 a, u32 b) { return (a & 0x80000000u) | (b & 0x7fffffffu); });
    ops.add("copysign.f64 %d, %a, %b", [](u64 a, u64 b) {
        constexpr u64 Sign = u64(1) << 63;
        return (a & Sign) | (b & ~Sign);
    });
    ops.add("mov.f32 %d, %a", [](u32 a) { return a; });
    ops.add("mov.f64 %d, %a", [](u64 a) { return a; });
    ops.add("mov.f32 %d, 0f3FC00000", [](u32) { return 1.5f; });
    ops.add("mov.f64 %d, 0dC00C000000000000", [](u64) { return -3.5; });
}

template <class T> void properties(Ops &ops, const QByteArray &type)
{
    struct Property {
        const char *name;
        bool nan, infinite, zero, subnormal, normal;
    };
    constexpr Property List[] = {{"finite", false, false, true, true, true},
        {"infinite", false, true, false, false, false}, {"number", false, true, true, true, true},
        {"notanumber", true, false, false, false, false},
        {"normal", false, false, true, false, true},
        {"subnormal", false, false, false, true, false}};
    for (const Property &property : List)
        ops.add(QByteArray("testp.") + property.name + "." + type + " %d, %a", [=](T a) {
            switch (std::fpclassify(a)) {
            case FP_NAN:
                return property.nan;
            case FP_INFINITE:
                return property.infinite;
            case FP_ZERO:
                return property.zero;
            case FP_SUBNORMAL:
                return property.subnormal;
            default:
                return property.normal;
            }
        });
}

} // namespace

/// f32 and f64 arithmetic with every rounding (PTX ISA 9.7.3). Approximations are elsewhere.
class TestPtxFloat : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        rounded<float>(ops, "f32");
        rounded<double>(ops, "f64");
        extrema(ops);
        signs(ops);
        properties<float>(ops, "f32");
        properties<double>(ops, "f64");
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxFloat)
#include "tst_ptx_float.moc"
