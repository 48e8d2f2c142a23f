#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gpu {

/// Element type of a tensor, scratch buffer or scalar argument.
enum class DType { F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, Bool };

std::size_t sizeInBytes(DType type);
/// The name used in problem.json and plans: "f32", "bf16", "i64", "bool", …
std::string_view name(DType type);
std::optional<DType> dtypeFromName(std::string_view name);
bool isFloating(DType type);

} // namespace gpu
