#include "gpu/base/identifier.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

namespace gpu {

namespace {
// C++20 keywords and alternative tokens, and CUDA's built-in variables.
constexpr std::array Reserved = {"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand",
    "bitor", "bool", "break", "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class",
    "compl", "concept", "const", "consteval", "constexpr", "constinit", "const_cast", "continue",
    "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
    "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq", "threadIdx", "blockIdx", "blockDim", "gridDim",
    "warpSize"};

bool isLetter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = std::tolower(static_cast<unsigned char>(a[i - 1]))
                == std::tolower(static_cast<unsigned char>(b[j - 1]));
            const std::size_t cost
                = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
            diagonal = row[j];
            row[j] = cost;
        }
    }
    return row[b.size()];
}
} // namespace

bool isCppIdentifier(std::string_view text)
{
    if (text.empty() || text.size() > 100 || !isLetter(text[0]))
        return false;
    for (char c : text)
        if (!isLetter(c) && !std::isdigit(static_cast<unsigned char>(c)))
            return false;
    if (text.find("__") != text.npos
        || (text.size() > 1 && text[0] == '_' && std::isupper(text[1])))
        return false;
    return std::find(Reserved.begin(), Reserved.end(), text) == Reserved.end();
}

std::string nearestName(std::string_view wrong, const std::vector<std::string> &known)
{
    std::string nearest;
    std::size_t best = std::max<std::size_t>((wrong.size() + 2) / 3, 1) + 1;
    for (const std::string &name : known) {
        const std::size_t distance = wrong.size() > 200 ? best : editDistance(wrong, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return nearest;
}

std::string listed(const std::vector<std::string> &names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

} // namespace gpu
