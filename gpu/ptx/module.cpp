#include "gpu/ptx/control.h"
#include "gpu/ptx/decode.h"
#include "gpu/ptx/parser.h"

#include <algorithm>
#include <cstring>

namespace gpu::ptx {

namespace {

std::uint32_t alignUp(std::uint32_t value, std::uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/// Stack of a thread that recurses or calls through pointers, beyond what is known.
constexpr std::uint32_t RecursionBytes = 16 * 1024;

Error variableError(const syntax::Variable &variable, const std::string &what)
{
    return candidateError(
        "PTX line " + std::to_string(variable.line) + ": variable " + variable.name + " " + what);
}

Result<ModuleVariable> moduleVariable(const syntax::Variable &source)
{
    ModuleVariable variable;
    variable.name = source.name;
    variable.space = source.space;
    variable.sizeBytes = source.sizeBytes;
    variable.alignment = source.alignment;
    if (source.space == Space::Shared)
        return variable;
    if (source.isExtern) {
        variable.isExtern = true;
        return variable;
    }
    if (source.space == Space::Local)
        return variableError(source, "is local to no function");
    if (source.sizeBytes > (std::size_t(1) << 30))
        return variableError(source, "is larger than 1 GiB");
    const std::size_t element = syntax::sizeOf(source.type);
    if (source.initializers.size() * element > source.sizeBytes)
        return variableError(source, "has more initial values than room");
    if (!source.initializers.empty())
        variable.initial.resize(source.sizeBytes);
    for (std::size_t i = 0; i < source.initializers.size(); ++i) {
        const syntax::Initializer &value = source.initializers[i];
        std::memcpy(
            variable.initial.data() + i * element, &value.bits, std::min<std::size_t>(element, 8));
        if (!value.symbol.empty())
            variable.relocations.push_back({i * element, value.symbol, std::int64_t(value.bits),
                std::uint8_t(std::min<std::size_t>(element, 8)), value.shift});
    }
    return variable;
}

Status addVariable(Program &program, const syntax::Variable &source, std::uint32_t &shared)
{
    Result<ModuleVariable> variable = moduleVariable(source);
    if (!variable)
        return variable.error();
    if (source.space == Space::Shared && !source.isExtern && source.sizeBytes > 0) {
        shared = alignUp(shared, std::uint32_t(source.alignment));
        variable->offset = shared;
        if (source.sizeBytes > (1u << 28))
            return variableError(source, "is too large for shared memory");
        shared += std::uint32_t(source.sizeBytes);
    } else if (source.space == Space::Shared) {
        variable->sizeBytes = 0;
    }
    program.variableIndex[source.name] = std::uint32_t(program.variables.size());
    program.variables.push_back(std::move(*variable));
    return Unit();
}

std::uint32_t ownSharedEnd(const syntax::Function &function, std::uint32_t from)
{
    for (const syntax::Variable &variable : function.variables)
        if (variable.space == Space::Shared && variable.sizeBytes < (1u << 28))
            from = alignUp(from, std::uint32_t(variable.alignment))
                + std::uint32_t(variable.sizeBytes);
    return from;
}

/// Fills in stackBytes and recursive by a walk over the calls.
class StackWalk {
public:
    explicit StackWalk(Program &program)
        : m_program(program)
        , m_state(program.functions.size(), 0)
    {
    }

    void visit(std::uint32_t index)
    {
        Function &function = m_program.functions[index];
        m_state[index] = 1;
        std::uint32_t deepest = 0;
        for (const Instruction &in : function.code) {
            if (in.target >= m_program.functions.size() || in.handler != handleCall) {
                function.recursive |= in.handler == handleCallIndirect;
                continue;
            }
            if (m_state[in.target] == 0)
                visit(in.target);
            if (m_state[in.target] == 1)
                function.recursive = true;
            const Function &callee = m_program.functions[in.target];
            function.recursive |= callee.recursive;
            deepest = std::max(deepest, callee.stackBytes);
        }
        function.stackBytes = std::min(function.localBytes + deepest, 1u << 24);
        m_state[index] = 2;
    }
    bool visited(std::uint32_t index) const { return m_state[index] != 0; }

private:
    Program &m_program;
    std::vector<int> m_state;
};

Status decodeModule(const syntax::Module &module, Program &program)
{
    program.files = module.files;
    std::uint32_t shared = 0;
    for (const syntax::Variable &variable : module.variables)
        if (Status status = addVariable(program, variable, shared); !status)
            return status;
    std::vector<const syntax::Function *> defined;
    for (const syntax::Function &function : module.functions) {
        for (const syntax::Variable &variable : function.variables) {
            if (variable.space != Space::Global && variable.space != Space::Const)
                continue;
            if (Status status = addVariable(program, variable, shared); !status)
                return status;
        }
        if (!function.isDefined)
            continue;
        if (program.functionIndex.contains(function.name))
            return candidateError("PTX line " + std::to_string(function.line) + ": function "
                + function.name + " is defined twice");
        program.functionIndex[function.name] = std::uint32_t(defined.size());
        defined.push_back(&function);
    }
    std::vector<std::uint32_t> offsets(defined.size());
    for (std::size_t i = 0; i < defined.size(); ++i)
        if (!defined[i]->isEntry) {
            offsets[i] = shared;
            shared = ownSharedEnd(*defined[i], shared);
        }
    std::uint32_t dynamic = shared;
    for (std::size_t i = 0; i < defined.size(); ++i)
        if (defined[i]->isEntry) {
            offsets[i] = shared;
            dynamic = std::max(dynamic, ownSharedEnd(*defined[i], shared));
        }
    program.staticSharedBytes = shared;
    program.dynamicSharedOffset = alignUp(dynamic, 1024);
    for (ModuleVariable &variable : program.variables)
        if (variable.space == Space::Shared && variable.sizeBytes == 0)
            variable.offset = program.dynamicSharedOffset;

    program.functions.resize(defined.size());
    for (std::size_t i = 0; i < defined.size(); ++i) {
        Function &function = program.functions[i];
        if (Status status = decodeFunction(module, *defined[i], offsets[i], program, function);
            !status)
            return status;
        if (function.isEntry)
            function.info.staticSharedBytes = ownSharedEnd(*defined[i], shared);
    }
    StackWalk walk(program);
    for (std::uint32_t i = 0; i < program.functions.size(); ++i)
        if (!walk.visited(i))
            walk.visit(i);
    for (Function &function : program.functions)
        if (function.recursive)
            function.stackBytes += RecursionBytes;
    return Unit();
}

} // namespace

Result<std::shared_ptr<const Program>> decode(std::string_view ptx)
{
    Result<syntax::Module> module = parse(ptx);
    if (!module)
        return module.error();
    auto program = std::make_shared<Program>();
    if (Status status = decodeModule(*module, *program); !status)
        return status.error();
    return std::shared_ptr<const Program>(std::move(program));
}

std::vector<KernelInfo> kernels(const Program &program)
{
    std::vector<KernelInfo> result;
    for (const Function &function : program.functions)
        if (function.isEntry)
            result.push_back(function.info);
    return result;
}

} // namespace gpu::ptx
