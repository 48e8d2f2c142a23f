#include "gpu/ptx/decode.h"

#include "gpu/ptx/control.h"
#include "gpu/ptx/flow.h"

#include <bit>
#include <map>
#include <optional>

namespace gpu::ptx {

using syntax::Operand;
using syntax::OperandKind;
using syntax::Statement;

namespace {

std::uint32_t alignUp(std::uint32_t value, std::uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

std::uint8_t registerSize(Type type)
{
    if (type == Type::Pred)
        return SizePredicate;
    const std::size_t bytes = syntax::sizeOf(type);
    return std::uint8_t(bytes == 1 ? 2 : bytes);
}

class FunctionDecoder {
public:
    FunctionDecoder(const syntax::Module &module, const syntax::Function &source,
        std::uint32_t sharedOffset, Program &program, Function &function)
        : m_module(module)
        , m_source(source)
        , m_sharedOffset(sharedOffset)
        , m_program(program)
        , m_function(function)
    {
    }

    Status run()
    {
        m_function.name = m_source.name;
        m_function.isEntry = m_source.isEntry;
        layoutRegisters();
        layoutVariables();
        std::vector<std::uint32_t> starts;
        for (std::size_t i = 0; i < m_source.statements.size() && !m_error; ++i) {
            starts.push_back(std::uint32_t(m_function.code.size()));
            m_statement = &m_source.statements[i];
            decodeStatement();
        }
        starts.push_back(std::uint32_t(m_function.code.size()));
        m_statement = nullptr;
        Instruction end;
        end.handler = m_source.isEntry ? handleExit : handleReturn;
        m_function.code.push_back(end);
        m_flow.push_back(Flow::End);
        if (!m_error)
            resolveTargets(starts);
        if (m_error)
            return *m_error;
        m_function.registerBytes = m_registerBytes;
        placeMeetings(m_function, m_flow, handleMeet);
        return Unit();
    }

private:
    void fail(const std::string &what)
    {
        if (m_error)
            return;
        const int line = m_statement ? m_statement->ptxLine : m_source.line;
        std::string text = "PTX line " + std::to_string(line) + ": " + what;
        if (m_statement)
            text += " in '" + m_statement->opcode + "'";
        m_error = candidateError(text);
    }

    // Storage

    Slot allocateSlot(std::uint8_t size)
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

    void layoutRegisters()
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

    void layoutVariables()
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

    Slot constant(std::uint64_t value, std::uint8_t size)
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

    Slot appendConstant(std::uint64_t value, std::uint8_t size)
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

    Slot addressConstant(const std::string &symbol, std::int64_t addend, std::uint8_t size)
    {
        const Slot slot = appendConstant(0, size);
        m_function.relocations.push_back({slot & ~ConstantSlot, size, symbol, addend});
        return slot;
    }

    // Operands

    std::uint8_t sizeOfOperand(const Operand &operand) const
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

    static std::uint64_t literal(const Operand &operand, std::uint8_t size)
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

    Slot source(const Operand &operand, std::uint8_t size)
    {
        switch (operand.kind) {
        case OperandKind::Register: {
            const std::uint8_t actual = sizeOfOperand(operand);
            if (actual != size)
                fail("register " + operand.name + " has the wrong size");
            return m_slots[std::size_t(operand.index)];
        }
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

    Slot variableAddress(const Operand &operand, std::uint8_t size)
    {
        if (operand.kind == OperandKind::Symbol) {
            if (!m_program.variableIndex.contains(operand.name)
                && !m_program.functionIndex.contains(operand.name))
                fail("unknown name '" + operand.name + "'");
            return addressConstant(operand.name, std::int64_t(operand.bits), size);
        }
        const std::size_t index = std::size_t(operand.index);
        const std::uint64_t address = m_offsets[index] + operand.bits;
        if (m_source.variables[index].space == Space::Shared || isKernelParameter(index))
            return constant(address, size);
        return localAddress(address, size);
    }

    bool isKernelParameter(std::size_t index) const
    {
        return m_source.isEntry && index < m_source.returnCount + m_source.parameterCount;
    }

    /// Local variables move with the frame, so their address is computed.
    Slot localAddress(std::uint64_t offset, std::uint8_t size)
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

    Slot special(const Operand &operand, std::uint8_t size)
    {
        std::uint8_t bytes = 0;
        const int id = specialRegister(operand.name, bytes);
        if (id < 0) {
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

    Slot destination(const Operand &operand, std::uint8_t size)
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

    void vectorOperand(Instruction &in, const Operand &operand, std::uint8_t size,
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

    void address(Instruction &in, std::size_t i, const Operand &operand)
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

    // Statements

    Instruction plain()
    {
        Instruction in;
        if (m_statement) {
            in.file = m_statement->location.file;
            in.line = m_statement->location.line;
            in.text = m_text;
        }
        return in;
    }

    void emit(const Instruction &in, Flow flow = Flow::Next)
    {
        m_function.code.push_back(in);
        m_flow.push_back(flow);
    }

    void decodeStatement()
    {
        const Statement &statement = *m_statement;
        m_text = std::uint32_t(m_program.texts.size());
        m_program.texts.push_back(statement.opcode);
        const Operation operation = parseOperation(statement.opcode);
        const std::string &base = operation.base;
        if (base == "bra")
            return branch();
        if (base == "ret" && !m_source.isEntry)
            return jump(EndLabel);
        if (base == "brx" || base == "call" || base == "exit" || base == "ret" || base == "trap"
            || base == "brkpt") {
            skipUnlessGuard();
            if (base == "brx")
                branchTable();
            else if (base == "call")
                call();
            else {
                Instruction in = plain();
                in.handler = base == "trap" || base == "brkpt" ? handleTrap : handleExit;
                emit(in, Flow::End);
            }
            return endSkip();
        }
        ordinary(operation);
    }

    void ordinary(const Operation &operation)
    {
        std::vector<std::uint8_t> sizes;
        for (const Operand &operand : m_statement->operands)
            sizes.push_back(sizeOfOperand(operand));
        sizes.resize(8);
        Selection shape = selectControl(operation, sizes.data(), m_statement->operands.size());
        const bool isControl = shape.handler != nullptr;
        if (!isControl)
            shape = executor().select(operation, sizes.data(), m_statement->operands.size());
        if (!shape.handler) {
            shape = Selection();
            shape.scalar
                = selectScalar(operation, sizes.data(), m_statement->operands.size(), shape);
            shape.handler = shape.scalar ? handleScalar : nullptr;
        }
        if (isControl)
            skipUnlessGuard();
        Instruction in = plain();
        in.handler = shape.handler ? shape.handler : handleUnsupported;
        in.scalar = shape.scalar;
        in.space = operation.space;
        in.type = operation.type();
        in.type2 = operation.type(1);
        in.rounding = operation.rounding;
        in.ftz = operation.ftz;
        in.sat = operation.sat;
        in.mode = shape.mode;
        in.accessBytes = shape.accessBytes;
        in.list = NoTarget;
        if (shape.handler)
            operands(in, shape, sizes);
        if (m_statement->guard >= 0 && !isControl)
            guard(in);
        emit(in);
        if (isControl)
            endSkip();
    }

    void operands(Instruction &in, const Selection &shape, const std::vector<std::uint8_t> &sizes)
    {
        const std::vector<Operand> &given = m_statement->operands;
        std::size_t next = 0;
        const auto sizeAt = [&](std::size_t i) {
            const std::uint8_t natural = registerSize(in.type);
            return sizes[i] != SizeNone ? sizes[i] : natural;
        };
        if (shape.dst != SizeNone) {
            if (given.empty())
                return fail("missing operand");
            const Operand &operand = given[next++];
            const Operand &first
                = operand.kind == OperandKind::Pair ? operand.elements[0] : operand;
            if (shape.dst == SizeVector) {
                vectorOperand(in, first, sizeAt(0), shape.dstCount, true);
                in.dst = m_function.lists[in.list];
                in.dstSize = sizeAt(0);
            } else {
                in.dst = destination(first, shape.dst);
                in.dstSize = shape.dst;
            }
            in.dst2 = m_sink;
            if (shape.dst2 != SizeNone && operand.kind == OperandKind::Pair) {
                in.dst2 = destination(operand.elements[1], shape.dst2);
                in.dst2Size = shape.dst2;
            }
        }
        for (std::size_t i = 0; i < 4 && shape.source[i] != SizeNone; ++i, ++next) {
            if (next >= given.size()) {
                if (i + 1 > shape.required)
                    break;
                return fail("missing operand");
            }
            const Operand &operand = given[next];
            if (shape.source[i] == SizeAddress) {
                address(in, i, operand);
            } else if (shape.source[i] == SizeVector) {
                vectorOperand(in, operand, sizeAt(next), shape.sourceCount[i], false);
                in.sourceSize[i] = sizeAt(next);
            } else {
                in.source[i] = source(operand, shape.source[i]);
                in.sourceSize[i] = shape.source[i];
                in.negated |= std::uint8_t(operand.negated ? 1u << i : 0u);
            }
        }
        if (in.list == NoTarget)
            in.list = 0;
        // A trailing cache policy of ld and st is ignored.
        if (next < given.size() && !shape.ignoresRest)
            fail("too many operands");
    }

    void guard(Instruction &in)
    {
        in.inner = in.handler;
        in.handler = executor().guarded;
        in.guard = guardSlot();
        in.guardNegated = m_statement->guardNegated;
    }

    Slot guardSlot()
    {
        const std::size_t index = std::size_t(m_statement->guard);
        if (m_source.registers[index].type != Type::Pred)
            fail("the guard is not a predicate register");
        return m_slots[index];
    }

    /// Lanes whose guard fails jump over what follows, up to endSkip.
    void skipUnlessGuard()
    {
        if (m_statement->guard < 0)
            return;
        Instruction in = plain();
        in.handler = handleBranchIf;
        in.guard = guardSlot();
        in.guardNegated = !m_statement->guardNegated;
        m_skips.push_back(m_function.code.size());
        emit(in, Flow::Branch);
    }

    void endSkip()
    {
        for (const std::size_t at : m_skips)
            m_function.code[at].target = std::uint32_t(m_function.code.size());
        m_skips.clear();
    }

    void jump(const std::string &label)
    {
        Instruction in = plain();
        const bool isConditional = m_statement->guard >= 0;
        in.handler = isConditional ? handleBranchIf : handleBranch;
        if (isConditional) {
            in.guard = guardSlot();
            in.guardNegated = m_statement->guardNegated;
        }
        m_pending.push_back(
            {m_function.code.size(), label, m_statement->scope, -1, m_statement->ptxLine});
        emit(in, isConditional ? Flow::Branch : Flow::Jump);
    }

    void branch()
    {
        if (m_statement->operands.size() != 1
            || m_statement->operands[0].kind != OperandKind::Symbol)
            return fail("expected a label");
        jump(m_statement->operands[0].name);
    }

    void branchTable()
    {
        const std::vector<Operand> &given = m_statement->operands;
        if (given.size() != 2 || given[1].kind != OperandKind::Symbol)
            return fail("expected an index and a target list");
        Instruction in = plain();
        in.handler = handleBranchTable;
        in.source[0] = source(given[0], 4);
        in.list = std::uint32_t(m_function.lists.size());
        for (const syntax::Label &label : m_source.labels) {
            if (label.name != given[1].name)
                continue;
            for (const std::string &target : label.targets) {
                m_pending.push_back({0, target, m_statement->scope,
                    std::int64_t(m_function.lists.size()), m_statement->ptxLine});
                m_function.lists.push_back(NoTarget);
                ++in.mode;
            }
        }
        if (in.mode == 0)
            return fail("unknown target list '" + given[1].name + "'");
        emit(in, Flow::Table);
    }

    std::vector<LocalVariable> actuals(const Operand &list)
    {
        std::vector<LocalVariable> result;
        for (const Operand &operand : list.elements) {
            if (operand.kind != OperandKind::Local) {
                fail("call operands must be .param variables");
                break;
            }
            const std::size_t index = std::size_t(operand.index);
            result.push_back(
                {m_offsets[index], std::uint32_t(m_source.variables[index].sizeBytes)});
        }
        return result;
    }

    void call()
    {
        const std::vector<Operand> &given = m_statement->operands;
        std::size_t next = 0;
        Call record;
        if (next < given.size() && given[next].kind == OperandKind::List)
            record.returns = actuals(given[next++]);
        if (next >= given.size())
            return fail("call without a function");
        const Operand &callee = given[next++];
        if (next < given.size() && given[next].kind == OperandKind::List)
            record.arguments = actuals(given[next++]);
        Instruction in = plain();
        in.list = std::uint32_t(m_function.calls.size());
        in.handler = handleCall;
        if (callee.kind == OperandKind::Register) {
            in.handler = handleCallIndirect;
            in.source[0] = source(callee, 8);
        } else if (callee.name == "vprintf" || callee.name == "__assertfail") {
            in.target = callee.name == "vprintf" ? VprintfTarget : AssertTarget;
        } else {
            const auto it = m_program.functionIndex.find(callee.name);
            const syntax::Function *target = nullptr;
            if (it != m_program.functionIndex.end())
                target = definition(callee.name);
            if (!target) {
                m_program.texts[m_text] = "call " + callee.name;
                in.handler = handleUnsupported;
            } else {
                in.target = it->second;
                if (!matches(*target, record))
                    return fail("the operands do not match function " + callee.name);
            }
        }
        m_function.calls.push_back(std::move(record));
        emit(in, in.handler == handleCallIndirect ? Flow::Call : Flow::Next);
    }

    const syntax::Function *definition(const std::string &name) const
    {
        for (const syntax::Function &function : m_module.functions)
            if (function.isDefined && !function.isEntry && function.name == name)
                return &function;
        return nullptr;
    }

    static bool matches(const syntax::Function &target, const Call &record)
    {
        if (target.returnCount != record.returns.size()
            || target.parameterCount != record.arguments.size())
            return false;
        for (std::size_t i = 0; i < target.returnCount; ++i)
            if (target.variables[i].sizeBytes != record.returns[i].sizeBytes)
                return false;
        for (std::size_t i = 0; i < target.parameterCount; ++i)
            if (target.variables[target.returnCount + i].sizeBytes != record.arguments[i].sizeBytes)
                return false;
        return true;
    }

    // Labels

    std::optional<std::size_t> labelStatement(const std::string &name, int scope) const
    {
        for (; scope >= 0; scope = m_source.scopeParents[std::size_t(scope)])
            for (const syntax::Label &label : m_source.labels)
                if (label.scope == scope && label.name == name)
                    return label.statement;
        return std::nullopt;
    }

    void resolveTargets(const std::vector<std::uint32_t> &starts)
    {
        for (const Pending &pending : m_pending) {
            std::uint32_t target = starts.back();
            if (pending.label != EndLabel) {
                const auto statement = labelStatement(pending.label, pending.scope);
                if (!statement) {
                    m_error = candidateError("PTX line " + std::to_string(pending.ptxLine)
                        + ": unknown label '" + pending.label + "'");
                    return;
                }
                target = starts[*statement];
            }
            if (pending.listIndex >= 0)
                m_function.lists[std::size_t(pending.listIndex)] = target;
            else
                m_function.code[pending.instruction].target = target;
        }
    }

    struct Pending {
        std::size_t instruction;
        std::string label;
        int scope;
        std::int64_t listIndex;
        int ptxLine;
    };
    static constexpr const char *EndLabel = "";

    const syntax::Module &m_module;
    const syntax::Function &m_source;
    std::uint32_t m_sharedOffset = 0;
    Program &m_program;
    Function &m_function;
    const Statement *m_statement = nullptr;
    std::optional<Error> m_error;
    std::vector<Flow> m_flow;
    std::vector<Slot> m_slots;
    std::vector<std::uint32_t> m_offsets;
    std::vector<Pending> m_pending;
    std::vector<std::size_t> m_skips;
    std::map<std::pair<std::uint64_t, std::uint8_t>, Slot> m_constants;
    std::uint32_t m_registerBytes = 0;
    Slot m_sink = 0;
    std::uint32_t m_text = 0;
};

} // namespace

Status decodeFunction(const syntax::Module &module, const syntax::Function &source,
    std::uint32_t sharedOffset, Program &program, Function &function)
{
    return FunctionDecoder(module, source, sharedOffset, program, function).run();
}

} // namespace gpu::ptx
