#pragma once

#include "gpu/compile/nvrtc.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace gpu {

/// The compile child's side: `espalier-worker --compile-child LIBNVRTC`. Loads and warms NVRTC,
/// says hello, then takes one job and answers it, one JSON line each way:
///
///     out  {"hello":"13.0"}                                   or {"error":"…"} and the end
///     in   {"source","name","headers":[[name,text]…],"options":[…],"expressions":[…],"cubin":bool}
///     out  {"ok","status","log","ptx","cubin":"<hex>","lowered":[…]}
///
/// Returns the exit code; end of input is a good end. `arguments` are those after --compile-child.
int compileChildMain(int argumentCount, char **arguments);

nlohmann::json toJson(const NvrtcJob &job);
nlohmann::json toJson(const NvrtcOutput &output);
/// False if the text is no answer of a child.
bool fromJson(const std::string &line, NvrtcOutput &output);

} // namespace gpu
