#include "gpu/ptx/block.h"
#include "gpu/ptx/collective.h"
#include "gpu/ptx/control.h"
#include "gpu/ptx/decode.h"

#include <bit>
#include <cstring>

namespace gpu::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 addressOf(const Warp &warp, const Instruction &in, unsigned i, unsigned lane, u64 offset)
{
    const u64 raw = laneBits(warp, in, i, lane) + offset;
    return in.sourceSize[i] == 4 ? u32(raw) : raw;
}

/// cp.async copies at once: a wait can only make visible what is there already.
void copy(Warp &warp, const Instruction &in)
{
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        const u32 bytes = laneValue<u32>(warp, in.source[2], lane);
        u32 given = in.sourceSize[3] ? laneValue<u32>(warp, in.source[3], lane) : bytes;
        if (bytes != 4 && bytes != 8 && bytes != 16)
            return handleUnsupported(warp, in);
        given = std::min(given, bytes);
        std::byte *to = warp.checkIn(
            Space::Shared, in, lane, addressOf(warp, in, 0, lane, in.mode), bytes, Access::Write);
        if (!to)
            return;
        std::byte data[16] = {};
        if (given > 0) {
            // A shorter source is read in full: the ISA wants its address aligned like the whole.
            std::byte *from = warp.resolveIn(Space::Global, in, lane,
                addressOf(warp, in, 1, lane, u64(in.offset)), given == bytes ? bytes : 1,
                Access::Read);
            if (!from)
                return;
            std::byte *last = warp.resolveIn(Space::Global, in, lane,
                addressOf(warp, in, 1, lane, u64(in.offset)) + given - 1, 1, Access::Read);
            if (!last)
                return;
            std::memcpy(data, from, given);
        }
        std::memcpy(to, data, bytes);
    }
    // The lanes' copies are simultaneous: all are checked before the first counts as made.
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        warp.record(Space::Shared, lane, addressOf(warp, in, 0, lane, in.mode),
            laneValue<u32>(warp, in.source[2], lane), Access::Write);
    }
}

/// An mbarrier's 64 bits: pending arrivals, expected arrivals, phase.
constexpr u64 CountMask = (1u << 20) - 1;
constexpr int ExpectedShift = 20, PhaseShift = 40;

enum BarrierOp : u32 { Init, Inval, Arrive, TestWait, TestParity, PendingCount, ArriveDrop };

u64 arrived(u64 state, u64 count, bool drop)
{
    u64 pending = state & CountMask, expected = (state >> ExpectedShift) & CountMask;
    u64 phase = state >> PhaseShift;
    if (drop)
        expected -= std::min(count, expected);
    pending -= std::min(count, pending);
    if (pending == 0) {
        pending = expected;
        phase ^= 1;
    }
    return pending | expected << ExpectedShift | phase << PhaseShift;
}

void memoryBarrier(Warp &warp, const Instruction &in)
{
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        std::byte *host = warp.resolve(
            in, lane, addressOf(warp, in, 0, lane, u64(in.offset)), 8, Access::Atomic);
        if (!host)
            return;
        u64 state = 0;
        std::memcpy(&state, host, 8);
        const u64 operand = in.sourceSize[1] ? laneBits(warp, in, 1, lane) : 1;
        switch (in.mode) {
        case Init:
            state = (operand & CountMask) | (operand & CountMask) << ExpectedShift;
            break;
        case Inval:
            state = 0;
            break;
        case Arrive:
        case ArriveDrop:
            if (in.dstSize)
                setLaneBits(warp, in.dst, in.dstSize, lane, state);
            state = arrived(state, operand, in.mode == ArriveDrop);
            break;
        case TestWait:
            setPredicate(warp, in.dst, lane, (state >> PhaseShift) != (operand >> PhaseShift));
            break;
        default:
            setPredicate(warp, in.dst, lane, (state >> PhaseShift) != (operand & 1u));
        }
        std::memcpy(host, &state, 8);
    }
}

Selection selectBarrier(const Operation &op, std::size_t operandCount)
{
    Selection shape;
    if (op.has("expect_tx") || op.has("complete_tx") || op.has("shared::cluster"))
        return shape;
    shape.handler = memoryBarrier;
    shape.source[0] = SizeAddress;
    shape.required = 1;
    if (op.has("init")) {
        shape.mode = Init;
        shape.source[1] = 4;
    } else if (op.has("inval")) {
        shape.mode = Inval;
    } else if (op.has("arrive") || op.has("arrive_drop")) {
        shape.mode = op.has("arrive") ? Arrive : ArriveDrop;
        shape.dst = 8;
        shape.source[1] = 4;
    } else if (op.has("test_wait") || op.has("try_wait")) {
        const bool parity = op.has("parity");
        shape.mode = parity ? TestParity : TestWait;
        shape.dst = SizePredicate;
        shape.source[1] = parity ? 4 : 8;
        shape.ignoresRest = true;
    } else {
        shape.handler = nullptr;
    }
    (void)operandCount;
    return shape;
}

} // namespace

Selection selectAsync(const Operation &op, std::size_t operandCount)
{
    Selection shape;
    if (op.base == "mbarrier")
        return selectBarrier(op, operandCount);
    if (op.base != "cp" || !op.has("async") || op.has("bulk"))
        return shape;
    if (op.has("commit_group") || op.has("wait_group") || op.has("wait_all")) {
        shape.handler = handleNothing;
        shape.ignoresRest = true;
    } else if (op.has("mbarrier")) {
        shape.handler = op.has("noinc") ? memoryBarrier : handleNothing;
        shape.mode = Arrive;
        shape.source[0] = SizeAddress;
        shape.required = 1;
    } else if (op.has("global")) {
        shape.handler = copy;
        shape.source[0] = shape.source[1] = SizeAddress;
        shape.source[2] = shape.source[3] = 4;
        shape.required = 3;
        shape.ignoresRest = true;
    }
    return shape;
}

} // namespace gpu::ptx
