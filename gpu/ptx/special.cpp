#include "gpu/ptx/block.h"
#include "gpu/ptx/control.h"
#include "gpu/ptx/decode.h"

#include <chrono>
#include <cstring>

namespace gpu::ptx {

namespace {

enum class Special : std::uint8_t {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
    NwarpId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    SmId,
    NsmId,
    GridId,
    Clock,
    Clock64,
    ClockHi,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    DynamicSmem,
    TotalSmem,
    Zero,
    One,
    LocalBase,
    EnvRegLow,
    EnvRegHigh
};

struct SpecialName {
    std::string_view name;
    Special id;
    std::uint8_t sizeBytes;
};

constexpr SpecialName Names[] = {{"%tid.x", Special::TidX, 4}, {"%tid.y", Special::TidY, 4},
    {"%tid.z", Special::TidZ, 4}, {"%ntid.x", Special::NtidX, 4}, {"%ntid.y", Special::NtidY, 4},
    {"%ntid.z", Special::NtidZ, 4}, {"%ctaid.x", Special::CtaidX, 4},
    {"%ctaid.y", Special::CtaidY, 4}, {"%ctaid.z", Special::CtaidZ, 4},
    {"%nctaid.x", Special::NctaidX, 4}, {"%nctaid.y", Special::NctaidY, 4},
    {"%nctaid.z", Special::NctaidZ, 4}, {"%laneid", Special::LaneId, 4},
    {"%warpid", Special::WarpId, 4}, {"%nwarpid", Special::NwarpId, 4},
    {"%lanemask_eq", Special::LanemaskEq, 4}, {"%lanemask_le", Special::LanemaskLe, 4},
    {"%lanemask_lt", Special::LanemaskLt, 4}, {"%lanemask_ge", Special::LanemaskGe, 4},
    {"%lanemask_gt", Special::LanemaskGt, 4}, {"%smid", Special::SmId, 4},
    {"%nsmid", Special::NsmId, 4}, {"%gridid", Special::GridId, 8}, {"%clock", Special::Clock, 4},
    {"%clock_hi", Special::ClockHi, 4}, {"%clock64", Special::Clock64, 8},
    {"%globaltimer", Special::GlobalTimer, 8}, {"%globaltimer_lo", Special::GlobalTimerLo, 4},
    {"%globaltimer_hi", Special::GlobalTimerHi, 4}, {"%dynamic_smem_size", Special::DynamicSmem, 4},
    {"%total_smem_size", Special::TotalSmem, 4}, {"%aggr_smem_size", Special::TotalSmem, 4},
    {"%reserved_smem_offset_begin", Special::Zero, 4},
    {"%reserved_smem_offset_end", Special::Zero, 4}, {"%cluster_ctaid.x", Special::Zero, 4},
    {"%cluster_ctaid.y", Special::Zero, 4}, {"%cluster_ctaid.z", Special::Zero, 4},
    {"%cluster_ctarank", Special::Zero, 4}, {"%cluster_nctaid.x", Special::One, 4},
    {"%cluster_nctaid.y", Special::One, 4}, {"%cluster_nctaid.z", Special::One, 4},
    {"%cluster_nctarank", Special::One, 4}, {"%clusterid.x", Special::CtaidX, 4},
    {"%clusterid.y", Special::CtaidY, 4}, {"%clusterid.z", Special::CtaidZ, 4},
    {"%nclusterid.x", Special::NctaidX, 4}, {"%nclusterid.y", Special::NctaidY, 4},
    {"%nclusterid.z", Special::NctaidZ, 4}, {"%envreg1", Special::EnvRegHigh, 4},
    {"%envreg2", Special::EnvRegLow, 4}, {"%local_base", Special::LocalBase, 8}};

/// The CPU device counts warp instructions as clock cycles.
std::uint64_t nanoseconds()
{
    return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::steady_clock::now().time_since_epoch())
                             .count());
}

std::uint64_t laneValue(const Warp &warp, Special id, unsigned lane)
{
    const Block &block = *warp.block;
    const Launch &launch = block.state.launch;
    const std::uint32_t thread = warp.index * 32 + lane;
    const Dim3 shape = launch.block, grid = launch.grid;
    switch (id) {
    case Special::TidX:
        return thread % shape.x;
    case Special::TidY:
        return thread / shape.x % shape.y;
    case Special::TidZ:
        return thread / (shape.x * shape.y);
    case Special::NtidX:
        return shape.x;
    case Special::NtidY:
        return shape.y;
    case Special::NtidZ:
        return shape.z;
    case Special::CtaidX:
        return block.index.x;
    case Special::CtaidY:
        return block.index.y;
    case Special::CtaidZ:
        return block.index.z;
    case Special::NctaidX:
        return grid.x;
    case Special::NctaidY:
        return grid.y;
    case Special::NctaidZ:
        return grid.z;
    case Special::LaneId:
        return lane;
    case Special::WarpId:
        return warp.index;
    case Special::NwarpId:
        return 64; // of a multiprocessor, not of the block
    case Special::LanemaskEq:
        return 1u << lane;
    case Special::LanemaskLt:
        return (1u << lane) - 1;
    case Special::LanemaskLe:
        return (1u << lane) | ((1u << lane) - 1);
    case Special::LanemaskGe:
        return ~((1u << lane) - 1);
    case Special::LanemaskGt:
        return ~((1u << lane) | ((1u << lane) - 1));
    case Special::SmId:
        return block.linearIndex % 4;
    case Special::NsmId:
        return 4;
    case Special::GridId:
        return 1;
    case Special::Clock:
    case Special::Clock64:
        return warp.instructions;
    case Special::ClockHi:
        return warp.instructions >> 32;
    case Special::GlobalTimer:
    case Special::GlobalTimerLo:
        return nanoseconds();
    case Special::GlobalTimerHi:
        return nanoseconds() >> 32;
    case Special::DynamicSmem:
        return launch.dynamicSharedBytes;
    case Special::TotalSmem:
        return block.state.kernel.info.staticSharedBytes + launch.dynamicSharedBytes;
    case Special::Zero:
        return 0;
    case Special::One:
        return 1;
    case Special::EnvRegLow:
        return block.state.gridWorkspace & 0xffffffffu;
    case Special::EnvRegHigh:
        return block.state.gridWorkspace >> 32;
    case Special::LocalBase:
        return warp.frame->localBase;
    }
    return 0;
}

} // namespace

int specialRegister(std::string_view name, std::uint8_t &sizeBytes)
{
    for (const SpecialName &entry : Names)
        if (entry.name == name) {
            sizeBytes = entry.sizeBytes;
            return int(entry.id);
        }
    return -1;
}

bool isSpecialRegister(std::string_view name)
{
    std::uint8_t size = 0;
    if (specialRegister(name, size) >= 0)
        return true;
    for (const std::string_view family :
        {"%envreg", "%pm", "%is_explicit_cluster", "%current_graph_exec", "%reserved_smem_offset"})
        if (name.starts_with(family))
            return true;
    return false;
}

void handleSpecial(Warp &warp, const Instruction &in)
{
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!((warp.mask >> lane) & 1u))
            continue;
        const std::uint64_t result
            = laneValue(warp, Special(in.mode), lane) + std::uint64_t(in.offset);
        std::memcpy(warp.base[0] + in.dst + std::size_t(lane) * in.dstSize, &result, in.dstSize);
    }
}

} // namespace gpu::ptx
