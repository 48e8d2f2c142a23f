#pragma once

#include "gpu/ptx/interpreter.h"
#include "gpu/ptx/operation.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

/// The decoded form that is executed: immutable, shared by all threads.
namespace gpu::ptx {

struct Warp;
struct Instruction;

/// Executes an instruction for the warp's active lanes. The program counter is past it already.
using Handler = void (*)(Warp &, const Instruction &);
/// One lane of an instruction that is not worth a vector form.
using ScalarFunction = std::uint64_t (*)(const std::uint64_t *operands, const Instruction &);

/// Where an operand lives: a byte offset into the frame's registers or, with the top bit, into the
/// function's constants. A register is 32 lanes of 2, 4 or 8 bytes; a predicate is one bit mask.
using Slot = std::uint32_t;
constexpr Slot ConstantSlot = 0x80000000u;
constexpr Slot CarrySlot = 0; ///< the mask of carry flags, in each frame

/// Size codes of operands, besides 2, 4 and 8.
enum : std::uint8_t { SizeNone = 0, SizePredicate = 1 };

constexpr std::uint32_t NoTarget = 0xffffffffu;

struct Instruction {
    Handler handler = nullptr;
    Handler inner = nullptr; ///< what a guarded instruction does where its guard holds
    ScalarFunction scalar = nullptr;
    Slot dst = 0, dst2 = 0;
    Slot source[4] = {};
    std::uint8_t dstSize = 0, dst2Size = 0;
    std::uint8_t sourceSize[4] = {};
    std::uint8_t negated = 0; ///< bit i: source i is a negated predicate
    std::uint8_t count = 1; ///< elements of a vector operand
    Space space = Space::Generic;
    Type type = Type::None, type2 = Type::None;
    Rounding rounding = Rounding::Rn;
    bool ftz = false, sat = false;
    bool guardNegated = false;
    std::uint8_t accessBytes = 0; ///< of one element in memory
    std::uint32_t mode = 0; ///< meaning depends on the handler
    Slot guard = 0;
    std::uint32_t list = 0; ///< first of a vector's slots, branch targets or call record
    std::uint32_t target = NoTarget; ///< branch target or called function
    std::uint32_t reconverge = NoTarget; ///< where the paths of a branch meet
    std::int64_t offset = 0;
    std::uint32_t text = 0; ///< the opcode as written
    std::int32_t file = 0, line = 0;
};

struct ModuleVariable {
    std::string name;
    Space space = Space::Global;
    std::size_t sizeBytes = 0, alignment = 1;
    bool isExtern = false; ///< of another module: no instruction may use it
    std::uint64_t offset = 0; ///< in its space: constants and globals in one buffer each
    std::vector<std::byte> initial;
    struct Relocation {
        std::size_t offset = 0;
        std::string symbol;
        std::int64_t addend = 0;
        std::uint8_t sizeBytes = 8, shift = 0;
    };
    std::vector<Relocation> relocations;
};

/// A formal or actual parameter in local memory.
struct LocalVariable {
    std::uint32_t offset = 0, sizeBytes = 0; ///< from the frame's local base
};

struct Call {
    std::vector<LocalVariable> returns, arguments; ///< of the caller
};

struct Function {
    std::string name;
    bool isEntry = false;
    std::vector<Instruction> code;
    std::uint32_t registerBytes = 0;
    std::vector<std::uint64_t> constants; ///< 64-bit words of broadcast constants
    std::vector<Slot> lists;
    std::vector<Call> calls;
    /// Instance-dependent constants: the address of a module variable plus `addend`.
    struct Relocation {
        std::uint32_t offset = 0; ///< bytes into `constants`
        std::uint8_t sizeBytes = 8;
        std::string symbol;
        std::int64_t addend = 0;
    };
    std::vector<Relocation> relocations;
    std::uint32_t localBytes = 0; ///< of one thread's frame
    std::uint32_t stackBytes = 0; ///< local bytes with all callees
    bool recursive = false; ///< it or a callee can call itself, or calls through a pointer
    std::vector<LocalVariable> returns, arguments;
    std::uint64_t clusterBlocks = 1; ///< blocks a cluster that the kernel asks for
    KernelInfo info; ///< entries only
};

struct Program {
    std::vector<Function> functions;
    std::unordered_map<std::string, std::uint32_t> functionIndex;
    std::vector<ModuleVariable> variables;
    std::unordered_map<std::string, std::uint32_t> variableIndex;
    std::vector<std::string> texts;
    std::unordered_map<int, std::string> files;
    std::uint32_t staticSharedBytes = 0;
    std::uint32_t dynamicSharedOffset = 0; ///< where extern shared arrays start
};

/// Generic addresses. Global buffers lie below all windows.
constexpr std::uint64_t SharedWindow = 0x0000700000000000u;
constexpr std::uint64_t LocalWindow = 0x0000700100000000u;
constexpr std::uint64_t ParamWindow = 0x0000700200000000u;
constexpr std::uint64_t WindowBytes = 0x0000000010000000u;
constexpr std::uint64_t FunctionWindow = 0x0000600000000000u;
constexpr std::uint64_t FunctionStride = 16;

constexpr std::uint32_t VprintfTarget = 0xfffffff0u;
constexpr std::uint32_t AssertTarget = 0xfffffff1u;

} // namespace gpu::ptx
