#include "ptxharness.h"

using namespace ptxtest;

namespace {

template <class T> constexpr u32 Width = 8 * sizeof(T);

template <class T> bool bit(T value, u32 i)
{
    return (std::make_unsigned_t<T>(value) >> i) & 1u;
}

/// A number from a function of the bit's position.
template <class T, class F> T fromBitsOf(F f)
{
    u64 value = 0;
    for (u32 i = 0; i < Width<T>; ++i)
        value |= u64(f(i)) << i;
    return T(value);
}

template <class T> void logic(Ops &ops, const QByteArray &type)
{
    ops.add("and." + type + " %d, %a, %b", [](T a, T b) { return T(a & b); });
    ops.add("or." + type + " %d, %a, %b", [](T a, T b) { return T(a | b); });
    ops.add("xor." + type + " %d, %a, %b", [](T a, T b) { return T(a ^ b); });
    ops.add("not." + type + " %d, %a", [](T a) { return T(~a); });
    ops.add("cnot." + type + " %d, %a", [](T a) { return T(a == 0); });
    ops.add("xor." + type + " %d, %a, -2", [](T a) { return T(a ^ T(-2)); });
    ops.add("mov." + type + " %d, %a", [](T a) { return a; });
}

template <class T> void shifts(Ops &ops, const QByteArray &bits)
{
    using S = std::make_signed_t<T>;
    ops.add("shl.b" + bits + " %d, %a, %b",
        [](T a, u32 b) { return b >= Width<T> ? T(0) : T(u64(a) << b); });
    for (const char *type : {"b", "u"})
        ops.add(QByteArray("shr.") + type + bits + " %d, %a, %b",
            [](T a, u32 b) { return b >= Width<T> ? T(0) : T(a >> b); });
    ops.add("shr.s" + bits + " %d, %a, %b", [](T a, u32 b) {
        return fromBitsOf<T>([&](u32 i) {
            const u64 from = u64(i) + b;
            return bit(a, from < Width<T> ? u32(from) : Width<T> - 1);
        });
    });
    ops.add("shr.s" + bits + " %d, %a, 3", [](T a) { return T(S(a) >> 3); });
    ops.add("shl.b" + bits + " %d, %a, 64", [](T) { return T(0); });
}

template <class T> void fields(Ops &ops, const QByteArray &bits)
{
    // ISA: positions and lengths go to 255, where an H200 ends too; a field past the top has the
    // sign's bits.
    const QByteArray limited = "and.b32 %b, %b, 255;\nand.b32 %c, %c, 255;\n";
    const auto extract = [](T a, u32 b, u32 c, bool isSigned) {
        const u32 position = b & 0xffu, length = c & 0xffu;
        const u32 top = std::min(position + length - 1, Width<T> - 1);
        const bool sign = isSigned && length > 0 && bit(a, top);
        return fromBitsOf<T>([&](u32 i) {
            return i < length && position + i < Width<T> ? bit(a, position + i) : sign;
        });
    };
    ops.add(limited + "bfe.u" + bits + " %d, %a, %b, %c",
        [=](T a, u32 b, u32 c) { return extract(a, b, c, false); });
    ops.add(limited + "bfe.s" + bits + " %d, %a, %b, %c",
        [=](T a, u32 b, u32 c) { return extract(a, b, c, true); });
    ops.add(limited.mid(limited.indexOf('\n') + 1) + "and.b32 %e, %e, 255;\nbfi.b" + bits
            + " %d, %a, %b, %c, %e",
        [](T a, T b, u32 c, u32 e) {
            const u32 position = c & 0xffu, length = e & 0xffu;
            return fromBitsOf<T>([&](u32 i) {
                return i >= position && i - position < length ? bit(a, i - position) : bit(b, i);
            });
        });
    ops.add("brev.b" + bits + " %d, %a",
        [](T a) { return fromBitsOf<T>([&](u32 i) { return bit(a, Width<T> - 1 - i); }); });
    ops.add("popc.b" + bits + " %d, %a", [](T a) {
        u32 count = 0;
        for (u32 i = 0; i < Width<T>; ++i)
            count += bit(a, i);
        return count;
    });
    ops.add("clz.b" + bits + " %d, %a", [](T a) {
        u32 count = 0;
        while (count < Width<T> && !bit(a, Width<T> - 1 - count))
            ++count;
        return count;
    });
    for (const bool isSigned : {false, true}) {
        const QByteArray type = (isSigned ? "s" : "u") + bits;
        const auto find = [=](T a) {
            const bool other = isSigned && bit(a, Width<T> - 1);
            for (u32 i = Width<T>; i-- > 0;)
                if (bit(a, i) != other)
                    return i;
            return 0xffffffffu;
        };
        ops.add("bfind." + type + " %d, %a", find);
        ops.add("bfind.shiftamt." + type + " %d, %a", [=](T a) {
            const u32 at = find(a);
            return at == 0xffffffffu ? at : Width<T> - 1 - at;
        });
    }
}

u32 byteOf(u32 a, u32 b, u32 i)
{
    return u32((u64(b) << 32 | a) >> (8 * (i & 7u))) & 0xffu;
}

/// The ISA's table of prmt's special modes: which bytes, from the least significant up.
void permutes(Ops &ops)
{
    ops.add("prmt.b32 %d, %a, %b, %c", [](u32 a, u32 b, u32 c) {
        u32 result = 0;
        for (u32 i = 0; i < 4; ++i) {
            const u32 select = (c >> (4 * i)) & 0xfu;
            u32 value = byteOf(a, b, select);
            if (select & 8u)
                value = value & 0x80u ? 0xffu : 0u;
            result |= value << (8 * i);
        }
        return result;
    });
    struct Special {
        const char *name;
        u8 bytes[4][4];
    };
    constexpr Special Modes[] = {{"f4e", {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
        {"b4e", {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
        {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
        {"ecl", {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
        {"ecr", {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
        {"rc16", {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}};
    for (const Special &mode : Modes)
        ops.add(QByteArray("prmt.b32.") + mode.name + " %d, %a, %b, %c", [=](u32 a, u32 b, u32 c) {
            u32 result = 0;
            for (u32 i = 0; i < 4; ++i)
                result |= byteOf(a, b, mode.bytes[c & 3u][i]) << (8 * i);
            return result;
        });
}

void funnels(Ops &ops)
{
    for (const bool wrap : {false, true}) {
        const QByteArray mode = wrap ? "wrap" : "clamp";
        const auto count = [=](u32 c) { return wrap ? c & 31u : std::min(c, 32u); };
        ops.add("shf.l." + mode + ".b32 %d, %a, %b, %c",
            [=](u32 a, u32 b, u32 c) { return u32(((u128(b) << 32 | a) << count(c)) >> 32); });
        ops.add("shf.r." + mode + ".b32 %d, %a, %b, %c",
            [=](u32 a, u32 b, u32 c) { return u32((u64(b) << 32 | a) >> count(c)); });
        // bmsk and szext clamp or wrap at 32.
        ops.add("bmsk." + mode + ".b32 %d, %a, %b", [=](u32 a, u32 b) {
            const u32 from = wrap ? a & 31u : std::min(a, 32u);
            const u32 length = wrap ? b & 31u : std::min(b, 32u);
            return fromBitsOf<u32>([&](u32 i) { return i >= from && i - from < length; });
        });
        ops.add("szext." + mode + ".u32 %d, %a, %b", [=](u32 a, u32 b) {
            const u32 length = wrap ? b & 31u : std::min(b, 32u);
            return fromBitsOf<u32>([&](u32 i) { return i < length && bit(a, i); });
        });
        ops.add("szext." + mode + ".s32 %d, %a, %b", [=](u32 a, u32 b) {
            const u32 length = wrap ? b & 31u : std::min(b, 32u);
            return fromBitsOf<u32>(
                [&](u32 i) { return length > 0 && bit(a, std::min(i, length - 1)); });
        });
    }
}

/// Element i of `bits` bits.
s64 element(u32 value, u32 i, u32 bits, bool isSigned)
{
    const u32 raw = (value >> (bits * i)) & ((1u << bits) - 1);
    return isSigned && bit(raw, bits - 1) ? s64(raw) - (s64(1) << bits) : s64(raw);
}

void dotProducts(Ops &ops)
{
    for (const bool aSigned : {false, true})
        for (const bool bSigned : {false, true}) {
            const QByteArray types = QByteArray(aSigned ? ".s32" : ".u32")
                + (bSigned ? ".s32" : ".u32") + " %d, %a, %b, %c";
            ops.add("dp4a" + types, [=](u32 a, u32 b, u32 c) {
                s64 sum = c;
                for (u32 i = 0; i < 4; ++i)
                    sum += element(a, i, 8, aSigned) * element(b, i, 8, bSigned);
                return u32(sum);
            });
            for (const u32 high : {0u, 1u})
                ops.add((high ? "dp2a.hi" : "dp2a.lo") + types, [=](u32 a, u32 b, u32 c) {
                    s64 sum = c;
                    for (u32 i = 0; i < 2; ++i)
                        sum += element(a, i, 16, aSigned) * element(b, i + 2 * high, 8, bSigned);
                    return u32(sum);
                });
        }
}

} // namespace

/// Logic, shifts, fields and byte permutations (PTX ISA 9.7.1 and 9.7.8).
class TestPtxBitfield : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        logic<u16>(ops, "b16");
        logic<u32>(ops, "b32");
        logic<u64>(ops, "b64");
        shifts<u16>(ops, "16");
        shifts<u32>(ops, "32");
        shifts<u64>(ops, "64");
        fields<u32>(ops, "32");
        fields<u64>(ops, "64");
        permutes(ops);
        funnels(ops);
        dotProducts(ops);
        // The ISA's own program, on bases it defines.
        ops.add("and.b32 %b, %b, 31;\nshr.s32 %c, %c, 26;\nfns.b32 %d, %a, %b, %c",
            [](u32 a, u32 b, s32 c) {
                b &= 31u;
                c >>= 26;
                if (c == 0)
                    return bit(a, b) ? b : 0xffffffffu;
                s64 left = c < 0 ? -s64(c) : s64(c);
                for (s64 i = b; i >= 0 && i < 32; i += c < 0 ? -1 : 1)
                    if (bit(a, u32(i)) && --left == 0)
                        return u32(i);
                return 0xffffffffu;
            });
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }

    void everyTable_data()
    {
        Ops ops;
        for (u32 table = 0; table < 256; ++table)
            ops.add(
                "lop3.b32 %d, %a, %b, %c, " + QByteArray::number(table), [=](u32 a, u32 b, u32 c) {
                    return fromBitsOf<u32>([&](u32 i) {
                        return bit(table, u32(bit(a, i)) << 2 | u32(bit(b, i)) << 1 | bit(c, i));
                    });
                });
        ops.newRows();
    }
    void everyTable()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }

    void predicates_data()
    {
        Ops ops;
        ops.add("and.pred %d, %a, %b", [](bool a, bool b) { return a && b; });
        ops.add("or.pred %d, %a, %b", [](bool a, bool b) { return a || b; });
        ops.add("xor.pred %d, %a, %b", [](bool a, bool b) { return a != b; });
        ops.add("not.pred %d, %a", [](bool a) { return !a; });
        ops.add("mov.pred %d, %a", [](bool a) { return a; });
        ops.add("mov.pred %d, 1", [](bool) { return true; });
        ops.add("mov.pred %d, 0", [](bool) { return false; });
        ops.newRows();
    }
    void predicates()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxBitfield)
#include "tst_ptx_bitfield.moc"
