#include "gpu/ptx/collective.h"
#include "gpu/ptx/scalar.h"

#include <bit>

namespace gpu::ptx {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum : u32 { IsSub = 1, IsMad = 2, ReadsCarry = 4, WritesCarry = 8, High = 16 };

void carry(Warp &warp, const Instruction &in)
{
    const unsigned width = in.dstSize * 8;
    const u64 mask = width == 64 ? ~u64(0) : (u64(1) << width) - 1;
    const u32 flags = laneValue<u32>(warp, CarrySlot, 0);
    for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(std::countr_zero(rest));
        u64 a = laneBits(warp, in, 0, lane), b = laneBits(warp, in, 1, lane);
        if (in.mode & IsMad) {
            const bool isSigned = syntax::isSigned(in.type);
            const Wide product = isSigned ? (width == 64 ? Wide(std::int64_t(a)) * std::int64_t(b)
                                                         : Wide(std::int32_t(a)) * std::int32_t(b))
                                          : Wide(UnsignedWide(a) * b);
            a = u64(in.mode & High ? product >> width : product) & mask;
            b = laneBits(warp, in, 2, lane);
        }
        const u64 flag = (in.mode & ReadsCarry) ? (flags >> lane) & 1u : 0;
        const Wide sum = (in.mode & IsSub) ? Wide(a) - b - flag : Wide(a) + b + flag;
        setLaneBits(warp, in.dst, in.dstSize, lane, u64(sum) & mask);
        if (in.mode & WritesCarry)
            setPredicate(warp, CarrySlot, lane, (u64(sum >> width) & 1u) != 0);
    }
}

} // namespace

Selection selectCarry(const Operation &op)
{
    Selection shape;
    const bool reads = op.base == "addc" || op.base == "subc" || op.base == "madc";
    if (!reads && !op.has("cc"))
        return shape;
    const std::string kind = op.base.substr(0, 3);
    const std::uint8_t size = std::uint8_t(syntax::sizeOf(op.type()));
    if ((kind != "add" && kind != "sub" && kind != "mad") || (size != 4 && size != 8))
        return shape;
    shape.handler = carry;
    shape.dst = shape.source[0] = shape.source[1] = size;
    if (kind == "mad")
        shape.source[2] = size;
    shape.mode = (kind == "sub" ? IsSub : 0u) | (kind == "mad" ? IsMad : 0u)
        | (reads ? ReadsCarry : 0u) | (op.has("cc") ? WritesCarry : 0u)
        | (op.has("hi") ? High : 0u);
    return shape;
}

} // namespace gpu::ptx
