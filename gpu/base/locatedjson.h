#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpu {

/// A JSON value that knows its line, for messages about files that people and models write. Members
/// keep their order; a key that stands twice in one object is a syntax error.
struct LocatedJson {
    enum class Kind { Null, Boolean, Number, String, Array, Object };
    struct Member;

    Kind kind = Kind::Null;
    int line = 0; ///< 1-based; of an array or object: where it opens
    bool boolean = false;
    double number = 0;
    std::string text; ///< of a string: its value; of a number: as written
    std::vector<LocatedJson> items; ///< of an array
    std::vector<Member> members; ///< of an object

    bool is(Kind wanted) const { return kind == wanted; }
    /// The value of a key; null where there is none.
    const LocatedJson *find(std::string_view key) const;
    /// "a number", "an array", … for messages.
    std::string_view kindText() const;
};

struct LocatedJson::Member {
    std::string key;
    int line = 0;
    LocatedJson value;
};

struct JsonSyntaxError {
    int line = 0, column = 0; ///< 1-based
    std::string message; ///< no position in it, no full stop
};

/// Parses one document; its first character stands on `firstLine`.
std::variant<LocatedJson, JsonSyntaxError> parseLocatedJson(
    std::string_view text, int firstLine = 1);

} // namespace gpu
