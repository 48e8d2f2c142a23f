#include "gpu/ptx/control.h"

#include "gpu/ptx/block.h"
#include "gpu/ptx/decode.h"
#include "gpu/ptx/printf.h"

#include <bit>
#include <cstring>

namespace gpu::ptx {

namespace {

const Instruction *at(const Warp &warp, std::uint32_t target)
{
    return target == NoTarget ? nullptr : warp.frame->function->code.data() + target;
}

template <class T> T value(const Warp &warp, Slot slot, unsigned lane)
{
    T result;
    std::memcpy(&result,
        warp.base[slot >> 31] + (slot & ~ConstantSlot) + std::size_t(lane) * sizeof(T), sizeof(T));
    return result;
}

unsigned firstLane(std::uint32_t mask)
{
    return unsigned(std::countr_zero(mask));
}

/// Lanes with the same destination go there together; `target` gives a lane's, nullptr is a fault.
template <class Target>
void scatter(Warp &warp, const Instruction &in, const Instruction *reconverge, Target target)
{
    const std::uint32_t all = warp.mask;
    (void)in;
    while (true) {
        const Instruction *first = target(firstLane(warp.mask));
        if (!first)
            return;
        std::uint32_t group = 0;
        for (unsigned lane = 0; lane < 32; ++lane)
            if (((warp.mask >> lane) & 1u) && target(lane) == first)
                group |= 1u << lane;
        if (group == warp.mask) {
            warp.pc = first;
            return;
        }
        warp.diverge(group, first, reconverge);
        if (warp.mask == all)
            return;
    }
}

std::optional<std::string> readString(
    Warp &warp, const Instruction &in, unsigned lane, std::uint64_t address)
{
    std::string text;
    for (; text.size() < 4096; ++address) {
        const std::byte *byte = warp.resolveIn(Space::Generic, in, lane, address, 1, Access::Read);
        if (!byte)
            return std::nullopt;
        if (*byte == std::byte(0))
            return text;
        text += char(*byte);
    }
    return text;
}

std::uint64_t argument(const Warp &warp, const LocalVariable &variable, unsigned lane)
{
    std::uint64_t result = 0;
    std::memcpy(&result,
        warp.local + std::size_t(lane) * warp.stackBytes + warp.frame->localBase + variable.offset,
        std::min<std::size_t>(variable.sizeBytes, 8));
    return result;
}

/// Bytes of printf arguments that lie at an address, up to the end of its memory.
std::vector<std::byte> printfArguments(
    Warp &warp, const Instruction &in, std::uint64_t address, unsigned lane)
{
    std::vector<std::byte> bytes;
    Instruction generic = in;
    generic.space = Space::Generic;
    const Range range = warp.range(generic, address, Access::Read);
    if (address - range.begin >= range.size)
        return bytes;
    const std::size_t count = std::min<std::size_t>(range.size - (address - range.begin), 1024);
    bytes.resize(count);
    std::memcpy(
        bytes.data(), range.host + lane * range.laneStride + (address - range.begin), count);
    return bytes;
}

void callVprintf(Warp &warp, const Instruction &in)
{
    const Call &call = warp.frame->function->calls[in.list];
    if (call.arguments.size() != 2)
        return handleUnsupported(warp, in);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!((warp.mask >> lane) & 1u))
            continue;
        const auto format = readString(warp, in, lane, argument(warp, call.arguments[0], lane));
        if (!format)
            return;
        const std::vector<std::byte> arguments
            = printfArguments(warp, in, argument(warp, call.arguments[1], lane), lane);
        const std::string text = formatPrintf(*format, arguments,
            [&](std::uint64_t address) { return readString(warp, in, lane, address); });
        if (warp.block->state.options.print)
            warp.block->state.options.print(text);
        if (!call.returns.empty()) {
            warp.markLocal(
                lane, warp.frame->localBase + call.returns[0].offset, call.returns[0].sizeBytes);
            const std::uint32_t count = std::uint32_t(text.size());
            std::memcpy(warp.local + std::size_t(lane) * warp.stackBytes + warp.frame->localBase
                    + call.returns[0].offset,
                &count, std::min<std::size_t>(call.returns[0].sizeBytes, 4));
        }
    }
}

void callAssert(Warp &warp, const Instruction &in)
{
    const Call &call = warp.frame->function->calls[in.list];
    const unsigned lane = firstLane(warp.mask);
    std::string what = "assertion failed";
    if (call.arguments.size() >= 4) {
        const auto message = readString(warp, in, lane, argument(warp, call.arguments[0], lane));
        const auto function = readString(warp, in, lane, argument(warp, call.arguments[3], lane));
        if (message)
            what += ": " + *message;
        if (function)
            what += " in " + *function;
    }
    if (!warp.block->stopped)
        warp.fault(in, lane, FaultKind::Trap, what);
}

} // namespace

void handleBranch(Warp &warp, const Instruction &in)
{
    warp.pc = warp.frame->function->code.data() + in.target;
}

void handleBranchIf(Warp &warp, const Instruction &in)
{
    std::uint32_t taken = 0;
    std::memcpy(&taken, warp.base[0] + in.guard, 4);
    taken = (in.guardNegated ? ~taken : taken) & warp.mask;
    if (taken == 0)
        return;
    const Instruction *target = warp.frame->function->code.data() + in.target;
    if (taken == warp.mask)
        warp.pc = target;
    else
        warp.diverge(taken, target, at(warp, in.reconverge));
}

void handleBranchTable(Warp &warp, const Instruction &in)
{
    const Function &function = *warp.frame->function;
    scatter(warp, in, at(warp, in.reconverge), [&](unsigned lane) -> const Instruction * {
        const std::uint32_t index = value<std::uint32_t>(warp, in.source[0], lane);
        if (index < in.mode)
            return function.code.data() + function.lists[in.list + index];
        warp.fault(in, lane, FaultKind::Trap,
            "branch index " + std::to_string(index) + " is past the " + std::to_string(in.mode)
                + " targets");
        return nullptr;
    });
}

void handleMeet(Warp &warp, const Instruction &in)
{
    warp.meet(in);
}

void handleCall(Warp &warp, const Instruction &in)
{
    if (in.target == VprintfTarget)
        return callVprintf(warp, in);
    if (in.target == AssertTarget)
        return callAssert(warp, in);
    const Function &function = warp.block->state.program.functions[in.target];
    const Call &call = warp.frame->function->calls[in.list];
    const std::uint64_t base = warp.frame->localBase + warp.frame->function->localBytes;
    if (base + function.localBytes > warp.stackBytes || warp.frames.size() > 4096)
        return warp.fault(in, firstLane(warp.mask), FaultKind::OutOfBounds,
            "stack overflow in the call of " + function.name);
    warp.enter(function, in.target, &call);
}

void handleCallIndirect(Warp &warp, const Instruction &in)
{
    const Program &program = warp.block->state.program;
    const auto indexOf = [&](unsigned lane) {
        const std::uint64_t address = value<std::uint64_t>(warp, in.source[0], lane);
        return std::uint32_t((address - FunctionWindow) / FunctionStride - 1);
    };
    const std::uint32_t first = indexOf(firstLane(warp.mask));
    std::uint32_t group = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (((warp.mask >> lane) & 1u) && indexOf(lane) == first)
            group |= 1u << lane;
    if (group != warp.mask)
        // The others run this call again on their own.
        warp.diverge(warp.mask & ~group, &in, at(warp, in.reconverge));
    const Call &call = warp.frame->function->calls[in.list];
    const auto same = [](const std::vector<LocalVariable> &a, const std::vector<LocalVariable> &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
            [](const LocalVariable &x, const LocalVariable &y) {
                return x.sizeBytes == y.sizeBytes;
            });
    };
    if (first >= program.functions.size() || program.functions[first].isEntry
        || !same(program.functions[first].returns, call.returns)
        || !same(program.functions[first].arguments, call.arguments))
        return warp.fault(in, firstLane(warp.mask), FaultKind::InvalidAddress,
            "call through a pointer to no matching function",
            value<std::uint64_t>(warp, in.source[0], firstLane(warp.mask)));
    Instruction direct = in;
    direct.target = first;
    handleCall(warp, direct);
}

void handleReturn(Warp &warp, const Instruction &)
{
    warp.leave();
}

void handleExit(Warp &warp, const Instruction &)
{
    warp.exitLanes(warp.mask);
}

void handleTrap(Warp &warp, const Instruction &in)
{
    warp.fault(in, firstLane(warp.mask), FaultKind::Trap, "the kernel executed a trap");
}

void handleUnsupported(Warp &warp, const Instruction &in)
{
    warp.fault(in, firstLane(warp.mask), FaultKind::Unsupported,
        "the CPU device does not support '" + warp.block->state.program.texts[in.text] + "'");
}

void handleNothing(Warp &, const Instruction &) { }

void handleScalar(Warp &warp, const Instruction &in)
{
    for (std::uint32_t rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = firstLane(rest);
        std::uint64_t operands[5] = {};
        for (unsigned i = 0; i < 4 && in.sourceSize[i] != SizeNone; ++i) {
            switch (in.sourceSize[i]) {
            case SizePredicate:
                operands[i] = ((value<std::uint32_t>(warp, in.source[i], 0) >> lane) & 1u)
                    ^ ((in.negated >> i) & 1u);
                break;
            case 2:
                operands[i] = value<std::uint16_t>(warp, in.source[i], lane);
                break;
            case 4:
                operands[i] = value<std::uint32_t>(warp, in.source[i], lane);
                break;
            default:
                operands[i] = value<std::uint64_t>(warp, in.source[i], lane);
            }
        }
        const std::uint64_t result = in.scalar(operands, in);
        std::byte *destination = warp.base[0] + in.dst;
        if (in.dstSize == SizePredicate) {
            std::uint32_t lanes = 0;
            std::memcpy(&lanes, destination, 4);
            lanes = (lanes & ~(1u << lane)) | (std::uint32_t(result & 1) << lane);
            std::memcpy(destination, &lanes, 4);
            if (in.dst2Size == SizePredicate) {
                std::memcpy(&lanes, warp.base[0] + in.dst2, 4);
                lanes = (lanes & ~(1u << lane)) | (std::uint32_t((result >> 1) & 1) << lane);
                std::memcpy(warp.base[0] + in.dst2, &lanes, 4);
            }
        } else {
            std::memcpy(destination + std::size_t(lane) * in.dstSize, &result, in.dstSize);
        }
    }
}

} // namespace gpu::ptx
