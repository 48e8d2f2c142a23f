#include "ptxharness.h"

using namespace ptxtest;

namespace {

/// What one lane gets of what all lanes give.
using Lanes = std::function<bool(const Row *warp, unsigned lane, u32 active, Wanted *out)>;

bool has(u32 mask, unsigned lane)
{
    return (mask >> lane) & 1u;
}

void add(Ops &ops, const QByteArray &text, std::vector<Kind> sources, std::vector<Kind> results,
    std::vector<Row> rows, Lanes define)
{
    ops.add(
        {text, std::move(sources), std::move(results), {}, {}, std::move(rows), std::move(define)});
}

/// Values for whole warps: equal, distinct, few different ones, extremes.
std::vector<Row> values()
{
    std::vector<Row> rows;
    std::mt19937_64 random(3);
    for (int kind = 0; kind < 12; ++kind)
        for (u64 lane = 0; lane < 32; ++lane) {
            const u64 extremes[] = {0, ~u64(0), u64(1) << 31, u64(1) << 63, 0x7fffffff};
            const u64 value = kind == 0 ? 42
                : kind == 1             ? lane * 0x9e3779b97f4a7c15
                : kind == 2             ? extremes[random() % 5]
                : kind == 3             ? (lane == 7 ? 1 : 0)
                : kind < 8              ? random() % 3
                                        : random();
            rows.push_back({value, 0, 0, 0});
        }
    return rows;
}

/// Votes: none, all, one of each lane, random ones.
std::vector<Row> votes()
{
    std::vector<Row> rows;
    std::mt19937_64 random(5);
    for (int kind = 0; kind < 64; ++kind) {
        const u32 mask = kind == 0 ? 0u
            : kind == 1            ? ~0u
            : kind < 34            ? 1u << (kind - 2)
            : kind == 34           ? 0xaaaaaaaau
            : kind == 35           ? 0x55555555u
                                   : u32(random());
        for (unsigned lane = 0; lane < 32; ++lane)
            rows.push_back({has(mask, lane), 0, 0, 0});
    }
    return rows;
}

/// The ISA's program for shfl.
void shuffles(Ops &ops)
{
    std::vector<Row> rows;
    for (u64 segment = 0; segment < 32; ++segment)
        for (const u64 clamp : {0, 3, 15, 31})
            for (const u64 b : {0, 1, 2, 5, 16, 31, 33, 100})
                for (u64 lane = 0; lane < 32; ++lane)
                    // The last of them differs from lane to lane.
                    rows.push_back({lane * 0x01010101 + 7, b == 100 ? lane * 7 + 1 : b,
                        segment << 8 | clamp, 0});
    const char *modes[] = {"up", "down", "bfly", "idx"};
    for (int mode = 0; mode < 4; ++mode)
        for (const bool predicate : {true, false})
            add(ops,
                QByteArray("shfl.sync.") + modes[mode] + ".b32 %d" + (predicate ? "|%q" : "")
                    + ", %a, %b, %c, %active",
                {Kind::Int32, Kind::Int32, Kind::Int32},
                predicate ? std::vector<Kind>{Kind::Int32, Kind::Predicate}
                          : std::vector<Kind>{Kind::Int32},
                rows, [=](const Row *warp, unsigned lane, u32 active, Wanted *out) {
                    const int b = int(warp[lane][1] & 31), c = int(warp[lane][2] & 31);
                    const int segment = int(warp[lane][2] >> 8 & 31), self = int(lane);
                    const int most = (self & segment) | (c & ~segment);
                    const int least = self & segment;
                    const int from = mode == 0 ? self - b
                        : mode == 1            ? self + b
                        : mode == 2            ? self ^ b
                                               : least | (b & ~segment);
                    const bool inside = mode == 0 ? from >= most : from <= most;
                    const int source = inside ? from : self;
                    out[0].bits = u32(warp[source & 31][0]);
                    out[1].bits = inside;
                    return source >= 0 && source < 32 && has(active, unsigned(source));
                });
}

void voting(Ops &ops)
{
    const auto tally = [](const Row *warp, u32 active, bool negated) {
        u32 yes = 0;
        for (unsigned lane = 0; lane < 32; ++lane)
            yes |= u32((warp[lane][0] != 0) != negated) << lane;
        return yes & active;
    };
    for (const bool negated : {false, true}) {
        const QByteArray source = QByteArray(negated ? ", !%a" : ", %a") + ", %active";
        add(ops, "vote.sync.all.pred %d" + source, {Kind::Predicate}, {Kind::Predicate}, votes(),
            [=](const Row *warp, unsigned, u32 active, Wanted *out) {
                out->bits = tally(warp, active, negated) == active;
                return true;
            });
        add(ops, "vote.sync.any.pred %d" + source, {Kind::Predicate}, {Kind::Predicate}, votes(),
            [=](const Row *warp, unsigned, u32 active, Wanted *out) {
                out->bits = tally(warp, active, negated) != 0;
                return true;
            });
        add(ops, "vote.sync.uni.pred %d" + source, {Kind::Predicate}, {Kind::Predicate}, votes(),
            [=](const Row *warp, unsigned, u32 active, Wanted *out) {
                const u32 yes = tally(warp, active, negated);
                out->bits = yes == 0 || yes == active;
                return true;
            });
        add(ops, "vote.sync.ballot.b32 %d" + source, {Kind::Predicate}, {Kind::Int32}, votes(),
            [=](const Row *warp, unsigned, u32 active, Wanted *out) {
                out->bits = tally(warp, active, negated);
                return true;
            });
    }
}

void matching(Ops &ops)
{
    for (const Kind kind : {Kind::Int32, Kind::Int64}) {
        const QByteArray type = kind == Kind::Int32 ? ".b32" : ".b64";
        const auto equal = [=](const Row *warp, unsigned lane, u32 active) {
            u32 same = 0;
            for (unsigned other = 0; other < 32; ++other) {
                const u64 difference = warp[other][0] ^ warp[lane][0];
                same |= u32(kind == Kind::Int32 ? u32(difference) == 0 : difference == 0) << other;
            }
            return same & active;
        };
        add(ops, "match.any.sync" + type + " %d, %a, %active", {kind}, {Kind::Int32}, values(),
            [=](const Row *warp, unsigned lane, u32 active, Wanted *out) {
                out->bits = equal(warp, lane, active);
                return true;
            });
        add(ops, "match.all.sync" + type + " %d|%q, %a, %active", {kind},
            {Kind::Int32, Kind::Predicate}, values(),
            [=](const Row *warp, unsigned lane, u32 active, Wanted *out) {
                const bool all = equal(warp, lane, active) == active;
                out[0].bits = all ? active : 0;
                out[1].bits = all;
                return true;
            });
        add(ops, "match.all.sync" + type + " %d, %a, %active", {kind}, {Kind::Int32}, values(),
            [=](const Row *warp, unsigned lane, u32 active, Wanted *out) {
                out->bits = equal(warp, lane, active) == active ? active : 0;
                return true;
            });
    }
}

void reductions(Ops &ops)
{
    struct Reduction {
        const char *name;
        u32 (*f)(u32, u32);
    };
    const Reduction list[] = {{"add.u32", [](u32 a, u32 b) { return a + b; }},
        {"add.s32", [](u32 a, u32 b) { return a + b; }},
        {"min.u32", [](u32 a, u32 b) { return std::min(a, b); }},
        {"max.u32", [](u32 a, u32 b) { return std::max(a, b); }},
        {"min.s32", [](u32 a, u32 b) { return u32(std::min(s32(a), s32(b))); }},
        {"max.s32", [](u32 a, u32 b) { return u32(std::max(s32(a), s32(b))); }},
        {"and.b32", [](u32 a, u32 b) { return a & b; }},
        {"or.b32", [](u32 a, u32 b) { return a | b; }},
        {"xor.b32", [](u32 a, u32 b) { return a ^ b; }}};
    for (const Reduction &reduction : list) {
        const auto over = [f = reduction.f](const Row *warp, u32 members) {
            const auto first = unsigned(std::countr_zero(members));
            u32 result = u32(warp[first][0]);
            for (unsigned lane = first + 1; lane < 32; ++lane)
                if (has(members, lane))
                    result = f(result, u32(warp[lane][0]));
            return result;
        };
        const QByteArray name = QByteArray("redux.sync.") + reduction.name;
        add(ops, name + " %d, %a, %active", {Kind::Int32}, {Kind::Int32}, values(),
            [=](const Row *warp, unsigned, u32 active, Wanted *out) {
                out->bits = over(warp, active);
                return true;
            });
        // Quarters of the warp, each with its own mask, in one instruction.
        add(ops,
            "{\n.reg .b32 m;\nand.b32 m, %y, 24;\nshl.b32 m, 255, m;\nand.b32 m, m, %active;\n"
                + name + " %d, %a, m;\n}",
            {Kind::Int32}, {Kind::Int32}, values(),
            [=](const Row *warp, unsigned lane, u32 active, Wanted *out) {
                out->bits = over(warp, active & (0xffu << (lane & 24)));
                return true;
            });
    }
}

void others(Ops &ops)
{
    add(ops, "activemask.b32 %d", {Kind::Int32}, {Kind::Int32}, values(),
        [](const Row *, unsigned, u32 active, Wanted *out) {
            out->bits = active;
            return true;
        });
    add(ops, "elect.sync %d|%q, %active", {Kind::Int32}, {Kind::Int32, Kind::Predicate}, values(),
        [](const Row *, unsigned lane, u32 active, Wanted *out) {
            out[0].bits = u32(std::countr_zero(active));
            out[1].bits = lane == out[0].bits;
            return true;
        });
    add(ops, "elect.sync _|%d, %active", {Kind::Int32}, {Kind::Predicate}, values(),
        [](const Row *, unsigned lane, u32 active, Wanted *out) {
            out[0].bits = lane == u32(std::countr_zero(active));
            return true;
        });
    // What a lane may read of its place.
    const std::pair<const char *, u32 (*)(u32)> registers[]
        = {{"%laneid", [](u32 lane) { return lane; }}, {"%tid.x", [](u32 lane) { return lane; }},
            {"%ntid.x", [](u32) { return 32u; }}, {"%tid.y", [](u32) { return 0u; }},
            {"%ntid.z", [](u32) { return 1u; }}, {"%nctaid.y", [](u32) { return 1u; }},
            {"%warpid", [](u32) { return 0u; }}, {"%nwarpid", [](u32) { return 64u; }},
            {"%lanemask_eq", [](u32 lane) { return 1u << lane; }},
            {"%lanemask_lt", [](u32 lane) { return (1u << lane) - 1; }},
            {"%lanemask_le", [](u32 lane) { return (1u << lane) | ((1u << lane) - 1); }},
            {"%lanemask_gt", [](u32 lane) { return ~((1u << lane) | ((1u << lane) - 1)); }},
            {"%lanemask_ge", [](u32 lane) { return ~((1u << lane) - 1); }},
            {"%cluster_nctarank", [](u32) { return 1u; }}, {"WARP_SZ", [](u32) { return 32u; }}};
    for (const auto &[name, f] : registers)
        add(ops, QByteArray("mov.u32 %d, ") + name, {Kind::Int32}, {Kind::Int32}, values(),
            [f = f](const Row *, unsigned lane, u32, Wanted *out) {
                out->bits = f(lane);
                return true;
            });
}

} // namespace

/// Instructions in which the lanes of a warp exchange values (PTX ISA 9.7.9.6 and 9.7.13).
class TestPtxCollective : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void definitions_data()
    {
        Ops ops;
        shuffles(ops);
        voting(ops);
        matching(ops);
        reductions(ops);
        others(ops);
        ops.newRows();
    }
    void definitions()
    {
        QFETCH(ptxtest::Op, op);
        QCOMPARE(firstDifference(op), QString());
    }
};

QTEST_APPLESS_MAIN(TestPtxCollective)
#include "tst_ptx_collective.moc"
