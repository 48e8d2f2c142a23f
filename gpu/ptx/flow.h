#pragma once

#include "gpu/ptx/program.h"

namespace gpu::ptx {

/// How a decoded instruction moves the program counter.
enum class Flow : std::uint8_t {
    Next,
    Jump, ///< to `target`
    Branch, ///< to `target` or on
    Table, ///< to one of the targets in the list
    Call, ///< indirect: lanes may go apart and meet after it
    End ///< exit, trap or return
};

/// Finds where divergent paths meet (the immediate post-dominator of each branch), puts a Meet
/// instruction there and sets Instruction::reconverge. Targets are indices before and after.
void placeMeetings(Function &function, std::vector<Flow> &flow, Handler meet);

} // namespace gpu::ptx
