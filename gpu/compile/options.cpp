#include "gpu/compile/options.h"

#include <algorithm>
#include <array>
#include <regex>

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
} // namespace

std::string optionProblem(const std::string &option)
{
    static const std::regex allowed(
        "-{1,2}use_fast_math|-{1,2}maxrregcount=(1[6-9]|[2-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])"
        "|-{1,2}(fmad|ftz|prec-div|prec-sqrt)=(true|false)"
        "|-{1,2}extra-device-vectorization|-{1,2}restrict|-{1,2}std=c\\+\\+(17|20)"
        "|(-Xptxas=|--ptxas-options=)(-O[0-3]|-dlcm=(ca|cg|cs|cv)"
        "|--?allow-expensive-optimizations=(true|false))");
    // std::regex recurses on long input.
    if (option.size() < 100 && std::regex_match(option, allowed))
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
