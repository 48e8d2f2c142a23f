#include "gpu/ptx/block.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gpu::ptx {

namespace {

/// Instructions a warp runs before the next one gets its turn.
constexpr std::uint64_t WarpQuantum = 8192;
/// A shuffled turn is this, doubled up to seven times.
constexpr std::uint64_t LeastQuantum = 64;
/// Fills new shared memory: a NaN in f32, f16 and bf16, and an unlikely integer.
constexpr std::uint64_t Poison = 0x7ff7'7ff7'7ff7'7ff7u;

} // namespace

void LaunchState::report(Fault newFault)
{
    const std::lock_guard lock(mutex);
    if (!fault)
        fault = std::move(newFault);
    stop = true;
}

Block::Block(LaunchState &launchState, std::uint64_t linear)
    : state(launchState)
    , linearIndex(linear)
    , schedule(launchState.options.shuffleSeed, linear)
{
    const Dim3 grid = state.launch.grid, shape = state.launch.block;
    index = {std::uint32_t(linear % grid.x), std::uint32_t(linear / grid.x % grid.y),
        std::uint32_t(linear / (std::uint64_t(grid.x) * grid.y))};
    shared.resize(state.sharedBytes);
    if (state.options.checked)
        shadow = std::make_unique<SharedShadow>(shared.size(), (shape.count() + 31) / 32);
    for (std::size_t i = 0; i + 8 <= shared.size(); i += 8)
        std::memcpy(shared.data() + i, &Poison, 8);
    if (const std::size_t rest = shared.size() % 8)
        std::memcpy(shared.data() + shared.size() - rest, &Poison, rest);
    const std::uint32_t threads = std::uint32_t(shape.count());
    for (std::uint32_t first = 0; first < threads; first += 32) {
        auto warp = std::make_unique<Warp>();
        warp->block = this;
        warp->index = first / 32;
        warp->checked = state.options.checked;
        warp->stackBytes = state.kernel.stackBytes;
        if (warp->stackBytes > 0) {
            // calloc gives untouched zero pages, so deep stacks cost nothing until used.
            warp->local = static_cast<std::byte *>(std::calloc(32, warp->stackBytes));
            if (warp->checked)
                warp->localWritten = static_cast<std::byte *>(std::calloc(32, warp->stackBytes));
            if (!warp->local || (warp->checked && !warp->localWritten))
                throw std::bad_alloc();
        }
        const std::uint32_t count = std::min(32u, threads - first);
        warp->start(state.kernel, state.kernelIndex, count == 32 ? 0xffffffffu : (1u << count) - 1);
        m_order.push_back(warps.size());
        warps.push_back(std::move(warp));
    }
}

Block::Outcome Block::run(std::uint64_t quantum)
{
    std::uint64_t spent = 0, threads = 0;
    const auto charge = [&]() {
        state.spent += spent;
        state.threadInstructions += threads;
        if (state.spent > state.options.instructionBudget && !stopped) {
            for (const auto &warp : warps)
                if (!warp->finished()) {
                    const Fragment &at = warp->fragments[std::size_t(std::max(warp->current, 0))];
                    warp->fault(at.pc ? *at.pc : Instruction(),
                        unsigned(std::countr_zero(warp->live)), FaultKind::BudgetSpent,
                        "the launch did not end within "
                            + std::to_string(state.options.instructionBudget)
                            + " warp instructions; is there an endless loop?");
                    break;
                }
        }
    };
    while (!stopped && !state.stop.load(std::memory_order_relaxed)) {
        bool progressed = false, alive = false;
        for (std::size_t i = warps.size(); i > 1 && schedule.isShuffled(); --i)
            std::swap(m_order[i - 1], m_order[schedule.below(i)]);
        for (std::size_t i = 0; i < warps.size() && !stopped; ++i) {
            Warp &warp = *warps[m_order[i]];
            if (warp.finished())
                continue;
            const std::uint64_t before = warp.instructions, lanes = warp.threadInstructions;
            progressed |= warp.run(
                schedule.isShuffled() ? LeastQuantum << schedule.below(8) : WarpQuantum);
            spent += warp.instructions - before;
            threads += warp.threadInstructions - lanes;
            alive |= !warp.finished();
        }
        if (stopped)
            break;
        if (!alive) {
            charge();
            return stopped ? Outcome::Stopped : Outcome::Finished;
        }
        if (!progressed)
            reportDeadlock();
        if (spent >= quantum) {
            charge();
            return stopped ? Outcome::Stopped : Outcome::Yielded;
        }
    }
    charge();
    return Outcome::Stopped;
}

bool Block::complete(const Barrier &barrier) const
{
    if (!barrier.used)
        return false;
    std::uint32_t arrived = 0;
    for (std::size_t w = 0; w < warps.size(); ++w) {
        const std::uint32_t live = warps[w]->live;
        if (barrier.threads == 0) {
            if (live & ~barrier.arrived[w])
                return false;
        } else if (barrier.arrived[w]) {
            // The ISA counts whole warps, also those with fewer threads.
            arrived += (live & ~barrier.arrived[w]) == 0
                ? 32u
                : std::uint32_t(std::popcount(barrier.arrived[w]));
        }
    }
    return barrier.threads == 0 || arrived >= barrier.threads;
}

void Block::release(std::uint32_t id)
{
    Barrier &barrier = barriers[id];
    synchronize();
    for (const auto &warp : warps)
        for (Fragment &fragment : warp->fragments) {
            if (fragment.state != FragmentState::AtBarrier || fragment.barrier != id)
                continue;
            const Instruction &in = fragment.pc[-1];
            std::byte *result = fragment.frame->registers + in.dst;
            if (in.dstSize == SizePredicate) {
                std::uint32_t lanes = 0;
                std::memcpy(&lanes, result, 4);
                const bool value
                    = in.mode == 1 ? barrier.votes == barrier.voters : barrier.votes > 0;
                lanes = value ? lanes | fragment.mask : lanes & ~fragment.mask;
                std::memcpy(result, &lanes, 4);
            } else if (in.dstSize == 4) {
                for (unsigned lane = 0; lane < 32; ++lane)
                    if ((fragment.mask >> lane) & 1u)
                        std::memcpy(result + 4 * lane, &barrier.votes, 4);
            }
            warp->wake(fragment);
        }
    barrier = Barrier();
}

bool Block::arrive(Warp &warp, const Instruction &in, std::uint32_t id, std::uint32_t threads,
    std::uint32_t votes, bool waits)
{
    Barrier &barrier = barriers[id];
    barrier.used = true;
    barrier.threads = threads;
    barrier.instruction = &in;
    barrier.arrived[warp.index] |= warp.mask;
    barrier.votes += std::uint32_t(std::popcount(votes & warp.mask));
    barrier.voters += std::uint32_t(std::popcount(warp.mask));
    if (waits) {
        warp.block_(FragmentState::AtBarrier, warp.pc);
        warp.fragments[std::size_t(warp.current)].barrier = id;
    }
    if (!complete(barrier))
        return false;
    release(id);
    return true;
}

void Block::lanesExited()
{
    for (std::uint32_t id = 0; id < barriers.size(); ++id)
        if (complete(barriers[id]))
            release(id);
}

void Block::reportDeadlock()
{
    std::uint32_t living = 0;
    for (const auto &warp : warps)
        living += std::uint32_t(std::popcount(warp->live));
    for (const auto &warp : warps)
        for (const Fragment &fragment : warp->fragments) {
            if (fragment.state != FragmentState::AtBarrier
                && fragment.state != FragmentState::AtSync)
                continue;
            const unsigned lane = unsigned(std::countr_zero(fragment.mask));
            if (fragment.state == FragmentState::AtSync) {
                warp->fault(*fragment.pc, lane, FaultKind::BarrierDivergence,
                    "warp synchronisation reached by "
                        + std::to_string(std::popcount(fragment.mask)) + " of "
                        + std::to_string(std::popcount(fragment.awaited & warp->started))
                        + " threads of its mask at line " + std::to_string(fragment.pc->line)
                        + "; the others can never come");
                return;
            }
            const Barrier &barrier = barriers[fragment.barrier];
            std::uint32_t arrived = 0;
            for (const std::uint32_t lanes : barrier.arrived)
                arrived += std::uint32_t(std::popcount(lanes));
            warp->fault(fragment.pc[-1], lane, FaultKind::BarrierDivergence,
                "barrier reached by " + std::to_string(arrived) + " of "
                    + std::to_string(barrier.threads ? barrier.threads : living)
                    + " threads at line " + std::to_string(fragment.pc[-1].line)
                    + "; the others wait elsewhere or have exited");
            return;
        }
    stopped = true;
    Fault internal;
    internal.kind = FaultKind::BarrierDivergence;
    internal.kernel = state.kernel.name;
    internal.block = index;
    internal.message = "no thread of the block can go on, in " + state.kernel.name;
    state.report(std::move(internal));
}

} // namespace gpu::ptx
