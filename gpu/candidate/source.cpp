#include "gpu/candidate/source.h"

#include "gpu/base/files.h"
#include "gpu/candidate/lexer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace gpu {

namespace {
std::string constant(const std::string &name, double value)
{
    const bool whole = std::trunc(value) == value && std::fabs(value) < 9e15;
    char text[64];
    if (!whole)
        std::snprintf(text, sizeof text, "%.17g", value);
    else
        std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    const bool isInt
        = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
    const char *type = !whole ? "double" : isInt ? "int" : "long long";
    return std::string(" constexpr ") + type + " " + name + " = " + text
        + (whole && !isInt ? "LL;" : ";");
}

/// Where the leading block of directives with `#include` in it ends, and the macros defined there.
struct LeadingIncludes {
    std::size_t end = 0;
    std::set<std::string> macros;
};

LeadingIncludes leadingIncludes(std::string_view source)
{
    LeadingIncludes result;
    std::set<std::string> macros;
    int depth = 0;
    bool insideConditional = false;
    for (const SourceChunk &chunk : splitSource(source)) {
        if (chunk.kind == SourceChunk::Kind::Code)
            break;
        if (chunk.kind != SourceChunk::Kind::Directive)
            continue;
        const Directive directive
            = parseDirective(source.substr(chunk.begin, chunk.end - chunk.begin));
        if (directive.name.starts_with("if"))
            ++depth;
        else if (directive.name == "endif")
            --depth;
        else if (directive.name == "define")
            macros.insert(directive.rest.substr(0, directive.rest.find_first_of(" \t(")));
        // Constants must not stand inside a conditional that only guards an include.
        const bool closes = directive.name == "endif" && depth == 0 && insideConditional;
        if (directive.name == "include" || closes) {
            insideConditional = depth > 0;
            result.end = chunk.end;
            result.macros = macros;
        }
    }
    return result;
}
} // namespace

std::string translationUnit(
    const std::string &original, const Dims &dims, const TunablePoint &tunables)
{
    const std::string source = normalizedText(original);
    const LeadingIncludes includes = leadingIncludes(source);
    std::size_t at = includes.end;
    std::string names = "namespace dim {";
    const auto add = [&](const std::string &name, double value) {
        names += constant(name, value);
        // A macro of that name would break the declaration: then the constants come before it.
        if (includes.macros.count(name))
            at = 0;
    };
    for (const auto &[name, value] : dims)
        add(name, double(value));
    names += " } namespace tune {";
    for (const auto &[name, value] : tunables)
        add(name, value);
    names += " }\n";

    const std::string before = source.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const bool ended = before.empty() || before.back() == '\n';
    // The prelude comes unasked, as nvcc's own host headers do: fixed-width integers, INFINITY.
    return before + (ended ? "" : "\n")
        + "#line 1 \"constants\"\n#include <stdint.h>\n#include <math.h>\n" + names + "#line "
        + std::to_string(ended ? line : line + 1) + " \"" + CandidateFile + "\"\n"
        + source.substr(at);
}

std::optional<IncludeProblem> findIncludeProblem(const std::string &original)
{
    const std::string source = normalizedText(original);
    constexpr std::array Host = {"torch/", "ATen/", "c10/", "pybind11/", "thrust/", "cublas",
        "cudnn", "cub/cub.cuh", "cub/device/", "cutlass/", "cute/", "vector", "iostream", "string",
        "memory", "thread", "mutex", "chrono", "Python.h"};
    for (const SourceChunk &chunk : splitSource(source)) {
        if (chunk.kind != SourceChunk::Kind::Directive)
            continue;
        const Directive directive
            = parseDirective(std::string_view(source).substr(chunk.begin, chunk.end - chunk.begin));
        if (directive.name != "include" && directive.name != "include_next"
            && directive.name != "import" && directive.name != "embed")
            continue;
        const std::string &rest = directive.rest;
        const std::string shown = "#" + directive.name + " " + rest.substr(0, 80);
        const char close = rest.starts_with('<') ? '>' : rest.starts_with('"') ? '"' : '\0';
        if (close == '\0' || directive.name != "include")
            return IncludeProblem{chunk.line,
                shown + " is not allowed: write #include with the header's name itself."};
        const std::size_t end = rest.find(close, 1);
        const std::string path = rest.substr(1, end == rest.npos ? rest.npos : end - 1);
        if (path.starts_with('/') || path.find("..") != path.npos || path.find('\\') != path.npos)
            return IncludeProblem{chunk.line,
                shown
                    + " is not allowed: a kernel may include CUDA's own headers by name only, no "
                      "absolute path and no \"..\"."};
        for (const std::string_view host : Host) {
            const bool matches = host.ends_with('/') || host == "cublas" || host == "cudnn"
                ? path.starts_with(host)
                : path == host;
            if (matches)
                return IncludeProblem{chunk.line,
                    shown
                        + " is host code, which a candidate has none of: the launch plan is all "
                          "that "
                          "runs on the host. Write device code only."};
        }
    }
    return std::nullopt;
}

bool includesCccl(const std::string &source)
{
    const std::vector<SourceChunk> chunks = splitSource(source);
    return std::any_of(chunks.begin(), chunks.end(), [&source](const SourceChunk &chunk) {
        if (chunk.kind != SourceChunk::Kind::Directive)
            return false;
        const Directive directive
            = parseDirective(std::string_view(source).substr(chunk.begin, chunk.end - chunk.begin));
        return directive.name == "include"
            && (directive.rest.find("cuda/") == 1 || directive.rest.find("cub/") == 1
                || directive.rest.find("nv/") == 1);
    });
}

} // namespace gpu
