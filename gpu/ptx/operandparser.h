#pragma once

#include "gpu/ptx/syntax.h"
#include "gpu/ptx/tokencursor.h"

namespace gpu::ptx {

/// What a name means in a block of a function.
struct Symbol {
    enum class Kind : std::uint8_t { Register, Range, Variable } kind = Kind::Register;
    std::int32_t index = -1;
    std::uint32_t count = 0;
};

using Scope = std::unordered_map<std::string, Symbol>;

/// Parses operands; names are looked up from the innermost block outwards.
class OperandParser : protected TokenCursor {
protected:
    using TokenCursor::TokenCursor;

    syntax::Operand operand(const syntax::Function &function);

    std::vector<Scope> m_scopes;

private:
    syntax::Operand sequence(
        const syntax::Function &function, syntax::OperandKind kind, std::string_view end);
    syntax::Operand simpleOperand(const syntax::Function &function);
    syntax::Operand negatedLiteral();
    syntax::Operand address(const syntax::Function &function);
    syntax::Operand named(const syntax::Function &function, const std::string &name);
    std::optional<Symbol> find(const std::string &name) const;

    int m_depth = 0;
};

} // namespace gpu::ptx
