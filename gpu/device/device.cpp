#include "gpu/device/device.h"

#include <nlohmann/json.hpp>

namespace gpu {

nlohmann::json toJson(const DeviceFacts &facts)
{
    return {{"kind", facts.kind}, {"id", facts.id}, {"name", facts.name},
        {"architecture", facts.architecture}, {"sm_count", facts.limits.smCount},
        {"max_shared", facts.limits.maxSharedBytes}, {"memory_bytes", facts.memoryBytes},
        {"peak_bytes_per_second", facts.peakBytesPerSecond},
        {"peak_flops_per_second", facts.peakFlopsPerSecond}};
}

} // namespace gpu
