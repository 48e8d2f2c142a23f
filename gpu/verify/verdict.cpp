#include "gpu/verify/verdict.h"

#include <array>

namespace gpu {

namespace {
// In the order of the enumeration.
constexpr std::array<std::string_view, 15> Names{"ok", "compile_error", "plan_error",
    "launch_error", "memory_fault", "timeout", "crash", "wrong_result", "precision",
    "input_modified", "out_of_bounds", "nondeterministic", "impossible_time", "unsupported",
    "environment_error"};
} // namespace

std::string_view name(Verdict verdict)
{
    return Names[static_cast<std::size_t>(verdict)];
}

std::optional<Verdict> verdictFromName(std::string_view name)
{
    for (std::size_t i = 0; i < Names.size(); ++i)
        if (Names[i] == name)
            return static_cast<Verdict>(i);
    return std::nullopt;
}

} // namespace gpu
