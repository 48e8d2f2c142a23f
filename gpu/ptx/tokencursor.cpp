#include "gpu/ptx/tokencursor.h"

#include <algorithm>

namespace gpu::ptx {

const Token &TokenCursor::at(std::size_t ahead) const
{
    return m_tokens[std::min(m_next + ahead, m_tokens.size() - 1)];
}

const Token &TokenCursor::take()
{
    const Token &token = at();
    if (m_next + 1 < m_tokens.size())
        ++m_next;
    return token;
}

bool TokenCursor::accept(std::string_view text)
{
    if (!at().is(text) || at().kind == TokenKind::End)
        return false;
    take();
    return true;
}

void TokenCursor::fail(const std::string &what)
{
    if (!m_error)
        m_error = candidateError("PTX line " + std::to_string(at().line) + ": " + what);
}

void TokenCursor::expect(std::string_view text)
{
    if (!accept(text))
        fail("expected '" + std::string(text) + "' before '" + std::string(at().text) + "'");
}

std::string TokenCursor::identifier()
{
    if (at().kind != TokenKind::Word) {
        fail("expected a name before '" + std::string(at().text) + "'");
        return {};
    }
    return std::string(take().text);
}

std::uint64_t TokenCursor::integer()
{
    const bool negative = accept("-");
    if (at().kind != TokenKind::Integer) {
        fail("expected a number before '" + std::string(at().text) + "'");
        return 0;
    }
    const std::uint64_t value = take().bits;
    return negative ? 0 - value : value;
}

void TokenCursor::skipStatement()
{
    while (at().kind != TokenKind::End && !at().is(";"))
        take();
    accept(";");
}

void TokenCursor::skipLine()
{
    for (const int line = at().line; at().kind != TokenKind::End && at().line == line;)
        take();
}

void TokenCursor::skipBraces()
{
    int depth = 0;
    do {
        depth += at().is("{") ? 1 : at().is("}") ? -1 : 0;
        if (at().kind == TokenKind::End)
            return fail("missing '}'");
        take();
    } while (depth > 0);
}

} // namespace gpu::ptx
