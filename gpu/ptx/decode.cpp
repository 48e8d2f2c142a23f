#include "gpu/ptx/decode.h"

#include "gpu/ptx/control.h"
#include "gpu/ptx/functionbuilder.h"
#include "gpu/ptx/modifiers.h"

namespace gpu::ptx {

using syntax::Operand;
using syntax::OperandKind;
using syntax::Statement;

namespace {

class FunctionDecoder : private FunctionBuilder {
public:
    FunctionDecoder(const syntax::Module &module, const syntax::Function &source,
        std::uint32_t sharedOffset, Program &program, Function &function)
        : FunctionBuilder(source, sharedOffset, program, function)
        , m_module(module)
    {
    }

    Status run()
    {
        m_function.name = m_source.name;
        m_function.isEntry = m_source.isEntry;
        m_function.clusterBlocks = m_source.clusterBlocks;
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
    void decodeStatement()
    {
        const Statement &statement = *m_statement;
        m_text = std::uint32_t(m_program.texts.size());
        m_program.texts.push_back(statement.opcode);
        m_refusal.clear();
        const std::size_t begin = m_function.code.size();
        const Operation operation = parseOperation(statement.opcode);
        for (const Operand &operand : statement.operands)
            refuseVectors(operand);
        if (m_refusal.empty() && modifiersAreKnown(operation))
            decodeOperation(operation);
        else
            unsupported();
        if (m_refusal.empty() || m_error)
            return;
        // What the operands have emitted goes with the statement.
        m_program.texts[m_text] += " with " + m_refusal;
        m_function.code.resize(begin);
        m_flow.resize(begin);
        m_skips.clear();
        std::erase_if(
            m_pending, [&](const Pending &pending) { return pending.instruction >= begin; });
        unsupported();
    }

    void refuseVectors(const Operand &operand)
    {
        if (operand.kind == OperandKind::Register) {
            const syntax::Register &declared = m_source.registers[std::size_t(operand.index)];
            if (declared.vector > 1)
                refuse("vector register " + operand.name);
            if (m_statement->opcode.starts_with("mov") && syntax::sizeOf(declared.type) == 1)
                refuse("8-bit register " + operand.name);
        }
        for (const Operand &element : operand.elements)
            refuseVectors(element);
    }

    void decodeOperation(const Operation &operation)
    {
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

    /// A fault if it is ever executed.
    void unsupported()
    {
        Instruction in = plain();
        in.handler = handleUnsupported;
        if (m_statement->guard >= 0)
            guard(in);
        emit(in);
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
        if (operation.base == "ld" || operation.base == "ldu")
            shape.dstCount = std::uint8_t(operation.vector);
        if (operation.base == "st")
            shape.sourceCount[1] = std::uint8_t(operation.vector);
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
            if (operand.kind == OperandKind::Pair && shape.dst2 == SizeNone)
                return fail("unexpected second result");
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
                refuse("arguments that are no .param variables");
                continue;
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
        if (!m_refusal.empty())
            return;
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
                if (target->hasRegisterParameters)
                    return refuse("parameters in registers");
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
    std::vector<Pending> m_pending;
    std::vector<std::size_t> m_skips;
};

} // namespace

Status decodeFunction(const syntax::Module &module, const syntax::Function &source,
    std::uint32_t sharedOffset, Program &program, Function &function)
{
    return FunctionDecoder(module, source, sharedOffset, program, function).run();
}

} // namespace gpu::ptx
