#include "gpu/base/dtype.h"

#include <array>

namespace gpu {

namespace {
struct Row {
    DType type;
    std::string_view name;
    std::size_t bytes;
    bool floating;
};
constexpr std::array<Row, 13> Rows{{{DType::F64, "f64", 8, true}, {DType::F32, "f32", 4, true},
    {DType::F16, "f16", 2, true}, {DType::BF16, "bf16", 2, true}, {DType::I64, "i64", 8, false},
    {DType::I32, "i32", 4, false}, {DType::I16, "i16", 2, false}, {DType::I8, "i8", 1, false},
    {DType::U64, "u64", 8, false}, {DType::U32, "u32", 4, false}, {DType::U16, "u16", 2, false},
    {DType::U8, "u8", 1, false}, {DType::Bool, "bool", 1, false}}};

const Row &row(DType type)
{
    return Rows[static_cast<std::size_t>(type)];
}
} // namespace

std::size_t sizeInBytes(DType type)
{
    return row(type).bytes;
}

std::string_view name(DType type)
{
    return row(type).name;
}

std::optional<DType> dtypeFromName(std::string_view name)
{
    for (const Row &r : Rows)
        if (r.name == name)
            return r.type;
    return std::nullopt;
}

bool isFloating(DType type)
{
    return row(type).floating;
}

} // namespace gpu
