#include "gpu/ptx/operandparser.h"

namespace gpu::ptx {

using namespace syntax;

Operand OperandParser::operand(const Function &function)
{
    Operand result = simpleOperand(function);
    if (!m_error && accept("|")) {
        Operand pair;
        pair.kind = OperandKind::Pair;
        pair.elements.push_back(std::move(result));
        pair.elements.push_back(simpleOperand(function));
        return pair;
    }
    return result;
}

Operand OperandParser::sequence(const Function &function, OperandKind kind, std::string_view end)
{
    Operand result;
    result.kind = kind;
    if (++m_depth > 16)
        fail("operand nested too deeply");
    while (!m_error && !accept(end)) {
        result.elements.push_back(operand(function));
        accept(",");
    }
    --m_depth;
    return result;
}

Operand OperandParser::simpleOperand(const Function &function)
{
    Operand result;
    if (accept("{"))
        return sequence(function, OperandKind::Vector, "}");
    if (accept("("))
        return sequence(function, OperandKind::List, ")");
    if (accept("["))
        return address(function);
    if (accept("!")) {
        result = simpleOperand(function);
        result.negated = true;
        return result;
    }
    if (accept("-"))
        return negatedLiteral();
    if (accept("~")) {
        result.kind = OperandKind::Integer;
        result.bits = ~integer();
        return result;
    }
    const Token &token = at();
    if (token.kind == TokenKind::Integer || token.kind == TokenKind::Float) {
        result.kind = token.kind == TokenKind::Integer ? OperandKind::Integer : OperandKind::Float;
        result.bits = token.bits;
        result.isSingle = token.isSingle;
        take();
        return result;
    }
    result = named(function, identifier());
    // mov may take the address of a variable plus an offset.
    if ((result.kind == OperandKind::Local || result.kind == OperandKind::Symbol)
        && (at().is("+") || at().is("-"))) {
        const bool negative = take().is("-");
        const std::uint64_t offset = integer();
        result.bits = negative ? 0 - offset : offset;
    }
    return result;
}

Operand OperandParser::negatedLiteral()
{
    Operand result;
    const Token token = take();
    result.bits = token.bits;
    result.isSingle = token.isSingle;
    if (token.kind == TokenKind::Integer) {
        result.kind = OperandKind::Integer;
        result.bits = 0 - token.bits;
    } else if (token.kind == TokenKind::Float) {
        result.kind = OperandKind::Float;
        result.bits ^= token.isSingle ? 0x80000000u : std::uint64_t(1) << 63;
    } else {
        fail("expected a number after '-'");
    }
    return result;
}

Operand OperandParser::address(const Function &function)
{
    Operand result;
    result.kind = OperandKind::Address;
    result.elements.push_back(simpleOperand(function));
    if (result.elements[0].kind == OperandKind::Local
        || result.elements[0].kind == OperandKind::Symbol) {
        result.bits = result.elements[0].bits;
        result.elements[0].bits = 0;
    }
    if (at().is("+") || at().is("-")) {
        const bool negative = take().is("-");
        const std::uint64_t offset = integer();
        result.bits += negative ? 0 - offset : offset;
    }
    while (!m_error && accept(","))
        result.elements.push_back(operand(function));
    expect("]");
    return result;
}

Operand OperandParser::named(const Function &function, const std::string &name)
{
    Operand result;
    result.name = name;
    if (name == "_")
        return result;
    if (const auto symbol = find(name)) {
        result.kind
            = symbol->kind == Symbol::Kind::Variable ? OperandKind::Local : OperandKind::Register;
        result.index = symbol->index;
        return result;
    }
    const std::size_t dot = name.rfind('.');
    if (dot != std::string::npos && dot > 0 && dot + 2 == name.size()) {
        // %v.x: a component of a vector register.
        if (const auto symbol = find(name.substr(0, dot)); symbol
            && symbol->kind != Symbol::Kind::Variable
            && function.registers[std::size_t(symbol->index)].vector > 1) {
            result.kind = OperandKind::Register;
            result.index = symbol->index;
            return result;
        }
    }
    result.kind = name[0] == '%' ? OperandKind::Special : OperandKind::Symbol;
    if (name == "WARP_SZ") {
        result.kind = OperandKind::Integer;
        result.bits = 32;
    }
    return result;
}

std::optional<Symbol> OperandParser::find(const std::string &name) const
{
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    const bool numbered = digits < name.size() && name.size() - digits < 9
        && (name[digits] != '0' || digits + 1 == name.size());
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        if (const auto it = scope->find(name);
            it != scope->end() && it->second.kind != Symbol::Kind::Range)
            return it->second;
        if (!numbered)
            continue;
        const auto it = scope->find(name.substr(0, digits));
        if (it == scope->end() || it->second.kind != Symbol::Kind::Range)
            continue;
        const unsigned long number = std::stoul(name.substr(digits));
        if (number < it->second.count) {
            Symbol symbol = it->second;
            symbol.kind = Symbol::Kind::Register;
            symbol.index += std::int32_t(number);
            return symbol;
        }
    }
    return std::nullopt;
}

} // namespace gpu::ptx
