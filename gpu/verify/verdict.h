#pragma once

#include <optional>
#include <string_view>

namespace gpu {

/// How the evaluation of a candidate ended. Only `Ok` has a speed. `EnvironmentError` (no device,
/// driver, disk, compiler) is never the candidate's fault.
enum class Verdict {
    Ok,
    CompileError,
    PlanError,
    LaunchError,
    MemoryFault, ///< an address in no buffer, null, or misaligned
    Timeout, ///< instruction budget or wall clock spent, or a barrier that cannot complete
    Crash, ///< trap, failed assert, or the runner died
    WrongResult,
    Precision, ///< right, but in a looser class than the problem asks for
    InputModified,
    OutOfBounds, ///< beyond the end of the buffer it belongs to: guard zones, shared, local
    Nondeterministic, ///< two runs differ, a race, or a read of memory never written
    ImpossibleTime, ///< below the speed-of-light floor
    Unsupported, ///< an instruction or feature this device cannot run, named in the message
    EnvironmentError
};

/// The name used in JSON: "ok", "compile_error", …
std::string_view name(Verdict verdict);
std::optional<Verdict> verdictFromName(std::string_view name);

} // namespace gpu
