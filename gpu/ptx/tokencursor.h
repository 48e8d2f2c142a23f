#pragma once

#include "gpu/base/result.h"
#include "gpu/ptx/lexer.h"

#include <optional>
#include <string>

namespace gpu::ptx {

/// A place in the tokens of a module. The first error is kept and ends the parsing.
class TokenCursor {
protected:
    explicit TokenCursor(std::vector<Token> tokens)
        : m_tokens(std::move(tokens))
    {
    }

    const Token &at(std::size_t ahead = 0) const;
    const Token &take();
    bool accept(std::string_view text);
    void fail(const std::string &what);
    void expect(std::string_view text);
    std::string identifier();
    std::uint64_t integer();
    void skipStatement();
    void skipLine();
    void skipBraces();

    std::vector<Token> m_tokens;
    std::size_t m_next = 0;
    std::optional<Error> m_error;
};

} // namespace gpu::ptx
