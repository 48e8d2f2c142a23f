#include "gpu/problem/expression.h"

#include "gpu/base/identifier.h"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpu {

namespace {
constexpr std::size_t MaxLength = 2000;
constexpr int MaxNesting = 64;
constexpr double MaxExactInteger = 9007199254740992.0; // 2^53

constexpr std::array Functions = {"ceil_div", "floor_div", "align", "min", "max", "floor", "ceil",
    "abs", "sqrt", "exp", "log", "log2", "pow"};
constexpr std::array DeviceFacts = {"sm_count", "max_shared", "warp"};

// A function must not throw: muparser folds constants in branches that are never taken. NaN is
// reported at the end if it reaches the result.
double ceilDiv(double a, double b)
{
    return std::ceil(a / b);
}
double floorDiv(double a, double b)
{
    return std::floor(a / b);
}
double alignUp(double a, double b)
{
    return std::ceil(a / b) * b;
}
double modulo(double a, double b)
{
    return std::fmod(a, b);
}
double logicalNot(double a)
{
    return a == 0 ? 1 : 0;
}
double identity(double a)
{
    return a;
}

double smallest(const double *values, int count)
{
    return count > 0 ? *std::min_element(values, values + count) : std::nan("");
}

double largest(const double *values, int count)
{
    return count > 0 ? *std::max_element(values, values + count) : std::nan("");
}

std::string quoted(std::string_view text)
{
    std::string result = "'";
    result += text.substr(0, 120);
    return result + (text.size() > 120 ? "…'" : "'");
}

/// What muparser would take but we do not offer: assignments, several values, strings, `^` (a power
/// there, exclusive or in C++), bit operators. Empty if there is nothing of it.
std::string refusal(std::string_view text)
{
    if (text.empty() || text.find_first_not_of(" \t\n") == text.npos)
        return "is empty";
    if (text.size() > MaxLength)
        return "is longer than " + std::to_string(MaxLength) + " characters";
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const char next = i + 1 < text.size() ? text[i + 1] : ' ';
        const char last = i > 0 ? text[i - 1] : ' ';
        if (c == '(' && ++depth > MaxNesting)
            return "nests deeper than " + std::to_string(MaxNesting) + " parentheses";
        if (c == ')')
            --depth;
        if (c == ',' && depth == 0)
            return "has a comma outside a function's parentheses";
        if (c == '=' && next != '=' && last != '=' && last != '<' && last != '>' && last != '!')
            return "has an assignment; a comparison is ==";
        if ((c == '&' || c == '|') && next != c && last != c)
            return std::string("has the bit operator ") + c + "; logic is && and ||";
        if (c == '^')
            return "has ^; a power is pow(a, b)";
        if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n')
            return "has a control character";
        if (static_cast<unsigned char>(c) >= 127
            || std::string_view("\"'`#$@\\;{}[]~").find(c) != text.npos)
            return "has a character that expressions do not know";
    }
    return {};
}

std::string explained(const mu::Parser::exception_type &error, const Variables &variables)
{
    const std::string token = error.GetToken();
    switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN: {
        std::vector<std::string> known(Functions.begin(), Functions.end());
        for (const auto &[name, value] : variables)
            known.push_back(name);
        const std::string word = token.substr(0, token.find_first_of(" \t\n()+-*/%,<>=!?:&|"));
        if (!isCppIdentifier(word))
            return "cannot be read at " + quoted(token);
        const std::string near = nearestName(word, known);
        std::vector<std::string> names;
        for (const auto &[name, value] : variables)
            if (name.find('.') == name.npos)
                names.push_back(name);
        return "names the unknown " + quoted(word)
            + (near.empty() ? ". Known are " + listed(names) : ". Did you mean '" + near + "'?");
    }
    case mu::ecTOO_FEW_PARAMS:
    case mu::ecTOO_MANY_PARAMS:
        return "calls " + quoted(token) + " with a wrong number of values";
    case mu::ecMISSING_PARENS:
        return "lacks a closing parenthesis";
    case mu::ecUNEXPECTED_EOF:
        return "ends too early";
    case mu::ecMISSING_ELSE_CLAUSE:
        return "has a ? without its :";
    default:
        return "is wrong" + (token.empty() ? std::string() : " at " + quoted(token)) + ": "
            + error.GetMsg();
    }
}
} // namespace

Result<double> evaluate(std::string_view expression, const Variables &variables)
{
    const std::string refused = refusal(expression);
    if (!refused.empty())
        return callerError("The expression " + quoted(expression) + " " + refused + ".");
    try {
        mu::Parser parser;
        parser.ClearConst();
        parser.ClearFun();
        parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        parser.DefineFun("ceil_div", ceilDiv);
        parser.DefineFun("floor_div", floorDiv);
        parser.DefineFun("align", alignUp);
        parser.DefineFun("min", smallest);
        parser.DefineFun("max", largest);
        parser.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
        parser.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
        parser.DefineFun("abs", static_cast<double (*)(double)>(std::fabs));
        parser.DefineFun("sqrt", static_cast<double (*)(double)>(std::sqrt));
        parser.DefineFun("exp", static_cast<double (*)(double)>(std::exp));
        parser.DefineFun("log", static_cast<double (*)(double)>(std::log));
        parser.DefineFun("log2", static_cast<double (*)(double)>(std::log2));
        parser.DefineFun("pow", static_cast<double (*)(double, double)>(std::pow));
        parser.DefineOprt("%", modulo, mu::prMUL_DIV, mu::oaLEFT, true);
        parser.DefineInfixOprt("!", logicalNot);
        parser.DefineInfixOprt("+", identity);
        for (const auto &[name, value] : variables)
            parser.DefineConst(name, value);
        parser.SetExpr(std::string(expression));
        int count = 0;
        const double *values = parser.Eval(count);
        if (count != 1)
            return callerError("The expression " + quoted(expression) + " has several values.");
        if (!std::isfinite(values[0]))
            return callerError("The expression " + quoted(expression)
                + " has no finite value: it divides by zero or is too large.");
        return values[0];
    } catch (const mu::Parser::exception_type &error) {
        return callerError(
            "The expression " + quoted(expression) + " " + explained(error, variables) + ".");
    } catch (const std::exception &error) {
        return callerError(
            "The expression " + quoted(expression) + " is wrong: " + error.what() + ".");
    }
}

Result<std::int64_t> evaluateInteger(std::string_view expression, const Variables &variables)
{
    const Result<double> value = evaluate(expression, variables);
    if (!value)
        return value.error();
    if (std::fabs(*value) > MaxExactInteger)
        return callerError("The expression " + quoted(expression) + " is " + numberText(*value)
            + ", too large to be exact (the limit is 2^53).");
    if (std::trunc(*value) != *value)
        return callerError("The expression " + quoted(expression) + " is " + numberText(*value)
            + ", not a whole number; ceil_div(a, b) and floor_div(a, b) round.");
    return static_cast<std::int64_t>(*value);
}

bool isReservedInExpressions(std::string_view name)
{
    return std::find(Functions.begin(), Functions.end(), name) != Functions.end()
        || std::find(DeviceFacts.begin(), DeviceFacts.end(), name) != DeviceFacts.end();
}

std::string numberText(double value)
{
    if (std::fabs(value) < 1e15 && std::trunc(value) == value)
        return std::to_string(static_cast<std::int64_t>(value));
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

} // namespace gpu
