#include "gpu/ptx/warp.h"

#include <cstdlib>
#include <string_view>

namespace gpu::ptx {

namespace baseline {
extern const Executor Instance;
}
#ifdef ESPALIER_X86_64
namespace v3 {
extern const Executor Instance;
}
#endif

namespace {

const Executor &choose()
{
#ifdef ESPALIER_X86_64
    const char *forced = std::getenv("ESPALIER_EXECUTOR");
    if (!(forced && std::string_view(forced) == "baseline") && __builtin_cpu_supports("avx2")
        && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return v3::Instance;
#endif
    return baseline::Instance;
}

} // namespace

const Executor &executor()
{
    static const Executor &chosen = choose();
    return chosen;
}

} // namespace gpu::ptx
