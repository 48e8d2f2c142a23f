#include "gpu/ptx/warp.h"

#include "gpu/ptx/block.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace gpu::ptx {

namespace {

constexpr std::size_t RegisterAlignment = 64;
/// Instructions a fragment runs before another of the same warp gets its turn.
constexpr std::uint64_t FragmentQuantum = 2048;
/// A fragment waits this long for the others of its meeting. They may wait for it in turn (a lock
/// that it holds), so then it goes on alone.
constexpr std::uint64_t MeetingPatience = 16384;

} // namespace

Warp::~Warp()
{
    std::free(local);
    std::free(localWritten);
    for (const auto &owned : frames)
        ::operator delete[](owned->registers, std::align_val_t(RegisterAlignment));
}

Frame *Warp::newFrame(const Function &function, std::uint32_t functionIndex)
{
    const std::size_t bytes
        = (function.registerBytes + RegisterAlignment - 1) / RegisterAlignment * RegisterAlignment;
    Frame *result = nullptr;
    for (auto it = freeFrames.begin(); it != freeFrames.end(); ++it)
        if ((*it)->capacity >= bytes) {
            result = *it;
            freeFrames.erase(it);
            break;
        }
    if (!result) {
        frames.push_back(std::make_unique<Frame>());
        result = frames.back().get();
        result->registers = static_cast<std::byte *>(
            ::operator new[](bytes, std::align_val_t(RegisterAlignment)));
        result->capacity = bytes;
    }
    // Undefined registers must not differ from run to run.
    std::memset(result->registers, 0, bytes);
    result->function = &function;
    result->functionIndex = functionIndex;
    result->parent = nullptr;
    result->call = nullptr;
    result->localBase = 0;
    result->references = 1;
    return result;
}

void Warp::release(Frame *unused)
{
    while (unused && --unused->references == 0) {
        freeFrames.push_back(unused);
        unused = unused->parent;
    }
}

void Warp::start(const Function &function, std::uint32_t functionIndex, std::uint32_t lanes)
{
    live = started = lanes;
    Fragment first;
    first.mask = lanes;
    first.state = FragmentState::Runnable;
    first.frame = newFrame(function, functionIndex);
    first.pc = function.code.data();
    fragments.assign(1, first);
    meetings.clear();
    current = -1;
}

void Warp::load(std::int32_t fragment)
{
    const Fragment &next = fragments[std::size_t(fragment)];
    current = fragment;
    mask = next.mask;
    pc = next.pc;
    frame = next.frame;
    base[0] = frame->registers;
    base[1] = block->state.instance.constants(frame->functionIndex);
    stop = false;
}

void Warp::save()
{
    Fragment &running = fragments[std::size_t(current)];
    running.mask = mask;
    running.pc = pc;
    running.frame = frame;
}

bool Warp::run(std::uint64_t quantum)
{
    bool progressed = false;
    while (quantum > 0 && !finished() && !block->stopped) {
        if (!chooseFragment())
            return progressed;
        progressed = true;
        const std::uint64_t limit = std::min(quantum, FragmentQuantum);
        const std::uint64_t done = executor().runFragment(*this, limit);
        instructions += done;
        quantum -= std::min(done, quantum);
        if (current >= 0)
            save();
    }
    return progressed;
}

bool Warp::chooseFragment()
{
    if (fragments.size() == 1 && fragments[0].state == FragmentState::Runnable) {
        load(0);
        return true;
    }
    releaseWaiting(MeetingPatience);
    const std::size_t start
        = std::size_t(current + 1) + std::size_t(block->schedule.below(fragments.size()));
    for (int attempt = 0; attempt < 2; ++attempt) {
        for (std::size_t i = 0; i < fragments.size(); ++i) {
            const std::size_t at = (start + i) % fragments.size();
            Fragment &chosen = fragments[at];
            if (chosen.state != FragmentState::Runnable)
                continue;
            for (Fragment &other : fragments)
                if (&other != &chosen && other.state == FragmentState::Runnable
                    && other.pc == chosen.pc && other.frame == chosen.frame
                    && other.meeting == chosen.meeting) {
                    chosen.mask |= other.mask;
                    other.state = FragmentState::Done;
                    release(other.frame);
                }
            load(std::int32_t(at));
            return true;
        }
        if (!releaseWaiting(0))
            return false;
    }
    return false;
}

bool Warp::releaseWaiting(std::uint64_t minimumWait)
{
    for (Fragment &fragment : fragments) {
        if (fragment.state != FragmentState::AtMeeting
            || instructions - fragment.since < minimumWait)
            continue;
        Meeting &meeting = meetings[std::size_t(fragment.meeting)];
        meeting.expected &= ~fragment.mask;
        meeting.arrived &= ~fragment.mask;
        fragment.meeting = meeting.parent;
        fragment.state = FragmentState::Runnable;
        completeMeetings();
        return true;
    }
    return false;
}

void Warp::completeMeetings()
{
    for (std::size_t m = 0; m < meetings.size(); ++m) {
        Meeting &meeting = meetings[m];
        if (!meeting.used || meeting.arrived != meeting.expected)
            continue;
        Fragment *first = nullptr;
        for (Fragment &fragment : fragments) {
            if (fragment.state != FragmentState::AtMeeting || fragment.meeting != std::int32_t(m))
                continue;
            if (!first) {
                first = &fragment;
                continue;
            }
            first->mask |= fragment.mask;
            fragment.state = FragmentState::Done;
            release(fragment.frame);
        }
        meeting.used = false;
        if (first) {
            first->state = FragmentState::Runnable;
            first->meeting = meeting.parent;
            first->pc = meeting.at;
        }
    }
}

void Warp::block_(FragmentState state, const Instruction *resumeAt)
{
    pc = resumeAt;
    save();
    Fragment &running = fragments[std::size_t(current)];
    running.state = state;
    running.since = instructions;
    stop = true;
}

void Warp::diverge(std::uint32_t taken, const Instruction *target, const Instruction *reconverge)
{
    std::int32_t meeting = fragments[std::size_t(current)].meeting;
    if (reconverge) {
        const bool same = meeting >= 0 && meetings[std::size_t(meeting)].at == reconverge
            && meetings[std::size_t(meeting)].frame == frame;
        if (!same) {
            std::size_t free = 0;
            while (free < meetings.size() && meetings[free].used)
                ++free;
            if (free == meetings.size())
                meetings.emplace_back();
            meetings[free] = {reconverge, frame, mask, 0, meeting, true};
            meeting = std::int32_t(free);
        }
    }
    fragments[std::size_t(current)].meeting = meeting;
    std::size_t free = 0;
    while (free < fragments.size() && fragments[free].state != FragmentState::Done)
        ++free;
    if (free == fragments.size())
        fragments.emplace_back();
    Fragment &other = fragments[free];
    other = Fragment();
    other.mask = taken;
    other.pc = target;
    other.frame = frame;
    other.meeting = meeting;
    other.state = FragmentState::Runnable;
    if (reconverge && target == reconverge) {
        other.state = FragmentState::AtMeeting;
        other.since = instructions;
        meetings[std::size_t(meeting)].arrived |= taken;
    }
    ++frame->references;
    mask &= ~taken;
}

void Warp::meet(const Instruction &instruction)
{
    Fragment &running = fragments[std::size_t(current)];
    while (running.meeting >= 0) {
        const std::int32_t number = running.meeting;
        Meeting &meeting = meetings[std::size_t(number)];
        if (meeting.at != &instruction || meeting.frame != frame)
            return;
        meeting.arrived |= mask;
        if (meeting.arrived != meeting.expected)
            return block_(FragmentState::AtMeeting, &instruction);
        for (Fragment &other : fragments)
            if (&other != &running && other.state == FragmentState::AtMeeting
                && other.meeting == number) {
                mask |= other.mask;
                other.state = FragmentState::Done;
                release(other.frame);
            }
        running.meeting = meeting.parent;
        meeting.used = false;
    }
}

void Warp::dropLanes(std::uint32_t lanes, std::int32_t until)
{
    for (std::size_t m = 0; m < meetings.size(); ++m)
        if (meetings[m].used && std::int32_t(m) != until) {
            meetings[m].expected &= ~lanes;
            meetings[m].arrived &= ~lanes;
        }
}

void Warp::exitLanes(std::uint32_t lanes)
{
    live &= ~lanes;
    mask &= ~lanes;
    dropLanes(lanes, -1);
    if (mask == 0) {
        fragments[std::size_t(current)].state = FragmentState::Done;
        release(frame);
        current = -1;
        stop = true;
    }
    completeMeetings();
    for (Fragment &fragment : fragments)
        if (fragment.state == FragmentState::AtSync)
            wake(fragment);
    block->lanesExited();
}

void Warp::enter(const Function &function, std::uint32_t functionIndex, const Call *call)
{
    Frame *callee = newFrame(function, functionIndex);
    callee->parent = frame;
    callee->returnTo = pc;
    callee->call = call;
    callee->localBase = frame->localBase + frame->function->localBytes;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!((mask >> lane) & 1u))
            continue;
        std::byte *stack = local + std::size_t(lane) * stackBytes;
        if (localWritten)
            std::memset(localWritten + std::size_t(lane) * stackBytes + callee->localBase, 0,
                function.localBytes);
        for (const LocalVariable &argument : function.arguments)
            markLocal(lane, callee->localBase + argument.offset, argument.sizeBytes);
        for (std::size_t i = 0; i < call->arguments.size(); ++i)
            std::memcpy(stack + callee->localBase + function.arguments[i].offset,
                stack + frame->localBase + call->arguments[i].offset, call->arguments[i].sizeBytes);
    }
    frame = callee;
    pc = function.code.data();
    base[0] = frame->registers;
    base[1] = block->state.instance.constants(functionIndex);
}

void Warp::leave()
{
    Frame *callee = frame;
    Frame *caller = callee->parent;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!((mask >> lane) & 1u))
            continue;
        std::byte *stack = local + std::size_t(lane) * stackBytes;
        for (const LocalVariable &result : callee->call->returns)
            markLocal(lane, caller->localBase + result.offset, result.sizeBytes);
        for (std::size_t i = 0; i < callee->call->returns.size(); ++i)
            std::memcpy(stack + caller->localBase + callee->call->returns[i].offset,
                stack + callee->localBase + callee->function->returns[i].offset,
                callee->call->returns[i].sizeBytes);
    }
    ++caller->references;
    frame = caller;
    pc = callee->returnTo;
    base[0] = frame->registers;
    base[1] = block->state.instance.constants(frame->functionIndex);
    release(callee);
}

bool Warp::rendezvous(const Instruction &instruction, std::uint32_t members)
{
    const std::uint32_t needed = members & live;
    if ((needed & ~mask) == 0) {
        block->synchronizeWarp(*this);
        return true;
    }
    std::uint32_t here = mask;
    for (const Fragment &fragment : fragments)
        if (fragment.state == FragmentState::AtSync && fragment.pc == &instruction
            && fragment.frame == frame)
            here |= fragment.mask;
    if ((needed & ~here) != 0) {
        fragments[std::size_t(current)].awaited = members;
        block_(FragmentState::AtSync, &instruction);
        return false;
    }
    Fragment &running = fragments[std::size_t(current)];
    for (Fragment &fragment : fragments)
        if (fragment.state == FragmentState::AtSync && fragment.pc == &instruction
            && fragment.frame == frame && (fragment.mask & needed)) {
            if (fragment.meeting != running.meeting) {
                // Different paths joined early: they no longer meet inside, only further out.
                dropLanes(fragment.mask | mask, -1);
                running.meeting = -1;
            }
            mask |= fragment.mask;
            fragment.state = FragmentState::Done;
            release(fragment.frame);
        }
    running.mask = mask;
    completeMeetings();
    block->synchronizeWarp(*this);
    return true;
}

} // namespace gpu::ptx
