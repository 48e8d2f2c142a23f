#include "gpu/ptx/lexer.h"

#include <bit>
#include <cstdlib>

namespace gpu::ptx {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool startsWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%'
        || c == '.';
}

int hexValue(char c)
{
    if (isDigit(c))
        return c - '0';
    const char lower = char(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

class Lexer {
public:
    explicit Lexer(std::string_view text)
        : m_text(text)
    {
    }

    Result<std::vector<Token>> run()
    {
        while (skipSpace()) {
            const std::size_t start = m_at;
            Token token;
            token.line = m_line;
            const char c = peek();
            if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
                if (!number(token))
                    return error("bad number");
            } else if (startsWord(c)) {
                word();
                token.kind = TokenKind::Word;
            } else if (c == '"') {
                if (!string())
                    return error("string without an end");
                token.kind = TokenKind::String;
                token.text = m_text.substr(start + 1, m_at - start - 2);
                m_tokens.push_back(token);
                continue;
            } else {
                token.kind = TokenKind::Punctuation;
                ++m_at;
            }
            token.text = m_text.substr(start, m_at - start);
            m_tokens.push_back(token);
        }
        if (m_unclosed)
            return error("comment without an end");
        Token end;
        end.line = m_line;
        m_tokens.push_back(end);
        return std::move(m_tokens);
    }

private:
    char peek(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }

    Error error(std::string_view what) const
    {
        return candidateError("PTX line " + std::to_string(m_line) + ": " + std::string(what));
    }

    bool skipSpace()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\n') {
                ++m_line;
                ++m_at;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0') {
                ++m_at;
            } else if (c == '/' && peek(1) == '/') {
                while (m_at < m_text.size() && m_text[m_at] != '\n')
                    ++m_at;
            } else if (c == '/' && peek(1) == '*') {
                const std::size_t end = m_text.find("*/", m_at + 2);
                m_unclosed = end == std::string_view::npos;
                const std::size_t stop = m_unclosed ? m_text.size() : end + 2;
                for (; m_at < stop; ++m_at)
                    m_line += m_text[m_at] == '\n';
            } else {
                return true;
            }
        }
        return false;
    }

    void word()
    {
        while (startsWord(peek()) || isDigit(peek()) || (peek() == ':' && peek(1) == ':'))
            m_at += peek() == ':' ? 2 : 1;
    }

    bool string()
    {
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at) {
            if (m_text[m_at] == '\\')
                ++m_at;
            else if (m_text[m_at] == '"')
                return ++m_at, true;
        }
        return false;
    }

    bool digits(std::uint64_t base, std::uint64_t &value, int &count)
    {
        for (count = 0; std::uint64_t(hexValue(peek())) < base; ++count, ++m_at)
            value = value * base + std::uint64_t(hexValue(peek()));
        return count > 0;
    }

    bool number(Token &token)
    {
        int count = 0;
        const char marker = char(peek(1) | 0x20);
        token.kind = TokenKind::Integer;
        if (peek() == '0' && (marker == 'f' || marker == 'd')) {
            m_at += 2;
            token.kind = TokenKind::Float;
            token.isSingle = marker == 'f';
            return digits(16, token.bits, count) && count == (token.isSingle ? 8 : 16);
        }
        if (peek() == '0' && (marker == 'x' || marker == 'b')) {
            m_at += 2;
            const bool ok = digits(marker == 'x' ? 16 : 2, token.bits, count);
            m_at += peek() == 'U';
            return ok && (marker != 'x' || count <= 16);
        }
        std::size_t end = m_at;
        while (end < m_text.size() && isDigit(m_text[end]))
            ++end;
        if (end < m_text.size() && (m_text[end] == '.' || (m_text[end] | 0x20) == 'e')) {
            const std::string text(m_text.substr(m_at, 64));
            char *stop = nullptr;
            token.bits = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), &stop));
            token.kind = TokenKind::Float;
            m_at += std::size_t(stop - text.c_str());
            return stop != text.c_str();
        }
        const bool ok = digits(peek() == '0' ? 8 : 10, token.bits, count);
        m_at += peek() == 'U';
        return ok;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    bool m_unclosed = false;
    std::vector<Token> m_tokens;
};

} // namespace

Result<std::vector<Token>> tokenize(std::string_view ptx)
{
    return Lexer(ptx).run();
}

} // namespace gpu::ptx
