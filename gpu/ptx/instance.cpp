#include "gpu/ptx/instance.h"

#include <cstring>

namespace gpu::ptx {

LoadedInstance::LoadedInstance(std::shared_ptr<const Program> program, GlobalMemory &memory)
    : m_program(std::move(program))
    , m_memory(memory)
{
}

LoadedInstance::~LoadedInstance()
{
    for (const auto &[name, place] : m_addresses)
        m_memory.free(place.first);
}

std::optional<std::pair<std::uint64_t, std::size_t>> LoadedInstance::variable(
    std::string_view name) const
{
    const auto it = m_addresses.find(name);
    if (it == m_addresses.end())
        return std::nullopt;
    return it->second;
}

std::optional<std::uint64_t> LoadedInstance::addressOf(const std::string &symbol) const
{
    if (const auto it = m_addresses.find(symbol); it != m_addresses.end())
        return it->second.first;
    if (const auto it = m_program->variableIndex.find(symbol);
        it != m_program->variableIndex.end() && !m_program->variables[it->second].isExtern)
        return m_program->variables[it->second].offset;
    if (const auto it = m_program->functionIndex.find(symbol); it != m_program->functionIndex.end())
        return FunctionWindow + FunctionStride * (it->second + 1);
    return std::nullopt;
}

Status LoadedInstance::initialize()
{
    for (const ModuleVariable &variable : m_program->variables) {
        if (variable.space == Space::Shared || variable.isExtern)
            continue;
        Result<std::uint64_t> address = m_memory.allocate(variable.sizeBytes, variable.name);
        if (!address)
            return address.error();
        m_addresses[variable.name] = {*address, variable.sizeBytes};
    }
    for (const ModuleVariable &variable : m_program->variables) {
        if (variable.space == Space::Shared || variable.isExtern)
            continue;
        const std::uint64_t begin = m_addresses[variable.name].first;
        const std::span<std::byte> storage = m_memory.contents(begin);
        if (storage.empty())
            continue;
        std::memset(storage.data(), 0, storage.size());
        if (!variable.initial.empty())
            std::memcpy(storage.data(), variable.initial.data(), variable.initial.size());
        for (const ModuleVariable::Relocation &relocation : variable.relocations) {
            const auto target = addressOf(relocation.symbol);
            if (!target)
                return candidateError("variable " + variable.name
                    + " is initialised with the unknown symbol " + relocation.symbol);
            const std::uint64_t value
                = (*target + std::uint64_t(relocation.addend)) >> relocation.shift;
            std::memcpy(storage.data() + relocation.offset, &value, relocation.sizeBytes);
        }
        if (variable.space == Space::Const)
            m_memory.setReadOnly(begin, true);
    }
    for (const Function &function : m_program->functions) {
        std::vector<std::uint64_t> words = function.constants;
        auto *bytes = reinterpret_cast<std::byte *>(words.data());
        for (const Function::Relocation &relocation : function.relocations) {
            const auto target = addressOf(relocation.symbol);
            if (!target)
                return candidateError("unknown symbol " + relocation.symbol);
            const std::uint64_t value = *target + std::uint64_t(relocation.addend);
            for (std::size_t lane = 0; lane < 32; ++lane)
                std::memcpy(bytes + relocation.offset + lane * relocation.sizeBytes, &value,
                    relocation.sizeBytes);
        }
        m_constants.push_back(std::move(words));
    }
    return Unit();
}

Result<std::unique_ptr<Instance>> Instance::load(
    std::shared_ptr<const Program> program, GlobalMemory &memory)
{
    auto instance = std::make_unique<LoadedInstance>(std::move(program), memory);
    if (Status status = instance->initialize(); !status)
        return status.error();
    return std::unique_ptr<Instance>(std::move(instance));
}

} // namespace gpu::ptx
