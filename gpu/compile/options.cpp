#include "gpu/compile/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace gpu {

namespace {
constexpr const char *Allowed
    = "--use_fast_math, --maxrregcount=N (16 to 255), "
      "--fmad=, --ftz=, --prec-div= and --prec-sqrt= (true or false), "
      "--extra-device-vectorization, --restrict, "
      "--std=c++17 or c++20, -Xptxas=-O0…-O3, -Xptxas=-dlcm=ca|cg|cs|cv and "
      "-Xptxas=-allow-expensive-optimizations=true|false";

struct Refusal {
    const char *prefix;
    const char *reason;
};
constexpr std::array Refusals = {Refusal{"-I",
                                     "include folders are fixed: a kernel sees CUDA's own "
                                     "headers only"},
    Refusal{"--include-path", "include folders are fixed: a kernel sees CUDA's own headers only"},
    Refusal{"-include", "the source must include what it needs itself"},
    Refusal{"--pre-include", "the source must include what it needs itself"},
    Refusal{"-arch", "the target is the device that is measured"},
    Refusal{"--gpu-architecture", "the target is the device that is measured"},
    Refusal{"-D", "write a #define or a tunable in the source instead"},
    Refusal{"--define-macro", "write a #define or a tunable in the source instead"},
    Refusal{"-U", "write an #undef in the source instead"}};

/// Written whole, after one dash or two.
constexpr std::array Exact = {"use_fast_math", "extra-device-vectorization", "restrict",
    "std=c++17", "std=c++20", "fmad=true", "fmad=false", "ftz=true", "ftz=false", "prec-div=true",
    "prec-div=false", "prec-sqrt=true", "prec-sqrt=false"};
constexpr std::array Ptxas = {"-O0", "-O1", "-O2", "-O3", "-dlcm=ca", "-dlcm=cg", "-dlcm=cs",
    "-dlcm=cv", "-allow-expensive-optimizations=true", "-allow-expensive-optimizations=false",
    "--allow-expensive-optimizations=true", "--allow-expensive-optimizations=false"};
constexpr int MinRegisters = 16, MaxRegisters = 255;

bool consume(std::string_view &text, std::string_view start)
{
    if (!text.starts_with(start))
        return false;
    text.remove_prefix(start.size());
    return true;
}

template <class List> bool contains(const List &list, std::string_view text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

bool isAllowed(std::string_view option)
{
    if (consume(option, "-Xptxas=") || consume(option, "--ptxas-options="))
        return contains(Ptxas, option);
    if (!consume(option, "--") && !consume(option, "-"))
        return false;
    if (consume(option, "maxrregcount=")) {
        int count = 0;
        const auto [end, error]
            = std::from_chars(option.data(), option.data() + option.size(), count);
        return error == std::errc() && end == option.data() + option.size() && count >= MinRegisters
            && count <= MaxRegisters;
    }
    return contains(Exact, option);
}
} // namespace

std::string optionProblem(const std::string &option)
{
    if (isAllowed(option))
        return {};
    std::string problem = "The option \"" + option.substr(0, 100) + "\" is not allowed";
    for (const Refusal &refusal : Refusals)
        if (option.starts_with(refusal.prefix)) {
            problem += ": ";
            problem += refusal.reason;
            break;
        }
    return problem + ". Allowed are " + Allowed + ".";
}

bool usesFastMath(const std::vector<std::string> &options)
{
    return std::any_of(options.begin(), options.end(),
        [](const std::string &option) { return option.ends_with("-use_fast_math"); });
}

} // namespace gpu
