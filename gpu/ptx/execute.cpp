#include "gpu/ptx/lanes.h"

namespace gpu::ptx::ESPALIER_ISA {

namespace {

void guarded(Warp &warp, const Instruction &in)
{
    const std::uint32_t mask = warp.mask;
    const std::uint32_t guard = predicate(warp, in.guard);
    warp.mask = mask & (in.guardNegated ? ~guard : guard);
    if (warp.mask)
        in.inner(warp, in);
    warp.mask = mask;
}

Selection select(const Operation &operation, const std::uint8_t *sizes, std::size_t count)
{
    // The lane loops have min and max of two operands only.
    if (count == 4 && (operation.base == "min" || operation.base == "max"))
        return {};
    for (const auto function : {selectInteger, selectFloat, selectPredicate})
        if (const Selection shape = function(operation); shape.handler)
            return shape;
    if (const Selection shape = selectConvert(operation, sizes, count); shape.handler)
        return shape;
    return selectMemory(operation, sizes, count);
}

std::uint64_t runFragment(Warp &warp, std::uint64_t limit)
{
    std::uint64_t left = limit;
    std::uint64_t threads = 0;
    while (left > 0) {
        const Instruction &in = *warp.pc++;
        threads += std::uint64_t(std::popcount(warp.mask));
        --left;
        in.handler(warp, in);
        if (warp.stop)
            break;
    }
    warp.threadInstructions += threads;
    return limit - left;
}

} // namespace

extern const Executor Instance;
const Executor Instance{select, guarded, runFragment};

} // namespace gpu::ptx::ESPALIER_ISA
