#include "gpu/candidate/lexer.h"

#include <algorithm>
#include <cctype>

namespace gpu {

namespace {
bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Splitter {
public:
    explicit Splitter(std::string_view text)
        : m_text(text)
    {
    }

    std::vector<SourceChunk> split()
    {
        bool lineStart = true;
        while (m_at < m_text.size()) {
            const std::size_t begin = m_at;
            if (isBlank(peek()) || peek() == '\n') {
                while (isBlank(peek()) || peek() == '\n')
                    lineStart |= m_text[m_at++] == '\n';
                add(SourceChunk::Kind::Space, begin);
            } else if (isCommentStart()) {
                skipComment();
                add(SourceChunk::Kind::Comment, begin);
            } else if (lineStart && hashLength() > 0) {
                skipDirective();
                add(SourceChunk::Kind::Directive, begin);
            } else {
                while (m_at < m_text.size() && peek() != '\n' && !isCommentStart())
                    skipCode();
                lineStart = false;
                add(SourceChunk::Kind::Code, begin);
            }
        }
        return std::move(m_chunks);
    }

private:
    char peek(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    bool startsWith(std::string_view mark) const
    {
        return m_text.substr(m_at, mark.size()) == mark;
    }
    bool isCommentStart() const { return startsWith("//") || startsWith("/*"); }
    std::size_t hashLength() const
    {
        return startsWith("#") ? 1 : startsWith("%:") ? 2 : startsWith("\?\?=") ? 3 : 0;
    }
    void add(SourceChunk::Kind kind, std::size_t begin)
    {
        m_chunks.push_back({kind, begin, m_at, m_line});
        m_line += static_cast<int>(std::count(m_text.begin() + begin, m_text.begin() + m_at, '\n'));
    }
    /// After a backslash at the end of a line; 0 if there is none here.
    std::size_t continuationLength() const
    {
        if (peek() != '\\')
            return 0;
        std::size_t ahead = 1;
        while (isBlank(peek(ahead)))
            ++ahead;
        return peek(ahead) == '\n' ? ahead + 1 : 0;
    }
    void skipToLineEnd()
    {
        while (m_at < m_text.size() && peek() != '\n')
            m_at += std::max<std::size_t>(continuationLength(), 1);
    }
    void skipComment()
    {
        if (startsWith("//"))
            return skipToLineEnd();
        const std::size_t end = m_text.find("*/", m_at + 2);
        m_at = end == m_text.npos ? m_text.size() : end + 2;
    }
    void skipDirective()
    {
        m_at += hashLength();
        while (m_at < m_text.size() && peek() != '\n') {
            if (isCommentStart())
                skipComment();
            else if (const std::size_t length = continuationLength())
                m_at += length;
            else if (peek() == '"' || peek() == '\'')
                skipQuoted(peek());
            else
                ++m_at;
        }
        m_at += m_at < m_text.size() ? 1 : 0;
    }
    void skipQuoted(char quote)
    {
        ++m_at;
        while (m_at < m_text.size() && peek() != quote && peek() != '\n') {
            const std::size_t length = continuationLength();
            m_at += length ? length : peek() == '\\' ? 2 : 1;
        }
        m_at = std::min(m_at + (peek() == quote ? 1 : 0), m_text.size());
    }
    void skipCode()
    {
        if (peek() == '"' && isRawPrefix())
            return skipRawString();
        // A quote after a digit separates digits: 1'000.
        const bool separator = peek() == '\'' && m_at > 0 && isWord(m_text[m_at - 1])
            && isWord(peek(1)) && !isCharacterPrefix();
        if (peek() == '"' || (peek() == '\'' && !separator))
            return skipQuoted(peek());
        const std::size_t length = continuationLength();
        m_at += std::max<std::size_t>(length, 1);
    }
    std::string_view wordBefore() const
    {
        std::size_t begin = m_at;
        while (begin > 0 && isWord(m_text[begin - 1]))
            --begin;
        return m_text.substr(begin, m_at - begin);
    }
    bool isRawPrefix() const
    {
        const std::string_view word = wordBefore();
        return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
    }
    bool isCharacterPrefix() const
    {
        const std::string_view word = wordBefore();
        return word == "L" || word == "u" || word == "U" || word == "u8";
    }
    void skipRawString()
    {
        const std::size_t open = m_text.find('(', m_at);
        if (open == m_text.npos || open - m_at > 17)
            return skipQuoted('"');
        const std::string close
            = ")" + std::string(m_text.substr(m_at + 1, open - m_at - 1)) + "\"";
        const std::size_t end = m_text.find(close, open);
        m_at = end == m_text.npos ? m_text.size() : end + close.size();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    std::vector<SourceChunk> m_chunks;
};
} // namespace

std::vector<SourceChunk> splitSource(std::string_view source)
{
    return Splitter(source).split();
}

Directive parseDirective(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t next = i + 1;
        while (text[i] == '\\' && next < text.size() && isBlank(text[next]))
            ++next;
        if (text[i] == '\\' && next < text.size() && text[next] == '\n') {
            i = next + 1;
        } else if (text.substr(i, 2) == "/*") {
            const std::size_t end = text.find("*/", i + 2);
            i = end == text.npos ? text.size() : end + 2;
            plain += ' ';
        } else if (text.substr(i, 2) == "//" && plain.find_first_of("\"<") == plain.npos) {
            break;
        } else {
            plain += text[i++];
        }
    }
    std::size_t at = plain.starts_with("%:") ? 2 : plain.starts_with("\?\?=") ? 3 : 1;
    const auto skipBlank = [&plain, &at] {
        while (at < plain.size() && isBlank(plain[at]))
            ++at;
    };
    Directive directive;
    skipBlank();
    while (at < plain.size() && isWord(plain[at]))
        directive.name += plain[at++];
    skipBlank();
    directive.rest = at < plain.size() ? plain.substr(at) : std::string();
    while (!directive.rest.empty()
        && (isBlank(directive.rest.back()) || directive.rest.back() == '\n'))
        directive.rest.pop_back();
    return directive;
}

} // namespace gpu
