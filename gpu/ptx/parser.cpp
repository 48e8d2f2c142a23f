#include "gpu/ptx/parser.h"

#include "gpu/ptx/operandparser.h"

#include <algorithm>
#include <bit>

namespace gpu::ptx {

using namespace syntax;

namespace {

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
class Parser : private OperandParser {
public:
    explicit Parser(std::vector<Token> tokens)
        : OperandParser(std::move(tokens))
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
            if (m_isRegister) {
                registers(function, parameter, vector);
                function.hasRegisterParameters = true;
            } else {
                dimensions(parameter, vector);
                declare(&function, std::move(parameter));
                ++count;
            }
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
                function.maxThreads = std::uint32_t(std::min<std::uint64_t>(extents(), 1024));
            } else if (word == ".reqnctapercluster") {
                function.clusterBlocks = extents();
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

    /// The product of "x, y, z".
    std::uint64_t extents()
    {
        std::uint64_t product = integer();
        while (accept(","))
            product *= integer();
        return product;
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

    Module m_module;
    std::vector<int> m_scopeIds;
    Location m_location;
    bool m_extern = false;
    bool m_isRegister = false;
};

} // namespace

Result<Module> parse(std::string_view ptx)
{
    Result<std::vector<Token>> tokens = tokenize(ptx);
    if (!tokens)
        return tokens.error();
    return Parser(std::move(*tokens)).run();
}

} // namespace gpu::ptx
