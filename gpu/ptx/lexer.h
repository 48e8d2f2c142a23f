#pragma once

#include "gpu/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpu::ptx {

enum class TokenKind : std::uint8_t {
    Word, ///< identifier, register, opcode with its modifiers, or directive: "ld.global.f32"
    Integer,
    Float, ///< any floating literal; `bits` is an f64 pattern, or f32 if `isSingle`
    String,
    Punctuation, ///< one character
    End
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view text; ///< into the source
    std::uint64_t bits = 0;
    bool isSingle = false; ///< 0fXXXXXXXX
    int line = 0; ///< of the PTX text, from 1

    bool is(std::string_view other) const { return kind != TokenKind::String && text == other; }
};

/// Splits PTX into tokens; the last one is End. The tokens point into `ptx`.
Result<std::vector<Token>> tokenize(std::string_view ptx);

} // namespace gpu::ptx
