#include "gpu/ptx/collective.h"

#include "gpu/ptx/block.h"

#include <algorithm>
#include <array>
#include <bit>

namespace gpu::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The member masks of the lanes once all of them are here; false while some are awaited.
bool gather(Warp &warp, const Instruction &in, unsigned maskSource, std::array<u32, 32> &members)
{
    while (true) {
        const u32 before = warp.mask;
        u32 all = 0;
        for (u32 rest = before; rest; rest &= rest - 1) {
            const unsigned lane = unsigned(std::countr_zero(rest));
            members[lane] = laneValue<u32>(warp, in.source[maskSource], lane);
            all |= members[lane];
            if (!((members[lane] >> lane) & 1u)) {
                warp.fault(in, lane, FaultKind::BarrierDivergence,
                    "a thread takes part in a warp operation without being in its own mask");
                return false;
            }
        }
        if (!warp.rendezvous(in, all))
            return false;
        if (warp.mask == before)
            return true;
    }
}

enum Shuffle : u32 { Up, Down, Butterfly, Index };

void shuffle(Warp &warp, const Instruction &in)
{
    std::array<u32, 32> members{};
    if (!gather(warp, in, 3, members))
        return;
    u32 values[32], results[32] = {}, inside = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        values[lane] = laneValue<u32>(warp, in.source[0], lane);
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        const u32 b = laneValue<u32>(warp, in.source[1], lane) & 31u;
        const u32 c = laneValue<u32>(warp, in.source[2], lane);
        const u32 segment = (c >> 8) & 31u, clamp = c & 31u;
        const u32 highest = (lane & segment) | (clamp & ~segment);
        const u32 lowest = lane & segment;
        int from = 0;
        bool valid = false;
        switch (in.mode) {
        case Up:
            from = int(lane) - int(b);
            valid = from >= int(highest);
            break;
        case Down:
            from = int(lane + b);
            valid = from <= int(highest);
            break;
        case Butterfly:
            from = int(lane ^ b);
            valid = from <= int(highest);
            break;
        default:
            from = int(lowest | (b & ~segment));
            valid = from <= int(highest);
        }
        const unsigned source = valid ? unsigned(from) & 31u : lane;
        results[lane] = values[source];
        inside |= u32(valid) << lane;
    }
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        setLane<u32>(warp, in.dst, lane, results[lane]);
        if (in.dst2Size == SizePredicate)
            setPredicate(warp, in.dst2, lane, (inside >> lane) & 1u);
    }
}

enum Vote : u32 { All, Any, Uniform, Ballot };

void vote(Warp &warp, const Instruction &in)
{
    std::array<u32, 32> members{};
    if (!gather(warp, in, 1, members))
        return;
    u32 votes = laneValue<u32>(warp, in.source[0], 0);
    votes = ((in.negated & 1u) ? ~votes : votes) & warp.mask;
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        const u32 voters = members[lane] & warp.mask;
        const u32 yes = votes & voters;
        if (in.mode == Ballot)
            setLane<u32>(warp, in.dst, lane, yes);
        else
            setPredicate(warp, in.dst, lane,
                in.mode == All       ? yes == voters
                    : in.mode == Any ? yes != 0
                                     : yes == 0 || yes == voters);
    }
}

void match(Warp &warp, const Instruction &in)
{
    std::array<u32, 32> members{};
    if (!gather(warp, in, 1, members))
        return;
    u64 values[32];
    for (unsigned lane = 0; lane < 32; ++lane)
        values[lane] = laneBits(warp, in, 0, lane);
    u32 results[32] = {};
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned other = 0; other < 32; ++other)
            if (((members[lane] & warp.mask) >> other) & 1u)
                results[lane] |= u32(values[other] == values[lane]) << other;
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        const bool same = results[lane] == (members[lane] & warp.mask);
        setLane<u32>(warp, in.dst, lane, in.mode == All && !same ? 0 : results[lane]);
        if (in.dst2Size == SizePredicate)
            setPredicate(warp, in.dst2, lane, same);
    }
}

enum Reduction : u32 { Add, Min, Max, And, Or, Xor };

u32 reduce(u32 how, bool isSigned, u32 a, u32 b)
{
    const bool less = isSigned ? std::int32_t(a) < std::int32_t(b) : a < b;
    switch (how) {
    case Add:
        return a + b;
    case Min:
        return less ? a : b;
    case Max:
        return less ? b : a;
    case And:
        return a & b;
    case Or:
        return a | b;
    default:
        return a ^ b;
    }
}

void redux(Warp &warp, const Instruction &in)
{
    std::array<u32, 32> members{};
    if (!gather(warp, in, 1, members))
        return;
    u32 values[32];
    for (unsigned lane = 0; lane < 32; ++lane)
        values[lane] = laneValue<u32>(warp, in.source[0], lane);
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        u32 result = 0;
        bool any = false;
        for (u32 group = members[lane] & warp.mask; group; group &= group - 1) {
            const u32 value = values[std::countr_zero(group)];
            result = any ? reduce(in.mode, in.type == Type::S32, result, value) : value;
            any = true;
        }
        setLane<u32>(warp, in.dst, lane, result);
    }
}

void elect(Warp &warp, const Instruction &in)
{
    std::array<u32, 32> members{};
    if (!gather(warp, in, 0, members))
        return;
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        const u32 leader = u32(std::countr_zero(members[lane] & warp.mask));
        setLane<u32>(warp, in.dst, lane, leader);
        if (in.dst2Size == SizePredicate)
            setPredicate(warp, in.dst2, lane, leader == lane);
    }
}

void activeMask(Warp &warp, const Instruction &in)
{
    for (u32 rest = warp.mask; rest; rest &= rest - 1)
        setLane<u32>(warp, in.dst, unsigned(std::countr_zero(rest)), warp.mask);
}

u32 indexOf(const Operation &op, std::initializer_list<std::string_view> names)
{
    u32 i = 0;
    for (const std::string_view name : names) {
        if (op.has(name))
            return i;
        ++i;
    }
    return NoTarget;
}

Selection shapeOf(Handler handler, u32 mode, unsigned dst, std::initializer_list<unsigned> sources)
{
    Selection shape;
    shape.handler = mode == NoTarget ? nullptr : handler;
    shape.mode = mode;
    shape.dst = std::uint8_t(dst);
    std::size_t i = 0;
    for (const unsigned size : sources)
        shape.source[i++] = std::uint8_t(size);
    return shape;
}

} // namespace

Selection selectCollective(const Operation &op)
{
    Selection shape;
    if (op.base == "shfl" && op.has("sync")) {
        shape = shapeOf(shuffle, indexOf(op, {"up", "down", "bfly", "idx"}), 4, {4, 4, 4, 4});
        shape.dst2 = SizePredicate;
    } else if (op.base == "vote" && op.has("sync")) {
        const u32 mode = indexOf(op, {"all", "any", "uni", "ballot"});
        shape
            = shapeOf(vote, mode, mode == Ballot ? 4 : unsigned(SizePredicate), {SizePredicate, 4});
    } else if (op.base == "match") {
        const unsigned size = unsigned(syntax::sizeOf(op.type()));
        shape = shapeOf(match, indexOf(op, {"all", "any"}), 4, {size, 4});
        shape.dst2 = SizePredicate;
    } else if (op.base == "redux" && op.type() != Type::F32) {
        shape = shapeOf(redux, indexOf(op, {"add", "min", "max", "and", "or", "xor"}), 4, {4, 4});
    } else if (op.base == "elect") {
        shape = shapeOf(elect, 0, 4, {4});
        shape.dst2 = SizePredicate;
    } else if (op.base == "activemask") {
        shape = shapeOf(activeMask, 0, 4, {});
    }
    return shape;
}

} // namespace gpu::ptx
