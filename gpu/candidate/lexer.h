#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpu {

/// A stretch of a CUDA source. The chunks of a text follow each other without a gap.
struct SourceChunk {
    enum class Kind {
        Space,
        Comment, ///< one `//` line without its newline, or one `/* */`
        Directive, ///< a preprocessor line with its continuations and its newline
        Code ///< everything else, string literals included
    };
    Kind kind = Kind::Space;
    std::size_t begin = 0, end = 0; ///< offsets, end exclusive
    int line = 1; ///< of its first character
};

/// Splits a source as a C++ preprocessor sees it: comment marks inside strings (raw ones too) and
/// directive marks inside comments do not count. Never fails; an unterminated comment or string
/// ends with the text.
std::vector<SourceChunk> splitSource(std::string_view source);

/// A directive's name and the rest of its line, without comments and continuations.
struct Directive {
    std::string name; ///< "include", "define", …
    std::string rest;
};
Directive parseDirective(std::string_view text);

} // namespace gpu
