#include "gpu/ptx/functionbuilder.h"

#include "gpu/ptx/control.h"

#include <bit>

namespace gpu::ptx {

using syntax::Operand;
using syntax::OperandKind;

namespace {

std::uint32_t alignUp(std::uint32_t value, std::uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

} // namespace

std::uint8_t registerSize(Type type)
{
    if (type == Type::Pred)
        return SizePredicate;
    const std::size_t bytes = syntax::sizeOf(type);
    return std::uint8_t(bytes == 1 ? 2 : bytes);
}

void FunctionBuilder::fail(const std::string &what)
{
    if (m_error)
        return;
    const int line = m_statement ? m_statement->ptxLine : m_source.line;
    std::string text = "PTX line " + std::to_string(line) + ": " + what;
    if (m_statement)
        text += " in '" + m_statement->opcode + "'";
    m_error = candidateError(text);
}

void FunctionBuilder::refuse(const std::string &why)
{
    m_refusal = why;
}

Slot FunctionBuilder::allocateSlot(std::uint8_t size)
{
    if (size == SizePredicate) {
        const Slot slot = m_registerBytes;
        m_registerBytes += 4;
        return slot;
    }
    m_registerBytes = alignUp(m_registerBytes, 64);
    const Slot slot = m_registerBytes;
    m_registerBytes += 32u * size;
    return slot;
}

void FunctionBuilder::layoutRegisters()
{
    m_registerBytes = 64; // the carry flags
    m_slots.resize(m_source.registers.size());
    for (std::size_t i = 0; i < m_slots.size(); ++i)
        if (m_source.registers[i].type == Type::Pred)
            m_slots[i] = allocateSlot(SizePredicate);
    for (std::size_t i = 0; i < m_slots.size(); ++i)
        if (m_source.registers[i].type != Type::Pred)
            m_slots[i] = allocateSlot(registerSize(m_source.registers[i].type));
    m_sink = allocateSlot(8);
    allocateSlot(8);
}

void FunctionBuilder::layoutVariables()
{
    std::uint32_t shared = m_sharedOffset, parameter = 0;
    m_offsets.resize(m_source.variables.size());
    for (std::size_t i = 0; i < m_source.variables.size(); ++i) {
        const syntax::Variable &variable = m_source.variables[i];
        const std::uint32_t alignment = std::uint32_t(variable.alignment);
        const std::uint32_t size = std::uint32_t(variable.sizeBytes);
        const bool isFormal = i < m_source.returnCount + m_source.parameterCount;
        if (variable.space == Space::Shared) {
            shared = alignUp(shared, alignment);
            m_offsets[i] = shared;
            shared += size;
        } else if (isFormal && m_source.isEntry) {
            parameter = alignUp(parameter, alignment);
            m_offsets[i] = parameter;
            m_function.info.parameters.push_back({parameter, size});
            parameter += size;
        } else {
            m_function.localBytes = alignUp(m_function.localBytes, alignment);
            m_offsets[i] = m_function.localBytes;
            m_function.localBytes += size;
            if (isFormal)
                (i < m_source.returnCount ? m_function.returns : m_function.arguments)
                    .push_back({m_offsets[i], size});
        }
        if (variable.sizeBytes > (1u << 28) || m_function.localBytes > (1u << 24))
            fail("variable " + variable.name + " is too large");
    }
    m_function.localBytes = alignUp(m_function.localBytes, 16);
    m_function.info.name = m_source.name;
    m_function.info.parameterBytes = parameter;
    m_function.info.maxThreadsPerBlock = m_source.maxThreads;
    m_function.info.staticSharedBytes = shared - m_sharedOffset;
}

Slot FunctionBuilder::constant(std::uint64_t value, std::uint8_t size)
{
    if (size == SizePredicate)
        value = value ? 0xffffffffu : 0;
    else if (size < 8)
        value &= (std::uint64_t(1) << (8 * size)) - 1;
    const auto [it, isNew] = m_constants.try_emplace({value, size}, 0);
    if (isNew)
        it->second = appendConstant(value, size);
    return it->second;
}

Slot FunctionBuilder::appendConstant(std::uint64_t value, std::uint8_t size)
{
    auto &words = m_function.constants;
    words.resize(alignUp(std::uint32_t(words.size()), 8));
    const Slot slot = ConstantSlot | Slot(words.size() * 8);
    if (size == SizePredicate || size == 4)
        value |= value << 32;
    if (size == 2)
        value *= 0x0001000100010001u;
    words.resize(words.size() + (size == SizePredicate ? 1 : size * 4), value);
    return slot;
}

Slot FunctionBuilder::addressConstant(
    const std::string &symbol, std::int64_t addend, std::uint8_t size)
{
    const Slot slot = appendConstant(0, size);
    m_function.relocations.push_back({slot & ~ConstantSlot, size, symbol, addend});
    return slot;
}

std::uint8_t FunctionBuilder::sizeOfOperand(const Operand &operand) const
{
    switch (operand.kind) {
    case OperandKind::Register:
        return registerSize(m_source.registers[std::size_t(operand.index)].type);
    case OperandKind::Vector:
        for (const Operand &element : operand.elements)
            if (const std::uint8_t size = sizeOfOperand(element); size != SizeNone)
                return size;
        return SizeNone;
    case OperandKind::Pair:
    case OperandKind::Address:
        return operand.elements.empty() ? std::uint8_t(SizeNone)
                                        : sizeOfOperand(operand.elements[0]);
    default:
        return SizeNone;
    }
}

std::uint64_t FunctionBuilder::literal(const Operand &operand, std::uint8_t size)
{
    if (operand.kind == OperandKind::Integer)
        return operand.bits;
    if (size == 4)
        return operand.isSingle
            ? operand.bits
            : std::bit_cast<std::uint32_t>(float(std::bit_cast<double>(operand.bits)));
    const double value = operand.isSingle
        ? double(std::bit_cast<float>(std::uint32_t(operand.bits)))
        : std::bit_cast<double>(operand.bits);
    return size == 2 ? encodeFloat(format::F16, value, Rounding::Rn)
                     : std::bit_cast<std::uint64_t>(value);
}

Slot FunctionBuilder::source(const Operand &operand, std::uint8_t size)
{
    switch (operand.kind) {
    case OperandKind::Register:
        if (sizeOfOperand(operand) != size)
            fail("register " + operand.name + " has the wrong size");
        if (operand.negated && size != SizePredicate)
            fail("only a predicate can be negated");
        return m_slots[std::size_t(operand.index)];
    case OperandKind::Integer:
    case OperandKind::Float:
        return constant(literal(operand, size), size);
    case OperandKind::Local:
    case OperandKind::Symbol:
        if (size != 4 && size != 8)
            fail("the address of " + operand.name + " needs 4 or 8 bytes");
        return variableAddress(operand, size);
    case OperandKind::Special:
        return special(operand, size);
    default:
        fail("unexpected operand");
        return m_sink;
    }
}

Slot FunctionBuilder::variableAddress(const Operand &operand, std::uint8_t size)
{
    if (operand.kind == OperandKind::Symbol) {
        const auto it = m_program.variableIndex.find(operand.name);
        const bool isVariable = it != m_program.variableIndex.end();
        if (!isVariable && !m_program.functionIndex.contains(operand.name))
            fail("unknown name '" + operand.name + "'");
        if (isVariable && m_program.variables[it->second].isExtern) {
            refuse("variable " + operand.name + " of another module");
            return m_sink;
        }
        return addressConstant(operand.name, std::int64_t(operand.bits), size);
    }
    const std::size_t index = std::size_t(operand.index);
    const std::uint64_t address = m_offsets[index] + operand.bits;
    if (m_source.variables[index].space == Space::Shared || isKernelParameter(index))
        return constant(address, size);
    return localAddress(address, size);
}

bool FunctionBuilder::isKernelParameter(std::size_t index) const
{
    return m_source.isEntry && index < m_source.returnCount + m_source.parameterCount;
}

Slot FunctionBuilder::localAddress(std::uint64_t offset, std::uint8_t size)
{
    if (m_source.isEntry)
        return constant(offset, size);
    Instruction in = plain();
    in.handler = handleSpecial;
    std::uint8_t bytes = 8;
    in.mode = std::uint32_t(specialRegister("%local_base", bytes));
    in.dst = allocateSlot(size);
    in.dstSize = size;
    in.offset = std::int64_t(offset);
    emit(in);
    return in.dst;
}

Slot FunctionBuilder::special(const Operand &operand, std::uint8_t size)
{
    std::uint8_t bytes = 0;
    const int id = specialRegister(operand.name, bytes);
    if (id < 0 || size == SizePredicate) {
        if (isSpecialRegister(operand.name))
            refuse("special register " + operand.name);
        else
            fail("unknown register '" + operand.name + "'");
        return m_sink;
    }
    Instruction in = plain();
    in.handler = handleSpecial;
    in.mode = std::uint32_t(id);
    in.dst = allocateSlot(size);
    in.dstSize = size;
    emit(in);
    return in.dst;
}

Slot FunctionBuilder::destination(const Operand &operand, std::uint8_t size)
{
    if (operand.kind == OperandKind::Sink)
        return m_sink;
    if (operand.kind != OperandKind::Register) {
        fail("the result must be a register");
        return m_sink;
    }
    if (sizeOfOperand(operand) != size)
        fail("register " + operand.name + " has the wrong size");
    return m_slots[std::size_t(operand.index)];
}

void FunctionBuilder::vectorOperand(Instruction &in, const Operand &operand, std::uint8_t size,
    std::uint8_t expected, bool isResult)
{
    const auto slotOf = [&](const Operand &element) {
        return isResult ? destination(element, size) : source(element, size);
    };
    std::vector<Slot> slots;
    if (operand.kind == OperandKind::Vector)
        for (const Operand &element : operand.elements)
            slots.push_back(slotOf(element));
    else
        slots.push_back(slotOf(operand));
    if (slots.size() > 32 || (expected != 0 && slots.size() != expected))
        fail("a vector of " + std::to_string(slots.size()) + " elements");
    // Kernels write through `list` without looking at the operand, so it must be complete.
    if (in.list == NoTarget)
        in.list = std::uint32_t(m_function.lists.size());
    in.count = std::uint8_t(slots.size());
    m_function.lists.insert(m_function.lists.end(), slots.begin(), slots.end());
}

void FunctionBuilder::address(Instruction &in, std::size_t i, const Operand &operand)
{
    if (operand.kind != OperandKind::Address || operand.elements.size() != 1)
        return fail("expected one address in brackets");
    Operand base = operand.elements[0];
    std::uint8_t size = sizeOfOperand(base);
    // A second address (the source of cp.async) leaves the first one's offset in `mode`.
    if (i == 1)
        in.mode = std::uint32_t(in.offset);
    in.offset = std::int64_t(operand.bits);
    if (base.kind == OperandKind::Local) {
        const std::size_t index = std::size_t(base.index);
        const Space space = m_source.variables[index].space;
        if (in.space == Space::Param && !isKernelParameter(index))
            in.space = Space::Local;
        if (in.space == Space::Generic && space == Space::Shared)
            in.offset += std::int64_t(SharedWindow);
        else if (in.space == Space::Generic && !isKernelParameter(index))
            in.offset += std::int64_t(LocalWindow);
    } else if (base.kind == OperandKind::Symbol) {
        const auto it = m_program.variableIndex.find(base.name);
        if (it != m_program.variableIndex.end() && in.space == Space::Generic
            && m_program.variables[it->second].space == Space::Shared)
            in.offset += std::int64_t(SharedWindow);
    } else if (base.kind == OperandKind::Integer) {
        in.offset += std::int64_t(base.bits);
        base.bits = 0;
    }
    if (size == SizeNone)
        size = 8;
    if (size != 8
        && (size != 4 || in.space == Space::Global || in.space == Space::Generic || i == 1))
        return fail("the address register has the wrong size");
    in.source[i] = source(base, size);
    in.sourceSize[i] = size;
}

Instruction FunctionBuilder::plain()
{
    Instruction in;
    if (m_statement) {
        in.file = m_statement->location.file;
        in.line = m_statement->location.line;
        in.text = m_text;
    }
    return in;
}

void FunctionBuilder::emit(const Instruction &in, Flow flow)
{
    m_function.code.push_back(in);
    m_flow.push_back(flow);
}

Slot FunctionBuilder::guardSlot()
{
    const std::size_t index = std::size_t(m_statement->guard);
    if (m_source.registers[index].type != Type::Pred)
        fail("the guard is not a predicate register");
    return m_slots[index];
}

} // namespace gpu::ptx
