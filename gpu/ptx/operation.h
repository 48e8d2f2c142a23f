#pragma once

#include "gpu/ptx/numeric.h"
#include "gpu/ptx/syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpu::ptx {

using syntax::Space;
using syntax::Type;

/// An opcode taken apart: "fma.rn.ftz.f32" → base "fma", rounding Rn, ftz, types {F32}.
struct Operation {
    std::string base;
    std::vector<std::string> modifiers; ///< all but the types
    std::vector<Type> types;
    Rounding rounding = Rounding::Rn;
    bool hasRounding = false, integralRounding = false;
    bool ftz = false, sat = false;
    Space space = Space::Generic;
    unsigned vector = 1; ///< .v2 .v4 .v8

    bool has(std::string_view modifier) const;
    Type type(std::size_t i = 0) const { return i < types.size() ? types[i] : Type::None; }
};

Operation parseOperation(std::string_view opcode);

} // namespace gpu::ptx
