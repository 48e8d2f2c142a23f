#pragma once

#include "gpu/ptx/decode.h"
#include "gpu/ptx/flow.h"

#include <map>
#include <optional>

namespace gpu::ptx {

/// Bytes of a register of this type, as a size code.
std::uint8_t registerSize(syntax::Type type);

/// Places the registers, variables and constants of one function and turns the operands of its
/// statements into slots. Operands that have to be computed emit instructions of their own.
class FunctionBuilder {
protected:
    FunctionBuilder(const syntax::Function &source, std::uint32_t sharedOffset, Program &program,
        Function &function)
        : m_source(source)
        , m_sharedOffset(sharedOffset)
        , m_program(program)
        , m_function(function)
    {
    }

    /// The PTX is wrong: the first such error ends the decoding.
    void fail(const std::string &what);
    /// The statement is right, but beyond the interpreter: it becomes a fault if it is executed.
    void refuse(const std::string &why);
    void layoutRegisters();
    void layoutVariables();
    Slot source(const syntax::Operand &operand, std::uint8_t size);
    Slot destination(const syntax::Operand &operand, std::uint8_t size);
    void vectorOperand(Instruction &in, const syntax::Operand &operand, std::uint8_t size,
        std::uint8_t expected, bool isResult);
    void address(Instruction &in, std::size_t i, const syntax::Operand &operand);
    std::uint8_t sizeOfOperand(const syntax::Operand &operand) const;
    Slot guardSlot();
    Instruction plain();
    void emit(const Instruction &in, Flow flow = Flow::Next);

    const syntax::Function &m_source;
    std::uint32_t m_sharedOffset = 0;
    Program &m_program;
    Function &m_function;
    const syntax::Statement *m_statement = nullptr; ///< null before and after all statements
    std::optional<Error> m_error;
    std::string m_refusal; ///< of the present statement; empty if there is none
    std::vector<Flow> m_flow; ///< of each instruction
    std::vector<std::uint32_t> m_offsets; ///< of each variable in its space
    std::uint32_t m_registerBytes = 0;
    Slot m_sink = 0; ///< where unwanted results go
    std::uint32_t m_text = 0; ///< the statement's opcode

private:
    Slot allocateSlot(std::uint8_t size);
    Slot constant(std::uint64_t value, std::uint8_t size);
    Slot appendConstant(std::uint64_t value, std::uint8_t size);
    Slot addressConstant(const std::string &symbol, std::int64_t addend, std::uint8_t size);
    static std::uint64_t literal(const syntax::Operand &operand, std::uint8_t size);
    Slot variableAddress(const syntax::Operand &operand, std::uint8_t size);
    bool isKernelParameter(std::size_t index) const;
    /// Local variables move with the frame, so their address is computed.
    Slot localAddress(std::uint64_t offset, std::uint8_t size);
    Slot special(const syntax::Operand &operand, std::uint8_t size);

    std::vector<Slot> m_slots;
    std::map<std::pair<std::uint64_t, std::uint8_t>, Slot> m_constants;
};

} // namespace gpu::ptx
