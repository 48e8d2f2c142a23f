#pragma once

#include "gpu/ptx/operation.h"

namespace gpu::ptx {

/// True if every modifier of the opcode is one that its handler takes into account. A handler looks
/// for the modifiers it knows, so one that it does not know would silently change nothing.
bool modifiersAreKnown(const Operation &operation);

} // namespace gpu::ptx
