#include "ptxformats.h"

using namespace ptxtest;

namespace {

constexpr double Inf = std::numeric_limits<double>::infinity();

/// The bounds that the ISA states, as powers of two.
double power(double exponent)
{
    return std::exp2(exponent);
}

/// f of one f32 with and without .ftz; `bounded(x, exact)` gives the bounds.
template <class F, class B>
void unary(Ops &ops, const QByteArray &name, F f, B bounded, const std::vector<u64> &more = {})
{
    for (const bool ftz : {false, true}) {
        const auto define = [=](float a) {
            const float x = ftz ? flushed(a) : a;
            const double exact = f(double(x));
            Near<float> near = bounded(double(x), exact);
            near.value = ftz && std::fabs(exact) < 0x1p-126 ? std::copysign(0.0, exact) : exact;
            return near;
        };
        Op op = makeOp(
            name + (ftz ? ".ftz" : "") + ".f32 %d, %a", define, &decltype(define)::operator());
        op.more = more;
        ops.add(op);
    }
}

/// Values spread evenly over a range.
std::vector<u64> spread(float from, float to)
{
    std::vector<u64> values;
    for (int i = 0; i <= 2000; ++i)
        values.push_back(std::bit_cast<u32>(from + (to - from) * float(i) / 2000));
    return values;
}

void singles(Ops &ops)
{
    // One ulp is at most 2^-23 relative; a subnormal result has half a unit of 2^-149 more.
    const auto ulps = [](double count) {
        return [=](double, double exact) {
            return Near<float>{exact, count * 0x1p-23, count * 0x1p-149};
        };
    };
    unary(
        ops, "rcp.approx", [](double x) { return 1 / x; }, ulps(1));
    unary(
        ops, "sqrt.approx", [](double x) { return std::sqrt(x); }, ulps(1));
    unary(
        ops, "rsqrt.approx", [](double x) { return 1 / std::sqrt(x); },
        [](double, double exact) {
            return Near<float>{exact, power(-22.9), 0};
        });
    unary(
        ops, "ex2.approx", [](double x) { return std::exp2(x); }, ulps(2), spread(-152.0f, 129.0f));
    unary(
        ops, "lg2.approx", [](double x) { return std::log2(x); },
        [](double x, double exact) {
            return x > 0.5 && x < 2 ? Near<float>{exact, 0, power(-22)}
                                    : Near<float>{exact, power(-22), 0};
        },
        spread(0.4f, 2.5f));
    // Within 2 pi the error is at most 2^-20.5, within 100 pi 2^-14.7; beyond nothing is said.
    const auto circular = [](double x, double exact) {
        const double pi = 3.14159265358979;
        return Near<float>{exact, 0,
            std::fabs(x) <= 2 * pi         ? power(-20.5)
                : std::fabs(x) <= 100 * pi ? power(-14.7)
                                           : 2.0};
    };
    unary(
        ops, "sin.approx", [](double x) { return std::sin(x); }, circular, spread(-314.0f, 314.0f));
    unary(
        ops, "cos.approx", [](double x) { return std::cos(x); }, circular, spread(-314.0f, 314.0f));
    const auto hyperbolic = [](float a) {
        return Near<float>{std::tanh(double(a)), power(-11), 0};
    };
    Op op = makeOp("tanh.approx.f32 %d, %a", hyperbolic, &decltype(hyperbolic)::operator());
    op.more = spread(-10.0f, 10.0f);
    ops.add(op);
}

void quotients(Ops &ops)
{
    for (const bool ftz : {false, true})
        for (const bool full : {false, true})
            ops.add(QByteArray(full ? "div.full" : "div.approx") + (ftz ? ".ftz" : "")
                    + ".f32 %d, %a, %b",
                [=](float a, float b) {
                    const double x = ftz ? flushed(a) : a, y = ftz ? flushed(b) : b;
                    double exact = x / y;
                    // div.approx has a gap for the largest divisors.
                    if (!full && std::fabs(y) > 0x1p126 && std::fabs(y) < 0x1p128)
                        exact = std::isinf(x) ? NAN : x * std::copysign(0.0, y);
                    if (ftz && std::fabs(exact) < 0x1p-126)
                        exact = std::copysign(0.0, exact);
                    return Near<float>{exact, 2 * 0x1p-23, 2 * 0x1p-149};
                });
}

void doubles(Ops &ops)
{
    const auto flush
        = [](double x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x; };
    // Only the upper words of operand and result count, which is a relative 2^-20.
    const auto upper = [](double x) {
        return std::isnan(x) ? x : std::bit_cast<double>(std::bit_cast<u64>(x) >> 32 << 32);
    };
    ops.add("rcp.approx.ftz.f64 %d, %a", [=](double a) {
        return Near<double>{flush(1 / upper(flush(a))), 0x1p-20, 0};
    });
    ops.add("rsqrt.approx.ftz.f64 %d, %a", [=](double a) {
        return Near<double>{flush(1 / std::sqrt(upper(flush(a)))), 0x1p-20, 0};
    });
    ops.add("rsqrt.approx.f64 %d, %a", [](double a) {
        return Near<double>{1 / std::sqrt(a), 0x1p-51, 0};
    });
}

/// All 65536 patterns of a 16-bit format.
template <class T, class F>
void sixteen(Ops &ops, const QByteArray &text, const Format &format, bool ftz, F f, double relative,
    double absolute)
{
    Op op{text + " %d, %a", {kindOf<T>()}, {kindOf<T>()},
        [=](const u64 *in, Wanted *out) {
            const double least = std::ldexp(1.0, 1 - format.bias());
            const auto flush
                = [=](double x) { return ftz && std::fabs(x) < least ? std::copysign(0.0, x) : x; };
            const double exact = flush(f(flush(valueOf(format, in[0]))));
            *out = {rounded(format, exact), true, exact, relative, absolute};
        },
        {}};
    for (u64 pattern = 0; pattern < 0x10000; ++pattern)
        op.more.push_back(pattern);
    ops.add(op);
}

void halves(Ops &ops)
{
    const auto ex2 = [](double x) { return std::exp2(x); };
    const auto tanh = [](double x) { return std::tanh(x); };
    // A subnormal result may be half a unit off.
    sixteen<Half>(ops, "ex2.approx.f16", F16Format, false, ex2, power(-9.9), 0x1p-25);
    sixteen<Brain>(ops, "ex2.approx.ftz.bf16", BF16Format, true, ex2, power(-7), 0);
    sixteen<Half>(ops, "tanh.approx.f16", F16Format, false, tanh, 0, power(-10.987));
    sixteen<Brain>(ops, "tanh.approx.bf16", BF16Format, false, tanh, 0, power(-8));
    // A packed instruction is the scalar one on both halves.
    for (const char *name :
        {"ex2.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.f16", "tanh.approx.bf16"}) {
        const QByteArray one = name;
        ops.add("{\n.reg .b16 l, h;\n.reg .b32 x;\n" + one + "x2 x, %a;\nmov.b32 {l, h}, %a;\n"
                + one + " l, l;\n" + one
                + " h, h;\nmov.b32 %d, {l, h};\nsetp.eq.b32 %q, %d, x;\nmov.b32 %d, 0;\n}",
            [](HalfPair) { return std::pair<u32, bool>(0u, true); });
    }
}

} // namespace

/// The approximations within the error that the PTX ISA states, special values exactly.
class TestPtxApproximate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        singles(ops);
        quotients(ops);
        doubles(ops);
        halves(ops);
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }

    void specialValues_data()
    {
        // From the ISA's tables.
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<float>("input");
        QTest::addColumn<float>("output");
        const float inf = float(Inf);
        const auto row = [](const char *text, float input, float output) {
            QTest::addRow("%s of %g", text, double(input)) << QByteArray(text) << input << output;
        };
        row("ex2.approx.f32", -inf, 0.0f);
        row("ex2.approx.f32", inf, inf);
        row("ex2.approx.f32", -0.0f, 1.0f);
        row("ex2.approx.ftz.f32", -0x1p-149f, 1.0f);
        row("lg2.approx.f32", -0.0f, -inf);
        row("lg2.approx.f32", -1.0f, NAN);
        row("lg2.approx.f32", -inf, NAN);
        row("lg2.approx.f32", inf, inf);
        row("lg2.approx.ftz.f32", 0x1p-149f, -inf);
        row("sin.approx.f32", inf, NAN);
        row("sin.approx.f32", -0.0f, -0.0f);
        row("sin.approx.ftz.f32", -0x1p-149f, -0.0f);
        row("cos.approx.f32", -inf, NAN);
        row("cos.approx.f32", -0.0f, 1.0f);
        row("tanh.approx.f32", -inf, -1.0f);
        row("tanh.approx.f32", -0.0f, -0.0f);
        row("rcp.approx.f32", -0.0f, -inf);
        row("rcp.approx.f32", -inf, -0.0f);
        row("rcp.approx.ftz.f32", -0x1p-149f, -inf);
        row("sqrt.approx.f32", -0.0f, -0.0f);
        row("sqrt.approx.f32", -1.0f, NAN);
        row("sqrt.approx.ftz.f32", -0x1p-149f, -0.0f);
        row("rsqrt.approx.f32", -0.0f, -inf);
        row("rsqrt.approx.f32", inf, 0.0f);
        row("rsqrt.approx.f32", -1.0f, NAN);
        row("rsqrt.approx.ftz.f32", 0x1p-149f, inf);
    }
    void specialValues()
    {
        QFETCH(QByteArray, text);
        QFETCH(float, input);
        QFETCH(float, output);
        Op op{text + " %d, %c", {}, {Kind::Single},
            [=](const u64 *, Wanted *out) { *out = wanted(output); }, {}};
        op.text = ".reg .f32 %c;\nmov.b32 %c, 0x"
            + QByteArray::number(std::bit_cast<u32>(input), 16) + ";\n" + op.text;
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxApproximate)
#include "tst_ptx_approximate.moc"
