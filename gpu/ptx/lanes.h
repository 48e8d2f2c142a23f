#pragma once

#include "gpu/ptx/decode.h"
#include "gpu/ptx/warp.h"

#include <bit>
#include <cstring>

/// Loops over the 32 lanes of registers. The execute*.cpp files are compiled once for each
/// instruction set with ESPALIER_ISA naming it, and keep everything in a namespace of that name.
namespace gpu::ptx::ESPALIER_ISA {

constexpr std::uint32_t FullMask = 0xffffffffu;

template <class T> inline T *lanes(Warp &warp, Slot slot)
{
    return reinterpret_cast<T *>(warp.base[slot >> 31] + (slot & ~ConstantSlot));
}

/// A predicate as a mask of lanes.
inline std::uint32_t predicate(Warp &warp, Slot slot)
{
    return *lanes<std::uint32_t>(warp, slot);
}

inline std::uint32_t predicateSource(Warp &warp, const Instruction &in, unsigned i)
{
    const std::uint32_t mask = predicate(warp, in.source[i]);
    return (in.negated >> i) & 1u ? ~mask : mask;
}

inline void writePredicate(Warp &warp, Slot slot, std::uint32_t value)
{
    std::uint32_t *destination = lanes<std::uint32_t>(warp, slot);
    *destination = (*destination & ~warp.mask) | (value & warp.mask);
}

/// destination[i] = f(i) for the active lanes. f is evaluated for all lanes, so it must be harmless
/// on any input. Sources may be the destination itself but never overlap it in part.
template <class R, class F> inline void writeLanes(Warp &warp, R *destination, F f)
{
    if (warp.mask == FullMask) {
#pragma GCC ivdep
        for (int i = 0; i < 32; ++i)
            destination[i] = f(i);
        return;
    }
    alignas(64) R values[32];
    for (int i = 0; i < 32; ++i)
        values[i] = f(i);
    const std::uint32_t mask = warp.mask;
#pragma GCC ivdep
    for (int i = 0; i < 32; ++i)
        destination[i] = (mask >> i) & 1u ? values[i] : destination[i];
}

template <class R, class A, auto F> void unary(Warp &warp, const Instruction &in)
{
    const A *a = lanes<A>(warp, in.source[0]);
    writeLanes(warp, lanes<R>(warp, in.dst), [=](int i) { return R(F(a[i])); });
}

template <class R, class A, auto F> void binary(Warp &warp, const Instruction &in)
{
    const A *a = lanes<A>(warp, in.source[0]);
    const A *b = lanes<A>(warp, in.source[1]);
    writeLanes(warp, lanes<R>(warp, in.dst), [=](int i) { return R(F(a[i], b[i])); });
}

/// Shifts: the second operand is always 32 bits wide.
template <class R, auto F> void shift(Warp &warp, const Instruction &in)
{
    const R *a = lanes<R>(warp, in.source[0]);
    const std::uint32_t *b = lanes<std::uint32_t>(warp, in.source[1]);
    writeLanes(warp, lanes<R>(warp, in.dst), [=](int i) { return R(F(a[i], b[i])); });
}

template <class R, class A, class C, auto F> void ternary(Warp &warp, const Instruction &in)
{
    const A *a = lanes<A>(warp, in.source[0]);
    const A *b = lanes<A>(warp, in.source[1]);
    const C *c = lanes<C>(warp, in.source[2]);
    writeLanes(warp, lanes<R>(warp, in.dst), [=](int i) { return R(F(a[i], b[i], c[i])); });
}

/// Bit i of the result is f(i).
template <class F> inline std::uint32_t maskOf(F f)
{
    alignas(64) std::uint32_t bits[32];
    for (int i = 0; i < 32; ++i)
        bits[i] = f(i) ? 1u << i : 0u;
    std::uint32_t mask = 0;
    for (int i = 0; i < 32; ++i)
        mask |= bits[i];
    return mask;
}

/// A shape of `count` sources and a destination of one size.
inline Selection shapeOf(Handler handler, std::size_t sizeBytes, unsigned count)
{
    Selection shape;
    shape.handler = handler;
    shape.dst = std::uint8_t(sizeBytes);
    for (unsigned i = 0; i < count; ++i)
        shape.source[i] = std::uint8_t(sizeBytes);
    return shape;
}

Selection selectInteger(const Operation &operation);
Selection selectFloat(const Operation &operation);
Selection selectPredicate(const Operation &operation);
Selection selectConvert(const Operation &operation, const std::uint8_t *sizes, std::size_t count);
Selection selectMemory(const Operation &operation, const std::uint8_t *sizes, std::size_t count);

} // namespace gpu::ptx::ESPALIER_ISA
