#include "gpu/base/locatedjson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace gpu {

namespace {
constexpr std::size_t MaxDepth = 64;

/// Reads for nlohmann's lexer and lets us see how far it has come: its events carry no position.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    CountingIterator(const char *position, const char **shared)
        : m_position(position)
        , m_shared(shared)
    {
    }
    reference operator*() const { return *m_position; }
    CountingIterator &operator++()
    {
        *m_shared = ++m_position;
        return *this;
    }
    CountingIterator operator++(int)
    {
        const CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator &other) const { return m_position == other.m_position; }
    bool operator!=(const CountingIterator &other) const { return m_position != other.m_position; }

private:
    const char *m_position;
    const char **m_shared;
};

class Builder {
public:
    using Kind = LocatedJson::Kind;

    Builder(std::string_view text, int firstLine)
        : m_text(text)
        , m_firstLine(firstLine)
        , m_consumed(text.data())
    {
    }

    LocatedJson root;
    JsonSyntaxError error;

    CountingIterator begin() { return {m_text.data(), &m_consumed}; }
    CountingIterator end() { return {m_text.data() + m_text.size(), &m_consumed}; }

    bool null() { return add(Kind::Null); }
    bool boolean(bool value) { return add(Kind::Boolean) && ((m_last->boolean = value), true); }
    bool number_integer(std::int64_t value)
    {
        return addNumber(double(value), std::to_string(value));
    }
    bool number_unsigned(std::uint64_t value)
    {
        return addNumber(double(value), std::to_string(value));
    }
    bool number_float(double value, const std::string &text) { return addNumber(value, text); }
    bool string(std::string &value) { return add(Kind::String) && ((m_last->text = value), true); }
    bool binary(std::vector<std::uint8_t> &) { return false; }
    bool start_object(std::size_t) { return open(Kind::Object); }
    bool start_array(std::size_t) { return open(Kind::Array); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string &name)
    {
        LocatedJson &object = *m_open.back();
        if (object.find(name))
            return fail(position(0), "the key \"" + name + "\" stands twice in one object");
        object.members.push_back({name, lineOf(position(0)), {}});
        return true;
    }
    bool parse_error(std::size_t offset, const std::string &, const nlohmann::json::exception &what)
    {
        std::string message = what.what();
        // "[json.exception…] parse error at line 1, column 2: syntax error while …"
        const std::size_t colon = message.find(": ");
        if (colon != message.npos)
            message.erase(0, colon + 2);
        return fail(offset > 0 ? std::min(offset, m_text.size()) - 1 : 0, message);
    }

private:
    /// Offset of the last character of the token just read; a number needs one more to end.
    std::size_t position(std::size_t lookAhead) const
    {
        const std::size_t consumed = static_cast<std::size_t>(m_consumed - m_text.data());
        return consumed > lookAhead ? consumed - 1 - lookAhead : 0;
    }
    int lineOf(std::size_t offset) const
    {
        return m_firstLine
            + static_cast<int>(std::count(m_text.begin(), m_text.begin() + offset, '\n'));
    }
    bool fail(std::size_t offset, std::string message)
    {
        const std::size_t newline = offset > 0 ? m_text.rfind('\n', offset - 1) : m_text.npos;
        const std::size_t column = newline == m_text.npos ? offset : offset - newline - 1;
        error = {lineOf(offset), static_cast<int>(column) + 1, std::move(message)};
        return false;
    }
    bool add(Kind kind, std::size_t lookAhead = 0)
    {
        if (m_open.empty()) {
            m_last = &root;
        } else if (m_open.back()->kind == Kind::Array) {
            m_last = &m_open.back()->items.emplace_back();
        } else {
            m_last = &m_open.back()->members.back().value;
        }
        m_last->kind = kind;
        m_last->line = lineOf(position(lookAhead));
        return true;
    }
    bool addNumber(double value, std::string text)
    {
        add(Kind::Number, 1);
        m_last->number = value;
        m_last->text = std::move(text);
        return true;
    }
    // Pointers into the open path stay valid: only the innermost container grows.
    bool open(Kind kind)
    {
        if (m_open.size() >= MaxDepth)
            return fail(position(0), "the document nests deeper than 64 levels");
        add(kind);
        m_open.push_back(m_last);
        return true;
    }
    bool close()
    {
        m_open.pop_back();
        return true;
    }

    std::string_view m_text;
    int m_firstLine;
    const char *m_consumed;
    std::vector<LocatedJson *> m_open;
    LocatedJson *m_last = nullptr;
};
} // namespace

const LocatedJson *LocatedJson::find(std::string_view key) const
{
    for (const Member &member : members)
        if (member.key == key)
            return &member.value;
    return nullptr;
}

std::string_view LocatedJson::kindText() const
{
    switch (kind) {
    case Kind::Null:
        return "null";
    case Kind::Boolean:
        return "true or false";
    case Kind::Number:
        return "a number";
    case Kind::String:
        return "a text";
    case Kind::Array:
        return "a list";
    case Kind::Object:
        return "an object";
    }
    return "?";
}

std::variant<LocatedJson, JsonSyntaxError> parseLocatedJson(std::string_view text, int firstLine)
{
    Builder builder(text, firstLine);
    if (nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder))
        return std::move(builder.root);
    return builder.error;
}

} // namespace gpu
