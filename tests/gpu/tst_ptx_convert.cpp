#include "ptxformats.h"

using namespace ptxtest;

namespace {

struct Integer {
    const char *name;
    int bits;
    bool isSigned;
    Kind kind() const { return bits == 64 ? Kind::Int64 : bits == 32 ? Kind::Int32 : Kind::Int16; }
    s128 least() const { return isSigned ? -(s128(1) << (bits - 1)) : 0; }
    s128 most() const { return (s128(1) << (isSigned ? bits - 1 : bits)) - 1; }
    /// What the low bits of a register say.
    s128 value(u64 raw) const
    {
        const s128 low = s128(raw) & ((s128(1) << bits) - 1);
        return low > most() ? low - (s128(1) << bits) : low;
    }
    /// A register of at least 16 bits with the low bits of a number, extended as the type is.
    u64 pattern(s128 number) const
    {
        const u64 extended = u64(value(u64(number)));
        return bits == 64 ? extended : bits == 32 ? u32(extended) : u16(extended);
    }
    s128 clamped(s128 number) const { return std::min(std::max(number, least()), most()); }
};
constexpr Integer Integers[]
    = {{"u8", 8, false}, {"s8", 8, true}, {"u16", 16, false}, {"s16", 16, true}, {"u32", 32, false},
        {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

struct Floating {
    const char *name;
    Format format;
    Kind kind;
};
constexpr Floating Floats[] = {{"f16", F16Format, Kind::F16}, {"bf16", BF16Format, Kind::BF16},
    {"f32", F32Format, Kind::Single}, {"f64", F64Format, Kind::Double}};

bool isF32(const Floating &type)
{
    return type.kind == Kind::Single;
}
double source(const Floating &type, u64 bits, bool ftz)
{
    const double x = valueOf(type.format, bits);
    return ftz && isF32(type) ? double(flushed(float(x))) : x;
}
u64 flush(const Floating &type, u64 bits, bool ftz)
{
    return ftz && isF32(type) ? std::bit_cast<u32>(flushed(fromBits<float>(bits))) : bits;
}

/// Numbers at and beside the limits of the integer types.
std::vector<u64> limits(const Floating &type)
{
    std::vector<u64> values;
    for (const Integer &integer : Integers)
        for (const s128 limit : {integer.least(), integer.most(), integer.most() + 1})
            for (const double step : {-1.0, -0.5, 0.0, 0.5, 1.0})
                values.push_back(rounded(type.format, Quad(limit) + Quad(step)));
    for (const double x : {0.25, 0.75, 2.5, 3.5, -1.5, -3.5, 1e-3, 127.5, 128.5, -128.5, 65504.0})
        values.push_back(rounded(type.format, x));
    return values;
}

constexpr std::pair<const char *, Round> Integral[]
    = {{"rni", Round::Nearest}, {"rzi", Round::Zero}, {"rmi", Round::Down}, {"rpi", Round::Up}};

double integral(double x, Round round)
{
    switch (round) {
    case Round::Nearest:
        return std::nearbyint(x);
    case Round::Zero:
        return std::trunc(x);
    case Round::Down:
        return std::floor(x);
    default:
        return std::ceil(x);
    }
}

/// Adds a row if the ISA has such a conversion.
void addIf(Ops &ops, bool exists, Op op)
{
    if (exists)
        ops.add(std::move(op));
}

bool isBrain(const Floating &type)
{
    return type.kind == Kind::BF16;
}

void integerToInteger(Ops &ops)
{
    for (const Integer &to : Integers)
        for (const Integer &from : Integers)
            for (const bool sat : {false, true})
                // There is .sat only where a value may not fit.
                addIf(ops, !sat || from.least() < to.least() || to.most() < from.most(),
                    {QByteArray(sat ? "cvt.sat." : "cvt.") + to.name + "." + from.name + " %d, %a",
                        {from.kind()}, {to.kind()},
                        [=](const u64 *in, Wanted *out) {
                            const s128 value = from.value(in[0]);
                            out->bits = to.pattern(sat ? to.clamped(value) : value);
                        },
                        {}});
    // Registers wider than the types.
    ops.add("cvt.u32.u8 %d, %a", [](u32 a) { return u32(u8(a)); });
    ops.add("cvt.s32.s8 %d, %a", [](u32 a) { return s32(s8(a)); });
    ops.add("cvt.u8.u32 %d, %a", [](u32 a) { return u32(u8(a)); });
    ops.add("cvt.s8.s32 %d, %a", [](u32 a) { return s32(s8(a)); });
    ops.add("cvt.s16.s64 %d, %a", [](u64 a) { return s64(s16(a)); });
    ops.add("cvt.u16.u32 %d, %a", [](u64 a) { return u32(u16(a)); });
    ops.add("cvt.sat.s8.s64 %d, %a", [](s64 a) {
        return s32(a < -128 ? -128 : a > 127 ? 127 : a);
    });
}

void floatToInteger(Ops &ops)
{
    for (const Floating &from : Floats)
        for (const Integer &to : Integers)
            for (const auto &[name, round] : Integral)
                for (const bool ftz : {false, true})
                    addIf(ops, (!ftz || isF32(from)) && (!isBrain(from) || to.bits > 8),
                        {QByteArray("cvt.") + name + (ftz ? ".ftz." : ".") + to.name + "."
                                + from.name + " %d, %a",
                            {from.kind}, {to.kind()},
                            [from = from, to = to, round = round, ftz](const u64 *in, Wanted *out) {
                                const double x = integral(source(from, in[0], ftz), round);
                                if (std::isnan(x)) {
                                    const bool wide = to.bits == 64 || from.kind == Kind::Double;
                                    out->bits = to.pattern(wide ? s128(1) << (to.bits - 1) : 0);
                                    return;
                                }
                                const double inside = std::min(std::max(x, -0x1p100), 0x1p100);
                                out->bits = to.pattern(to.clamped(s128(inside)));
                            },
                            limits(from)});
}

void integerToFloat(Ops &ops)
{
    for (const Integer &from : Integers)
        for (const Floating &to : Floats)
            for (const auto &[name, round] : Rounds)
                for (const bool sat : {false, true})
                    addIf(ops, !isBrain(to) || (from.bits > 8 && !sat),
                        {QByteArray("cvt.") + name + (sat ? ".sat." : ".") + to.name + "."
                                + from.name + " %d, %a",
                            {from.kind()}, {to.kind},
                            [from = from, to = to, round = round, sat](const u64 *in, Wanted *out) {
                                s128 value = from.value(in[0]);
                                if (sat)
                                    value = value > 0 ? 1 : 0;
                                out->bits = rounded(to.format, Quad(value), round);
                            },
                            {}});
}

void floatToFloat(Ops &ops)
{
    for (const Floating &from : Floats)
        for (const Floating &to : Floats) {
            // Exact conversions take no rounding.
            const bool exact = from.format.width() < to.format.width() || from.kind == to.kind;
            for (const auto &[name, round] : Rounds)
                for (int bits = 0; bits < 4; ++bits) {
                    const bool ftz = bits & 1, sat = bits & 2;
                    if ((exact && round != Round::Nearest) || from.kind == to.kind
                        || (ftz && !isF32(from) && !isF32(to))
                        || (sat && (isBrain(from) || isBrain(to))))
                        continue;
                    const QByteArray rounding = exact ? QByteArray() : QByteArray(".") + name;
                    ops.add({"cvt" + rounding + (ftz ? ".ftz" : "") + (sat ? ".sat." : ".")
                            + to.name + "." + from.name + " %d, %a",
                        {from.kind}, {to.kind},
                        [from = from, to = to, round = round, ftz, sat](
                            const u64 *in, Wanted *out) {
                            const double x = source(from, in[0], ftz);
                            const double kept = sat ? saturated(x) : x;
                            out->bits = flush(to, rounded(to.format, kept, round), ftz);
                            out->anyNan = true;
                        },
                        limits(from)});
                }
            if (from.kind != to.kind)
                continue;
            for (const auto &[name, round] : Integral)
                for (const bool sat : {false, true})
                    addIf(ops, !sat || !isBrain(from),
                        {QByteArray("cvt.") + name + (sat ? ".sat." : ".") + to.name + "."
                                + from.name + " %d, %a",
                            {from.kind}, {to.kind},
                            [from = from, round = round, sat](const u64 *in, Wanted *out) {
                                const double x = integral(valueOf(from.format, in[0]), round);
                                out->bits = rounded(from.format, sat ? saturated(x) : x);
                                out->anyNan = true;
                            },
                            limits(from)});
        }
}

/// .relu and .satfinite on one f32.
u64 narrowed(const Format &format, float x, Round round, bool relu, bool satFinite)
{
    return rounded(format, relu && x <= 0 ? 0.0f : x, round, satFinite);
}

QByteArray modifiers(const char *rounding, bool relu, bool satFinite)
{
    return QByteArray("cvt.") + rounding + (relu ? ".relu" : "") + (satFinite ? ".satfinite" : "");
}

void narrowFloats(Ops &ops)
{
    for (int bits = 0; bits < 4; ++bits) {
        const bool relu = bits & 1, satFinite = bits & 2;
        for (const auto &[name, round] : {Rounds[0], Rounds[1]}) {
            const QByteArray head = modifiers(name, relu, satFinite);
            for (int k = 0; k < 2; ++k) {
                const Format format = Floats[k].format;
                const auto one = [=, round = round](float x) {
                    return u32(narrowed(format, x, round, relu, satFinite));
                };
                ops.add(head + "." + Floats[k].name + ".f32 %d, %a",
                    [=](float a) { return u16(one(a)); });
                // The first source goes to the upper half.
                ops.add(head + "." + Floats[k].name + "x2.f32 %d, %a, %b",
                    [=](float a, float b) { return one(a) << 16 | one(b); });
            }
        }
        for (const auto &[name, round] : {std::pair("rna", Round::Away), Rounds[0], Rounds[1]}) {
            // .rna takes .satfinite only, the others .relu only.
            if (round == Round::Away ? relu : satFinite)
                continue;
            // Which NaN is open.
            ops.add("{\n.reg .b32 x;\n" + modifiers(name, relu, satFinite)
                    + ".tf32.f32 x, %a;\nmov.b32 %d, x;\n}",
                [=, round = round](float a) {
                    return AnyNan<float>{
                        fromBits<float>(narrowed(Tf32Format, a, round, relu, satFinite) << 13)};
                });
        }
    }
}

/// fp8 comes in pairs: to and from f16x2, and from two f32.
void eightBits(Ops &ops, const char *type, const Format &format)
{
    for (const bool relu : {false, true}) {
        const QByteArray head = modifiers("rn", relu, false);
        ops.add(modifiers("rn", false, true) + (relu ? ".relu." : ".") + type + ".f32 %d, %a, %b",
            [=](float a, float b) {
                return u16(narrowed(format, a, Round::Nearest, relu, true) << 8
                    | narrowed(format, b, Round::Nearest, relu, true));
            });
        ops.add(modifiers("rn", false, true) + (relu ? ".relu." : ".") + type + ".f16x2 %d, %a",
            [=](HalfPair a) {
                const auto one = [&](u32 bits) {
                    return narrowed(
                        format, float(valueOf(F16Format, bits)), Round::Nearest, relu, true);
                };
                return u16(one(a.bits >> 16) << 8 | one(a.bits & 0xffffu));
            });
        Op wide{head + ".f16x2." + type + " %d, %a", {Kind::Int16}, {Kind::F16x2},
            [=](const u64 *in, Wanted *out) {
                const auto one = [&](u64 bits) {
                    const double x = valueOf(format, bits & 0xffu);
                    return rounded(F16Format, relu && x <= 0 ? 0.0 : x);
                };
                out->bits = one(in[0] >> 8) << 16 | one(in[0]);
                out->anyNan = true;
            },
            {}};
        for (u64 pattern = 0; pattern < 256; ++pattern)
            wide.more.push_back(pattern << 8 | (pattern ^ 0x5au));
        ops.add(wide);
    }
}

} // namespace

/// cvt between all types with all roundings (PTX ISA 9.7.9.21).
class TestPtxConvert : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        integerToInteger(ops);
        floatToInteger(ops);
        integerToFloat(ops);
        floatToFloat(ops);
        narrowFloats(ops);
        eightBits(ops, "e4m3x2", E4M3Format);
        eightBits(ops, "e5m2x2", E5M2Format);
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxConvert)
#include "tst_ptx_convert.moc"
