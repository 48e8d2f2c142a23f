#include "gpu/ptx/scalar.h"

namespace gpu::ptx {

ScalarFunction selectScalar(
    const Operation &op, const std::uint8_t *sizes, std::size_t count, Selection &shape)
{
    if (op.base == "cvt")
        return scalarConvert(op, sizes, count, shape);
    if (op.base == "setp" || op.base == "set" || op.base == "slct")
        return scalarCompare(op, shape);
    if (op.base == "createpolicy") {
        // There is no cache that it could steer.
        shape.dst = 8;
        shape.ignoresRest = true;
        return [](const std::uint64_t *, const Instruction &) { return std::uint64_t(0); };
    }
    // add.f32.bf16 and its like mix formats.
    if (op.types.size() != 1 && op.base != "dp4a" && op.base != "dp2a")
        return nullptr;
    switch (op.type()) {
    case Type::F32:
    case Type::F64:
        return scalarFloat(op, count, shape);
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
        return scalarHalf(op, shape);
    default:
        return scalarInteger(op, shape);
    }
}

} // namespace gpu::ptx
