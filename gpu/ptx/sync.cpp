#include "gpu/ptx/block.h"
#include "gpu/ptx/collective.h"
#include "gpu/ptx/control.h"
#include "gpu/ptx/decode.h"
#include "gpu/ptx/matrixops.h"

#include <bit>
#include <cstring>

namespace gpu::ptx {

namespace {

std::uint32_t first(const Warp &warp, Slot slot)
{
    std::uint32_t result = 0;
    std::memcpy(&result,
        warp.base[slot >> 31] + (slot & ~ConstantSlot)
            + 4 * std::size_t(std::countr_zero(warp.mask)),
        4);
    return result;
}

/// bar.sync, bar.arrive and bar.red. Sources: id, threads; or id, [threads,] predicate.
void handleBarrier(Warp &warp, const Instruction &in)
{
    const unsigned lane = unsigned(std::countr_zero(warp.mask));
    const std::uint32_t id = first(warp, in.source[0]);
    std::uint32_t threads = 0, votes = 0;
    const unsigned last = in.sourceSize[2] == SizePredicate ? 2 : 1;
    if (in.sourceSize[1] == 4)
        threads = first(warp, in.source[1]);
    if (in.sourceSize[last] == SizePredicate) {
        std::memcpy(
            &votes, warp.base[in.source[last] >> 31] + (in.source[last] & ~ConstantSlot), 4);
        votes = (in.negated >> last) & 1u ? ~votes : votes;
    }
    if (id >= 16)
        return warp.fault(in, lane, FaultKind::BarrierDivergence,
            "barrier " + std::to_string(id) + " does not exist; there are 16");
    if (in.sourceSize[1] == 4 && (threads == 0 || threads % 32 != 0))
        return warp.fault(in, lane, FaultKind::BarrierDivergence,
            "a barrier for " + std::to_string(threads)
                + " threads; the number must be a positive multiple of 32");
    warp.block->arrive(warp, in, id, threads, votes, in.mode != 3);
}

void handleWarpBarrier(Warp &warp, const Instruction &in)
{
    const std::uint32_t members = first(warp, in.source[0]);
    if (warp.mask & ~members)
        return warp.fault(in, unsigned(std::countr_zero(warp.mask & ~members)),
            FaultKind::BarrierDivergence, "bar.warp.sync by a thread that is not in its mask");
    const std::uint32_t needed = members & warp.live;
    std::uint32_t here = warp.mask;
    for (const Fragment &fragment : warp.fragments)
        if (fragment.state == FragmentState::AtSync && fragment.pc->handler == handleWarpBarrier
            && fragment.awaited == members)
            here |= fragment.mask;
    if (needed & ~here) {
        warp.fragments[std::size_t(warp.current)].awaited = members;
        return warp.block_(FragmentState::AtSync, &in);
    }
    warp.block->synchronizeWarp(warp);
    // The paths may have reached different barriers with this mask; each goes on from its own.
    for (Fragment &fragment : warp.fragments)
        if (fragment.state == FragmentState::AtSync && fragment.pc->handler == handleWarpBarrier
            && fragment.awaited == members) {
            ++fragment.pc;
            warp.wake(fragment);
        }
}

void handleYield(Warp &warp, const Instruction &)
{
    warp.stop = true;
}

void handleFence(Warp &warp, const Instruction &)
{
    warp.block->synchronize();
}

bool isOneOf(const std::string &base, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), base) != names.end();
}

} // namespace

Selection selectControl(const Operation &op, const std::uint8_t *sizes, std::size_t count)
{
    Selection shape;
    if (isOneOf(op.base, {"bar", "barrier"}) && !op.has("cluster")) {
        if (op.has("warp")) {
            shape.handler = handleWarpBarrier;
            shape.source[0] = 4;
            return shape;
        }
        shape.handler = handleBarrier;
        shape.source[0] = 4;
        shape.required = 1;
        if (op.has("red")) {
            shape.dst = op.has("popc") ? 4 : SizePredicate;
            shape.mode = op.has("and") ? 1 : 2;
            shape.source[1] = count == 4 ? 4 : SizePredicate;
            shape.source[2] = count == 4 ? SizePredicate : SizeNone;
            shape.required = count == 4 ? 3 : 2;
        } else {
            shape.mode = op.has("arrive") ? 3 : 0;
            shape.source[1] = 4;
        }
        return shape;
    }
    if (op.base == "nanosleep") {
        shape.handler = handleYield;
        shape.source[0] = 4;
        return shape;
    }
    if (isOneOf(op.base,
            {"membar", "fence", "griddepcontrol", "setmaxnreg", "prefetch", "prefetchu", "discard",
                "applypriority", "pmevent"})) {
        shape.handler = op.base == "membar" || op.base == "fence" ? handleFence : handleNothing;
        shape.ignoresRest = true;
        return shape;
    }
    // The fourth operand of cp.async may be a predicate or a cache policy instead of a size.
    if (op.base == "cp" && count > 3 && sizes[3] != SizeNone && sizes[3] != 4)
        return shape;
    for (const Selection &other : {selectCollective(op), selectAtomic(op, count),
             selectAsync(op, count), selectCarry(op), selectMatrix(op)})
        if (other.handler)
            return other;
    return shape;
}

} // namespace gpu::ptx
