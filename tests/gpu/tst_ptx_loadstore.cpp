#include "ptxharness.h"

using namespace ptxtest;

namespace {

/// Puts %a into 16 aligned bytes of a space that are the thread's own, at [address].
struct Place {
    const char *name; ///< of the instructions: ".shared", or "" for generic addresses
    const char *setUp;
    const char *address;
};
constexpr Place Places[] = {{".global", "", "%ia"}, {"", "", "%ia"},
    {".shared",
        ".shared .align 16 .b8 s[512];\n.reg .b32 p;\nmov.u32 p, s;\n"
        "mad.lo.u32 p, %y, 16, p;\n",
        "p"},
    {".shared::cta",
        ".shared .align 16 .b8 s[512];\n.reg .b64 p;\n.reg .b32 n;\nmov.u64 p, s;\n"
        "mul.lo.u32 n, %y, 16;\ncvt.u64.u32 %wide, n;\nadd.s64 p, p, %wide;\n",
        "p"},
    {"",
        ".shared .align 16 .b8 s[512];\n.reg .b64 p;\nmov.u64 p, s;\ncvta.shared.u64 p, p;\n"
        "mad.wide.u32 p, %y, 16, p;\n",
        "p"},
    {".local", ".local .align 16 .b8 l[16];\n", "l"},
    {".local",
        ".local .align 16 .b8 other[48];\n.local .align 16 .b8 l[16];\n.reg .b64 p;\n"
        "mov.u64 p, l;\n",
        "p"},
    {"", ".local .align 16 .b8 l[16];\n.reg .b64 p;\ncvta.local.u64 p, l;\n", "p"},
    {"", ".local .align 16 .b8 l[16];\n", "l"}};

struct Type {
    const char *name;
    u32 bytes;
    bool isSigned = false;
};
constexpr Type Types[] = {{"u8", 1}, {"s8", 1, true}, {"b8", 1}, {"u16", 2}, {"s16", 2, true},
    {"b16", 2}, {"u32", 4}, {"s32", 4, true}, {"b32", 4}, {"f32", 4}, {"u64", 8}, {"s64", 8, true},
    {"b64", 8}, {"f64", 8}};

constexpr std::pair<Kind, u32> Registers[] = {{Kind::Int16, 2}, {Kind::Int32, 4}, {Kind::Int64, 8}};

/// The bytes of `raw` from `offset` as a register of `width` bytes holds them.
u64 loaded(u64 raw, u32 offset, const Type &type, u32 width)
{
    u64 value = raw >> (8 * offset);
    if (type.bytes < 8) {
        const u64 sign = u64(1) << (8 * type.bytes - 1);
        value &= (sign << 1) - 1;
        if (type.isSigned && (value & sign))
            value |= ~((sign << 1) - 1);
    }
    return width == 8 ? value : value & ((u64(1) << (8 * width)) - 1);
}

bool fits(const Type &type, u32 width)
{
    return width >= type.bytes && (type.name[0] != 'f' || width == type.bytes);
}

QByteArray at(const Place &place, u32 offset)
{
    return QByteArray("[") + place.address + "+" + QByteArray::number(offset) + "]";
}

void loads(Ops &ops, const Place &place)
{
    const QByteArray space = place.name;
    const QByteArray before
        = QByteArray(place.setUp) + "st" + space + ".b64 " + at(place, 0) + ", %a;\n";
    for (const Type &type : Types)
        for (const auto &[kind, width] : Registers)
            for (u32 offset = 0; offset < 8; offset += std::max(type.bytes, 5u - type.bytes))
                if (fits(type, width) && offset % type.bytes == 0)
                    ops.add({"{\n" + before + "ld" + space + "." + type.name + " %d, "
                            + at(place, offset) + ";\n}",
                        {Kind::Int64}, {kind},
                        [=, width = width](const u64 *in, Wanted *out) {
                            out->bits = loaded(in[0], offset, type, width);
                        },
                        {}});
}

void stores(Ops &ops, const Place &place)
{
    const QByteArray space = place.name;
    const QByteArray before
        = QByteArray(place.setUp) + "st" + space + ".b64 " + at(place, 0) + ", %b;\n";
    for (const Type &type : Types)
        for (const auto &[kind, width] : Registers) {
            if (!fits(type, width))
                continue;
            const u32 offset = type.bytes == 8 ? 0 : type.bytes;
            ops.add({"{\n" + before + "st" + space + "." + type.name + " " + at(place, offset)
                    + ", %a;\nld" + space + ".b64 %d, " + at(place, 0) + ";\n}",
                {kind, Kind::Int64}, {Kind::Int64},
                [=](const u64 *in, Wanted *out) {
                    const u64 mask = type.bytes == 8 ? ~u64(0) : ((u64(1) << (8 * type.bytes)) - 1);
                    out->bits
                        = (in[1] & ~(mask << (8 * offset))) | ((in[0] & mask) << (8 * offset));
                },
                {}});
        }
}

void vectors(Ops &ops, const Place &place)
{
    const QByteArray space = place.name;
    const QByteArray start = "{\n" + QByteArray(place.setUp);
    const QByteArray filled = start + "st" + space + ".v2.b64 " + at(place, 0) + ", {%a, %b};\n";
    ops.add(filled + "ld" + space + ".v2.u64 {%d, %q}, " + at(place, 0) + ";\n}",
        [](u64 a, u64 b) { return std::pair<u64, u64>(a, b); });
    ops.add(
        filled + ".reg .b32 w, z;\nld" + space + ".v4.u32 {%d, w, z, %q}, " + at(place, 0) + ";\n}",
        [](u64 a, u64 b) { return std::pair<u32, u32>(u32(a), u32(b >> 32)); });
    ops.add(filled + "ld" + space + ".v2.f32 {%d, %q}, " + at(place, 8) + ";\n}",
        [](u64, u64 b) { return std::pair<u32, u32>(u32(b), u32(b >> 32)); });
    ops.add(filled + "ld" + space + ".v2.s16 {%d, %q}, " + at(place, 4) + ";\n}",
        [](u64 a, u64) { return std::pair<s32, s32>(s16(a >> 32), s16(a >> 48)); });
    ops.add(
        filled + ".reg .b16 x, y;\nld" + space + ".v4.b16 {%d, x, y, %q}, " + at(place, 8) + ";\n}",
        [](u64, u64 b) { return std::pair<u16, u16>(u16(b), u16(b >> 48)); });
    ops.add(
        filled + ".reg .b16 x, y;\nld" + space + ".v4.s8 {x, %d, %q, y}, " + at(place, 12) + ";\n}",
        [](u64, u64 b) { return std::pair<s16, s16>(s8(b >> 40), s8(b >> 48)); });
    const QByteArray back = "ld" + space + ".v2.b64 {%d, %q}, " + at(place, 0) + ";\n}";
    ops.add(filled + "st" + space + ".v4.b32 " + at(place, 0) + ", {%c, %e, 7, -1};\n" + back,
        [](u64, u64, u32 c, u32 e) {
            return std::pair<u64, u64>(u64(e) << 32 | c, 0xffffffff00000007u);
        });
    ops.add(filled + "st" + space + ".v2.u16 " + at(place, 4) + ", {%c, %e};\n" + back,
        [](u64 a, u64 b, u16 c, u16 e) {
            return std::pair<u64, u64>(u32(a) | u64(c) << 32 | u64(e) << 48, b);
        });
    ops.add(filled + "st" + space + ".v4.u8 " + at(place, 8) + ", {%c, %e, %e, %c};\n" + back,
        [](u64 a, u64 b, u16 c, u16 e) {
            const u64 four = u64(u8(c)) | u64(u8(e)) << 8 | u64(u8(e)) << 16 | u64(u8(c)) << 24;
            return std::pair<u64, u64>(a, (b & 0xffffffff00000000u) | four);
        });
}

/// Cache operators, memory order and hints change no result of one thread.
void qualifiers(Ops &ops)
{
    for (const char *load : {"ld.global.ca", "ld.global.cg", "ld.global.cs", "ld.global.lu",
             "ld.global.cv", "ld.global.nc", "ld.volatile.global", "ld.relaxed.gpu.global",
             "ld.relaxed.sys.global", "ld.acquire.cta.global", "ld.weak.global", "ldu.global",
             "ld.global.L1::evict_last", "ld.global.L1::no_allocate.L2::128B", "ld.volatile",
             "ld.global.nc.L1::no_allocate.L2::256B", "ld.relaxed.cluster", "ld.global.L2::64B",
             "ld.mmio.relaxed.sys.global"}) {
        ops.add(QByteArray(load) + ".u32 %d, [%ia+4]", [](u64 a) { return u32(a >> 32); });
        if (!QByteArray(load).contains("mmio"))
            ops.add(QByteArray(load) + ".v2.u32 {%d, %q}, [%ia]",
                [](u64 a) { return std::pair<u32, u32>(u32(a), u32(a >> 32)); });
    }
    const QByteArray policy
        = "{\n.reg .b64 p;\ncreatepolicy.fractional.L2::evict_last.b64 p, 0f3F800000;\n";
    ops.add(policy + "ld.global.L2::cache_hint.u32 %d, [%ia], p;\n}", [](u64 a) { return u32(a); });
    for (const char *store : {"st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt",
             "st.volatile.global", "st.relaxed.gpu.global", "st.release.gpu.global",
             "st.weak.global", "st.global.L1::evict_first", "st.release.sys", "st.volatile"})
        ops.add(QByteArray(store) + ".u32 [%ia], %b;\nld.global.u64 %d, [%ia]",
            [](u64 a, u32 b) { return (a >> 32 << 32) | b; });
    ops.add(policy + "st.global.L2::cache_hint.u32 [%ia], %b, p;\nld.global.u64 %d, [%ia];\n}",
        [](u64 a, u32 b) { return (a >> 32 << 32) | b; });
}

/// mov takes numbers apart and puts them together.
void packing(Ops &ops)
{
    ops.add("mov.b64 %d, {%a, %b}", [](u32 a, u32 b) { return u64(b) << 32 | a; });
    ops.add(
        "mov.b64 {%d, %q}, %a", [](u64 a) { return std::pair<u32, u32>(u32(a), u32(a >> 32)); });
    ops.add("mov.b32 %d, {%a, %b}", [](u16 a, u16 b) { return u32(b) << 16 | a; });
    ops.add(
        "mov.b32 {%d, %q}, %a", [](u32 a) { return std::pair<u16, u16>(u16(a), u16(a >> 16)); });
    ops.add("mov.b64 %d, {%a, %b, %c, %e}",
        [](u16 a, u16 b, u16 c, u16 e) { return u64(e) << 48 | u64(c) << 32 | u64(b) << 16 | a; });
    ops.add("{\n.reg .b16 x, y;\nmov.b64 {x, %d, y, %q}, %a;\n}",
        [](u64 a) { return std::pair<u16, u16>(u16(a >> 16), u16(a >> 48)); });
    ops.add("mov.b64 {_, %d}, %a", [](u64 a) { return u32(a >> 32); });
    ops.add("mov.b32 {%d, _}, %a", [](u32 a) { return u16(a); });
    ops.add("mov.b64 {%d, %q}, %a", [](double a) {
        const u64 bits = std::bit_cast<u64>(a);
        return std::pair<u32, u32>(u32(bits), u32(bits >> 32));
    });
    ops.add("mov.b64 %d, {%a, 5}", [](u32 a) { return u64(5) << 32 | a; });
    // A register on both sides.
    ops.add("mov.b64 %d, %a;\nmov.b64 {%b, %c}, %d;\nmov.b64 %d, {%c, %b}",
        [](u64 a, u32, u32) { return a << 32 | a >> 32; });
}

/// Generic addresses: to and from each space, and which one an address is in.
void conversions(Ops &ops)
{
    const QByteArray spaces[] = {"global", "shared", "local", "const", "param::entry"};
    const QByteArray places[] = {"%ia", "s", "l", "table", ""};
    for (int from = 0; from < 4; ++from) {
        if (from == 3)
            continue; // a module variable: see constants
        const QByteArray make = "{\n.shared .align 8 .b8 s[8];\n.local .align 8 .b8 l[8];\n"
                                ".reg .b64 p;\ncvta."
            + spaces[from] + ".u64 p, " + places[from] + ";\n";
        for (int space = 0; space < 5; ++space)
            ops.add(make + "isspacep." + spaces[space] + " %d, p;\n}",
                [=](u32) { return space == from; });
        ops.add(make + ".reg .b64 r;\nmov.u64 r, " + places[from] + ";\ncvta.to." + spaces[from]
                + ".u64 p, p;\nsetp.eq.u64 %d, p, r;\n}",
            [](u32) { return true; });
    }
    ops.add("{\n.reg .b64 p;\nmov.u64 p, buffer;\ncvta.param.u64 p, p;\n"
            "isspacep.param::entry %d, p;\n}",
        [](u32) { return true; });
    ops.add("{\n.reg .b64 p, x, y;\nmov.u64 p, buffer;\ncvta.param.u64 p, p;\nld.u64 x, [p];\n"
            "ld.param.u64 y, [buffer];\nsetp.eq.u64 %d, x, y;\n}",
        [](u32) { return true; });
}

} // namespace

/// Loads, stores, addresses and moves (PTX ISA 9.7.9) in every space.
class TestPtxLoadStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        for (const Place &place : Places) {
            loads(ops, place);
            stores(ops, place);
            vectors(ops, place);
        }
        qualifiers(ops);
        packing(ops);
        conversions(ops);
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxLoadStore)
#include "tst_ptx_loadstore.moc"
