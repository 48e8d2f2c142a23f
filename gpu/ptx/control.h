#pragma once

#include "gpu/ptx/warp.h"

/// Handlers of instructions that move the program counter or wait.
namespace gpu::ptx {

void handleBranch(Warp &warp, const Instruction &in); ///< unconditional
void handleBranchIf(Warp &warp, const Instruction &in);
void handleBranchTable(Warp &warp, const Instruction &in);
void handleMeet(Warp &warp, const Instruction &in);
void handleCall(Warp &warp, const Instruction &in);
void handleCallIndirect(Warp &warp, const Instruction &in);
void handleReturn(Warp &warp, const Instruction &in);
void handleExit(Warp &warp, const Instruction &in);
void handleTrap(Warp &warp, const Instruction &in);
void handleUnsupported(Warp &warp, const Instruction &in);
void handleSpecial(Warp &warp, const Instruction &in);
void handleScalar(Warp &warp, const Instruction &in);
void handleNothing(Warp &warp, const Instruction &in);

} // namespace gpu::ptx
