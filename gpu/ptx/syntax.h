#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

/// What the parser makes of PTX text: names are resolved to indices, nothing is checked beyond
/// that.
namespace gpu::ptx::syntax {

enum class Type : std::uint8_t {
    None,
    Pred,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    B8,
    B16,
    B32,
    B64,
    B128,
    F16,
    F16x2,
    BF16,
    BF16x2,
    F32,
    F64,
    TF32,
    E4M3,
    E5M2,
    E4M3x2,
    E5M2x2,
    U16x2,
    S16x2,
    S4,
    U4,
    B1,
    Other ///< a type the interpreter knows by name only
};
/// Bytes in a register or in memory; 0 for Pred and None.
std::size_t sizeOf(Type type);
/// "u32" → U32; None if it names no type.
Type typeFromName(std::string_view name);
inline bool isSigned(Type t)
{
    return t >= Type::S8 && t <= Type::S64;
}
inline bool isFloat(Type t)
{
    return t >= Type::F16 && t <= Type::F64;
}

enum class Space : std::uint8_t { Generic, Global, Shared, Local, Param, Const };

/// A part of a variable's initial value.
struct Initializer {
    std::uint64_t bits = 0;
    std::string symbol; ///< not empty: the address of this symbol plus `bits`
    bool generic = false; ///< generic(symbol)
    std::uint8_t shift = 0; ///< mask(): byte of the address to take
    bool masked = false;
};

struct Variable {
    std::string name;
    Space space = Space::Global;
    Type type = Type::B8;
    std::size_t alignment = 1;
    std::size_t sizeBytes = 0; ///< 0 for extern arrays of unknown size
    bool isExtern = false;
    std::vector<Initializer> initializers;
    int line = 0;
};

struct Register {
    Type type = Type::None;
    std::uint8_t vector = 1;
};

enum class OperandKind : std::uint8_t {
    Register, ///< `index`
    Special, ///< %tid.x …: `name`
    Integer, ///< `bits`
    Float, ///< `bits` as f64, or f32 when `isSingle`
    Local, ///< variable of this function: `index`
    Symbol, ///< module variable, function or label: `name`
    Address, ///< [elements[0] + bits], further elements are coordinates
    Vector, ///< {a, b, …}
    List, ///< (a, b, …)
    Pair, ///< a|b
    Sink ///< _
};

struct Operand {
    OperandKind kind = OperandKind::Sink;
    bool negated = false;
    bool isSingle = false;
    std::int32_t index = -1;
    std::uint64_t bits = 0; ///< also an address offset
    std::string name;
    std::vector<Operand> elements;
};

struct Location {
    int file = 0, line = 0;
};

struct Statement {
    std::string opcode; ///< with modifiers, as written
    std::int32_t guard = -1; ///< register
    bool guardNegated = false;
    std::vector<Operand> operands;
    Location location;
    int ptxLine = 0;
    int scope = 0;
};

struct Label {
    std::string name;
    int scope = 0;
    std::size_t statement = 0; ///< index of the statement that follows
    std::vector<std::string> targets; ///< of a .branchtargets list
};

struct Prototype {
    std::vector<std::size_t> returnSizes, parameterSizes;
};

struct Function {
    std::string name;
    bool isEntry = false, isDefined = false;
    std::vector<Variable> variables; ///< parameters first: returns, then arguments
    std::size_t returnCount = 0, parameterCount = 0;
    std::vector<Register> registers;
    std::vector<Statement> statements;
    std::vector<Label> labels;
    std::vector<int> scopeParents; ///< scope → enclosing scope
    std::unordered_map<std::string, Prototype> prototypes;
    std::uint32_t maxThreads = 1024;
    std::uint64_t clusterBlocks = 1; ///< .reqnctapercluster
    bool hasRegisterParameters = false; ///< (.reg .b32 a): they are among the registers only
    int line = 0;
};

struct Module {
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::unordered_map<int, std::string> files;
};

} // namespace gpu::ptx::syntax
