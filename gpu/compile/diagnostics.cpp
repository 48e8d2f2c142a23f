#include "gpu/compile/diagnostics.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace gpu {

namespace {
std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

struct Severity {
    const char *mark;
    const char *name;
};
// With "catastrophic error" before "error": the first match counts.
constexpr Severity Severities[] = {{"catastrophic error", "error"}, {"error", "error"},
    {"warning", "warning"}, {"note", "note"}, {"remark", "note"}};

/// "error: text" or "warning #177-D: text"; false if it is neither.
bool readSeverity(std::string_view rest, Diagnostic &diagnostic)
{
    for (const Severity &severity : Severities) {
        if (!rest.starts_with(severity.mark))
            continue;
        const std::size_t colon = rest.find(": ");
        if (colon == rest.npos || colon > 40)
            return false;
        diagnostic.severity = severity.name;
        diagnostic.text = rest.substr(colon + 2);
        return true;
    }
    return false;
}

/// "name(12): " at the start of a line. Returns what follows; empty if it is not of that form.
std::string_view readPlace(std::string_view text, std::string &file, int &line)
{
    const std::size_t close = text.find("): ");
    const std::size_t open = close == text.npos ? close : text.rfind('(', close);
    if (open == text.npos || open == 0 || close == open + 1)
        return {};
    const std::string number(text.substr(open + 1, close - open - 1));
    if (number.find_first_not_of("0123456789") != number.npos || number.size() > 9)
        return {};
    file = text.substr(0, open);
    line = std::atoi(number.c_str());
    return text.substr(close + 3);
}

/// NVRTC quotes the line with two blanks before it and a caret below.
int caretColumn(const std::vector<std::string> &lines, std::size_t message)
{
    for (std::size_t i = message + 1; i < lines.size() && i < message + 8; ++i) {
        const std::size_t first = lines[i].find_first_not_of(' ');
        if (first == std::string::npos)
            return 0;
        if (lines[i][first] == '^' && lines[i].find_first_not_of(" ^") == std::string::npos)
            return first >= 2 ? static_cast<int>(first) - 1 : 0;
    }
    return 0;
}

bool isPtxasChatter(const std::string &line)
{
    return line.starts_with("ptxas info") || line.starts_with("ptxas         .")
        || (line.find("bytes stack frame,") != std::string::npos
            && line.find("spill stores") != std::string::npos);
}
} // namespace

std::vector<Diagnostic> parseDiagnostics(const std::string &log, const std::string &file)
{
    std::vector<Diagnostic> diagnostics;
    const std::vector<std::string> lines = linesOf(log);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Diagnostic diagnostic;
        std::string place;
        int number = 0;
        const std::string_view rest = readPlace(lines[i], place, number);
        if (!rest.empty() && readSeverity(rest, diagnostic)) {
            // A long message goes on in lines that are indented further than the quoted source.
            for (std::size_t next = i + 1; next < lines.size() && lines[next].starts_with("      ")
                 && lines[next].find('^') == std::string::npos && next < i + 6;
                 ++next)
                if (next + 1 < lines.size()
                    && lines[next + 1].find_first_not_of(" ^") != std::string::npos)
                    diagnostic.text += " " + lines[next].substr(lines[next].find_first_not_of(' '));
            if (place == file) {
                diagnostic.line = number;
                diagnostic.column = caretColumn(lines, i);
            } else if (place == "__nv_name_map") {
                diagnostic.text = "In the plan's kernel names: " + diagnostic.text;
            } else {
                diagnostic.text
                    = place + ", line " + std::to_string(number) + ": " + diagnostic.text;
            }
            diagnostics.push_back(std::move(diagnostic));
        } else if (lines[i].starts_with("At end of source: ")
            && readSeverity(std::string_view(lines[i]).substr(18), diagnostic)) {
            diagnostics.push_back(std::move(diagnostic));
        } else if (lines[i].starts_with("ptxas") && !isPtxasChatter(lines[i])) {
            const bool warning = lines[i].find("warning") != std::string::npos;
            diagnostics.push_back({warning ? "warning" : "error", 0, 0, lines[i]});
        } else if (lines[i].starts_with("nvrtc: error: ")) {
            diagnostics.push_back({"error", 0, 0, lines[i].substr(14)});
        }
    }
    return diagnostics;
}

std::vector<PtxasUsage> parsePtxasUsage(const std::string &log)
{
    std::vector<PtxasUsage> usages;
    for (const std::string &line : linesOf(log)) {
        const std::size_t name = line.find("Function properties for ");
        if (name != std::string::npos)
            usages.push_back({line.substr(name + 24)});
        if (usages.empty())
            continue;
        PtxasUsage &usage = usages.back();
        const std::size_t frame = line.find_first_of("0123456789");
        if (line.find("bytes stack frame") != std::string::npos && frame != std::string::npos)
            std::sscanf(line.c_str() + frame,
                "%9d bytes stack frame, %9d bytes spill stores, %9d bytes spill loads",
                &usage.frameBytes, &usage.spillStoreBytes, &usage.spillLoadBytes);
        const std::size_t used = line.find("Used ");
        if (used != std::string::npos)
            std::sscanf(line.c_str() + used, "Used %9d registers", &usage.registers);
        const std::size_t shared = line.find(" bytes smem");
        const std::size_t begin = line.rfind(' ', shared - 1);
        if (shared != std::string::npos && shared > 0 && begin != std::string::npos)
            usage.sharedBytes = std::atoi(line.c_str() + begin);
    }
    return usages;
}

std::string readableLog(const std::string &log)
{
    std::string result;
    for (const std::string &line : linesOf(log))
        if (!isPtxasChatter(line) && !line.starts_with("Remark: The warnings can be suppressed"))
            result += line + "\n";
    while (result.ends_with("\n\n"))
        result.pop_back();
    return result == "\n" ? std::string() : result;
}

} // namespace gpu
