#pragma once

#include "gpu/base/result.h"
#include "gpu/ptx/program.h"
#include "gpu/ptx/syntax.h"

namespace gpu::ptx {

/// Decodes one function; the program's names, variables and files are known. A candidate error
/// names the PTX line.
Status decodeFunction(const syntax::Module &module, const syntax::Function &source,
    std::uint32_t sharedOffset, Program &program, Function &function);

/// The id of a special register ("%tid.x"), -1 if unknown; `sizeBytes` is 4, 8 or 0 for predicates.
int specialRegister(std::string_view name, std::uint8_t &sizeBytes);

/// True for the registers that the ISA defines, also for those that the interpreter lacks.
bool isSpecialRegister(std::string_view name);

/// Operand shapes beyond the size codes.
enum : std::uint8_t {
    SizeAddress = 100, ///< [a]
    SizeVector = 101, ///< {a, b} or a scalar; slots go to the list, `count` is set
};

} // namespace gpu::ptx
