#include "gpu/ptx/warp.h"

namespace gpu::ptx {

namespace baseline {
extern const Executor Instance;
}
#ifdef ESPALIER_X86_64
namespace v3 {
extern const Executor Instance;
}
#endif

const Executor &executor()
{
#ifdef ESPALIER_X86_64
    static const Executor &chosen = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
            && __builtin_cpu_supports("bmi2")
        ? v3::Instance
        : baseline::Instance;
    return chosen;
#else
    return baseline::Instance;
#endif
}

} // namespace gpu::ptx
