#include "gpu/ptx/parser.h"

#include "gpu/ptx/lexer.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace gpu::ptx {

using namespace syntax;

namespace {

struct Symbol {
    enum class Kind : std::uint8_t { Register, Range, Variable } kind = Kind::Register;
    std::int32_t index = -1;
    std::uint32_t count = 0;
};

using Scope = std::unordered_map<std::string, Symbol>;

constexpr std::size_t MaxRegisters = 1u << 20;
constexpr std::size_t MaxVariableBytes = std::size_t(1) << 32;

std::string unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size())
            ++i;
        out += text[i];
    }
    return out;
}

/// Recursive descent; the first error ends it and is kept in m_error.
class Parser {
public:
    explicit Parser(std::vector<Token> tokens)
        : m_tokens(std::move(tokens))
    {
    }

    Result<Module> run()
    {
        while (!m_error && at().kind != TokenKind::End)
            moduleItem();
        if (m_error)
            return *m_error;
        return std::move(m_module);
    }

private:
    const Token &at(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_next + ahead, m_tokens.size() - 1)];
    }
    const Token &take()
    {
        const Token &token = at();
        if (m_next + 1 < m_tokens.size())
            ++m_next;
        return token;
    }
    bool accept(std::string_view text)
    {
        if (!at().is(text) || at().kind == TokenKind::End)
            return false;
        take();
        return true;
    }
    void fail(const std::string &what)
    {
        if (!m_error)
            m_error = candidateError("PTX line " + std::to_string(at().line) + ": " + what);
    }
    void expect(std::string_view text)
    {
        if (!accept(text))
            fail("expected '" + std::string(text) + "' before '" + std::string(at().text) + "'");
    }
    std::string identifier()
    {
        if (at().kind != TokenKind::Word) {
            fail("expected a name before '" + std::string(at().text) + "'");
            return {};
        }
        return std::string(take().text);
    }
    std::uint64_t integer()
    {
        const bool negative = accept("-");
        if (at().kind != TokenKind::Integer) {
            fail("expected a number before '" + std::string(at().text) + "'");
            return 0;
        }
        const std::uint64_t value = take().bits;
        return negative ? 0 - value : value;
    }
    void skipStatement()
    {
        while (at().kind != TokenKind::End && !at().is(";"))
            take();
        accept(";");
    }
    void skipLine()
    {
        for (const int line = at().line; at().kind != TokenKind::End && at().line == line;)
            take();
    }
    void skipBraces()
    {
        int depth = 0;
        do {
            depth += at().is("{") ? 1 : at().is("}") ? -1 : 0;
            if (at().kind == TokenKind::End)
                return fail("missing '}'");
            take();
        } while (depth > 0);
    }

    void moduleItem()
    {
        const Token &token = at();
        if (token.is(".version") || token.is(".target") || token.is(".address_size")
            || token.is(".pragma") || token.is(".alias"))
            skipLine();
        else if (token.is(".file"))
            file();
        else if (token.is(".section"))
            section();
        else if (token.is(";") || token.is(".visible") || token.is(".weak") || token.is(".common"))
            take();
        else if (token.is(".extern"))
            take(), m_extern = true;
        else if (token.is(".func") || token.is(".entry"))
            function();
        else if (token.is(".global") || token.is(".const") || token.is(".shared")
            || token.is(".local"))
            variable(nullptr);
        else
            fail("unknown directive '" + std::string(token.text) + "'");
    }

    void file()
    {
        take();
        const int index = int(integer());
        if (at().kind == TokenKind::String)
            m_module.files[index] = unescaped(take().text);
        while (accept(","))
            integer();
    }

    void section()
    {
        take();
        while (at().kind != TokenKind::End && !at().is("{"))
            take();
        skipBraces();
    }

    /// The next word of ".reg.b16" or ".reg .b16", without its dot.
    std::string directiveWord()
    {
        const std::string_view text = at().text;
        const std::size_t dot = text.find('.', 1);
        std::string word(text.substr(1, dot == std::string_view::npos ? dot : dot - 1));
        if (dot == std::string_view::npos)
            take();
        else
            m_tokens[m_next].text = text.substr(dot);
        return word;
    }

    /// The type words of a declaration, from the state space on.
    void declarator(Variable &variable, std::uint8_t &vector)
    {
        vector = 1;
        bool typed = false;
        while (!m_error && at().kind == TokenKind::Word && at().text[0] == '.') {
            const std::string word = directiveWord();
            if (word == "global")
                variable.space = Space::Global;
            else if (word == "shared" || word == "shared::cta")
                variable.space = Space::Shared;
            else if (word == "local")
                variable.space = Space::Local;
            else if (word == "const")
                variable.space = Space::Const;
            else if (word == "param")
                variable.space = Space::Param;
            else if (word == "align")
                variable.alignment = std::size_t(integer());
            else if (word == "ptr" || word == "attribute") {
                if (accept("("))
                    while (!accept(")") && at().kind != TokenKind::End)
                        take();
            } else if (word == "v2" || word == "v4" || word == "v8")
                vector = std::uint8_t(word[1] - '0');
            else if (word == "reg")
                m_isRegister = true;
            else if (const Type type = typeFromName(word); type != Type::None) {
                variable.type = type;
                typed = true;
            } else
                fail("unknown type '." + word + "'");
        }
        if (!typed)
            fail("declaration without a type");
        if (!std::has_single_bit(variable.alignment) || variable.alignment > 4096)
            fail("alignment is not a power of two up to 4096");
    }

    void dimensions(Variable &variable, std::uint8_t vector)
    {
        std::size_t size = sizeOf(variable.type) * vector;
        variable.alignment = std::max(variable.alignment, size > 0 ? size : 1);
        while (!m_error && accept("[")) {
            const std::size_t count = at().is("]") ? 0 : std::size_t(integer());
            if (count > MaxVariableBytes)
                return fail("variable is too large");
            size *= count;
            expect("]");
        }
        if (size > MaxVariableBytes)
            fail("variable is too large");
        variable.sizeBytes = size;
    }

    Initializer initializer(const Variable &variable)
    {
        Initializer value;
        if (at().kind == TokenKind::Float || (at().is("-") && at(1).kind == TokenKind::Float)) {
            const bool negative = accept("-");
            const Token token = take();
            double number = token.isSingle ? double(std::bit_cast<float>(std::uint32_t(token.bits)))
                                           : std::bit_cast<double>(token.bits);
            number = negative ? -number : number;
            if (variable.type == Type::F32)
                value.bits = token.isSingle && !negative
                    ? token.bits
                    : std::bit_cast<std::uint32_t>(float(number));
            else
                value.bits = std::bit_cast<std::uint64_t>(number);
            return value;
        }
        if (at().kind != TokenKind::Word) {
            // 0xFF(symbol) takes one byte of an address.
            const std::uint64_t number = integer();
            if (accept("(")) {
                value = initializer(variable);
                value.masked = true;
                value.shift = std::uint8_t(number == 0 ? 0 : std::countr_zero(number));
                expect(")");
                return value;
            }
            value.bits = number;
            return value;
        }
        if (at().is("generic") && at(1).is("(")) {
            take(), take();
            value.symbol = identifier();
            value.generic = true;
            expect(")");
        } else {
            value.symbol = identifier();
        }
        if (accept("+"))
            value.bits = integer();
        else if (accept("-"))
            value.bits = 0 - integer();
        return value;
    }

    void initializers(Variable &variable)
    {
        if (!accept("{")) {
            variable.initializers.push_back(initializer(variable));
            return;
        }
        while (!m_error && !accept("}")) {
            if (at().is("{"))
                initializers(variable);
            else
                variable.initializers.push_back(initializer(variable));
            accept(",");
        }
    }

    /// A variable or a list of them, of the module or of `function`; registers too.
    void variable(Function *function)
    {
        Variable variable;
        std::uint8_t vector = 1;
        m_isRegister = false;
        variable.line = at().line;
        declarator(variable, vector);
        do {
            Variable one = variable;
            one.name = identifier();
            if (m_isRegister && function) {
                registers(*function, one, vector);
                continue;
            }
            dimensions(one, vector);
            one.isExtern = m_extern;
            if (accept("="))
                initializers(one);
            if (one.initializers.size() > 1 && one.sizeBytes == 0)
                one.sizeBytes = one.initializers.size() * sizeOf(one.type);
            declare(function, std::move(one));
        } while (!m_error && accept(","));
        expect(";");
        m_extern = false;
    }

    void declare(Function *function, Variable variable)
    {
        if (!function) {
            m_module.variables.push_back(std::move(variable));
            return;
        }
        m_scopes.back()[variable.name]
            = {Symbol::Kind::Variable, std::int32_t(function->variables.size()), 0};
        function->variables.push_back(std::move(variable));
    }

    void registers(Function &function, const Variable &variable, std::uint8_t vector)
    {
        std::size_t count = 1;
        Symbol symbol{Symbol::Kind::Register, std::int32_t(function.registers.size()), 0};
        if (accept("<")) {
            count = std::size_t(integer());
            symbol.kind = Symbol::Kind::Range;
            expect(">");
        }
        if (count > MaxRegisters || function.registers.size() + count > MaxRegisters)
            return fail("too many registers");
        symbol.count = std::uint32_t(count);
        m_scopes.back()[variable.name] = symbol;
        function.registers.resize(function.registers.size() + count, {variable.type, vector});
    }

    void parameters(Function &function, std::size_t &count)
    {
        if (!accept("("))
            return;
        while (!m_error && !accept(")")) {
            Variable parameter;
            std::uint8_t vector = 1;
            m_isRegister = false;
            parameter.space = Space::Param;
            parameter.line = at().line;
            declarator(parameter, vector);
            parameter.name = identifier();
            dimensions(parameter, vector);
            if (m_isRegister)
                fail("register parameters are not supported; use .param");
            declare(&function, std::move(parameter));
            ++count;
            accept(",");
        }
    }

    void function()
    {
        Function function;
        function.line = at().line;
        function.isEntry = take().is(".entry");
        m_extern = false;
        m_scopes.assign(1, {});
        m_scopeIds.assign(1, 0);
        function.scopeParents.assign(1, -1);
        parameters(function, function.returnCount);
        function.name = identifier();
        parameters(function, function.parameterCount);
        m_location = {};
        while (!m_error && !at().is("{") && !at().is(";") && at().kind != TokenKind::End) {
            const std::string word = identifier();
            if (word == ".maxntid" || word == ".reqntid") {
                std::uint64_t threads = integer();
                while (accept(","))
                    threads *= integer();
                function.maxThreads = std::uint32_t(std::min<std::uint64_t>(threads, 1024));
            } else {
                while (at().kind == TokenKind::Integer || at().is(","))
                    take();
            }
        }
        if (accept("{")) {
            function.isDefined = true;
            while (!m_error && !(at().is("}") && m_scopes.size() == 1))
                bodyItem(function);
            expect("}");
        } else {
            accept(";");
        }
        m_scopes.clear();
        m_module.functions.push_back(std::move(function));
    }

    void bodyItem(Function &function)
    {
        const Token &token = at();
        if (token.kind == TokenKind::End) {
            fail("missing '}' at the end of function " + function.name);
        } else if (accept("{")) {
            m_scopes.emplace_back();
            function.scopeParents.push_back(m_scopeIds.back());
            m_scopeIds.push_back(int(function.scopeParents.size()) - 1);
        } else if (accept("}")) {
            m_scopes.pop_back();
            m_scopeIds.pop_back();
        } else if (token.is(".loc")) {
            location();
        } else if (token.is(".pragma")) {
            skipStatement();
        } else if (token.is(".file")) {
            file();
        } else if (token.is(";")) {
            take();
        } else if (token.kind == TokenKind::Word && token.text[0] == '.') {
            variable(&function);
        } else if (token.kind == TokenKind::Word && at(1).is(":")) {
            label(function);
        } else {
            statement(function);
        }
    }

    void location()
    {
        const int line = take().line;
        m_location.file = int(integer());
        m_location.line = int(integer());
        while (at().kind == TokenKind::Integer && at().line == line)
            take();
        while (at().line == line && accept(",")) {
            const std::string word = identifier();
            if (word == "inlined_at") {
                const int file = int(integer()), outer = int(integer());
                integer();
                // A fault inside a header's inline function is shown where the kernel calls it.
                if (file != m_location.file)
                    m_location = {file, outer};
            } else {
                identifier();
                if (accept("+"))
                    integer();
            }
        }
    }

    void label(Function &function)
    {
        Label label;
        label.name = identifier();
        label.scope = m_scopeIds.back();
        label.statement = function.statements.size();
        expect(":");
        if (accept(".branchtargets")) {
            do
                label.targets.push_back(identifier());
            while (!m_error && accept(","));
            expect(";");
        } else if (accept(".callprototype")) {
            Prototype prototype;
            prototypeList(prototype.returnSizes);
            identifier();
            prototypeList(prototype.parameterSizes);
            skipStatement();
            function.prototypes[label.name] = prototype;
            return;
        } else if (at().is(".calltargets")) {
            skipStatement();
            return;
        }
        function.labels.push_back(std::move(label));
    }

    void prototypeList(std::vector<std::size_t> &sizes)
    {
        if (!accept("("))
            return;
        while (!m_error && !accept(")")) {
            Variable parameter;
            std::uint8_t vector = 1;
            declarator(parameter, vector);
            if (at().kind == TokenKind::Word)
                take();
            dimensions(parameter, vector);
            sizes.push_back(parameter.sizeBytes);
            accept(",");
        }
    }

    void statement(Function &function)
    {
        Statement statement;
        statement.ptxLine = at().line;
        statement.location = m_location;
        statement.scope = m_scopeIds.back();
        if (accept("@")) {
            statement.guardNegated = accept("!");
            const Operand guard = operand(function);
            if (guard.kind != OperandKind::Register)
                return fail("the guard is not a predicate register");
            statement.guard = guard.index;
        }
        statement.opcode = identifier();
        while (!m_error && !accept(";")) {
            statement.operands.push_back(operand(function));
            if (!at().is(";"))
                expect(",");
        }
        function.statements.push_back(std::move(statement));
    }

    Operand operand(Function &function)
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

    Operand sequence(Function &function, OperandKind kind, std::string_view end)
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

    Operand simpleOperand(Function &function)
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
            result.kind
                = token.kind == TokenKind::Integer ? OperandKind::Integer : OperandKind::Float;
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

    Operand negatedLiteral()
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

    Operand address(Function &function)
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

    Operand named(const Function &function, const std::string &name)
    {
        Operand result;
        result.name = name;
        if (name == "_")
            return result;
        if (const auto symbol = find(name)) {
            result.kind = symbol->kind == Symbol::Kind::Variable ? OperandKind::Local
                                                                 : OperandKind::Register;
            result.index = symbol->index;
            return result;
        }
        const std::size_t dot = name.rfind('.');
        if (dot != std::string::npos && dot > 0 && dot + 2 == name.size()) {
            // %v.x: a component of a vector register; they are never declared by NVRTC.
            if (const auto symbol = find(name.substr(0, dot)); symbol
                && symbol->kind != Symbol::Kind::Variable
                && function.registers[std::size_t(symbol->index)].vector > 1)
                fail("vector registers are not supported");
        }
        result.kind = name[0] == '%' ? OperandKind::Special : OperandKind::Symbol;
        if (name == "WARP_SZ") {
            result.kind = OperandKind::Integer;
            result.bits = 32;
        }
        return result;
    }

    std::optional<Symbol> find(const std::string &name) const
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

    std::vector<Token> m_tokens;
    std::size_t m_next = 0;
    std::optional<Error> m_error;
    Module m_module;
    std::vector<Scope> m_scopes;
    std::vector<int> m_scopeIds;
    Location m_location;
    int m_depth = 0;
    bool m_extern = false;
    bool m_isRegister = false;
};

struct TypeName {
    std::string_view name;
    Type type;
    std::size_t sizeBytes;
};
constexpr TypeName TypeNames[] = {{"pred", Type::Pred, 0}, {"u8", Type::U8, 1},
    {"u16", Type::U16, 2}, {"u32", Type::U32, 4}, {"u64", Type::U64, 8}, {"s8", Type::S8, 1},
    {"s16", Type::S16, 2}, {"s32", Type::S32, 4}, {"s64", Type::S64, 8}, {"b8", Type::B8, 1},
    {"b16", Type::B16, 2}, {"b32", Type::B32, 4}, {"b64", Type::B64, 8}, {"b128", Type::B128, 16},
    {"f16", Type::F16, 2}, {"f16x2", Type::F16x2, 4}, {"bf16", Type::BF16, 2},
    {"bf16x2", Type::BF16x2, 4}, {"f32", Type::F32, 4}, {"f64", Type::F64, 8},
    {"tf32", Type::TF32, 4}, {"e4m3", Type::E4M3, 1}, {"e5m2", Type::E5M2, 1},
    {"e4m3x2", Type::E4M3x2, 2}, {"e5m2x2", Type::E5M2x2, 2}, {"u16x2", Type::U16x2, 4},
    {"s16x2", Type::S16x2, 4}, {"s4", Type::S4, 1}, {"u4", Type::U4, 1}, {"b1", Type::B1, 1},
    {"texref", Type::Other, 8}, {"samplerref", Type::Other, 8}, {"surfref", Type::Other, 8}};

} // namespace

std::size_t syntax::sizeOf(Type type)
{
    for (const TypeName &entry : TypeNames)
        if (entry.type == type)
            return entry.sizeBytes;
    return 0;
}

Type syntax::typeFromName(std::string_view name)
{
    for (const TypeName &entry : TypeNames)
        if (entry.name == name)
            return entry.type;
    return Type::None;
}

Result<Module> parse(std::string_view ptx)
{
    Result<std::vector<Token>> tokens = tokenize(ptx);
    if (!tokens)
        return tokens.error();
    return Parser(std::move(*tokens)).run();
}

} // namespace gpu::ptx
