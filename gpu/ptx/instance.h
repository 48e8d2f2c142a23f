#pragma once

#include "gpu/ptx/program.h"

#include <map>

namespace gpu::ptx {

/// The only Instance: storage of the module's variables and the constants that hold addresses.
class LoadedInstance : public Instance {
public:
    LoadedInstance(std::shared_ptr<const Program> program, GlobalMemory &memory);
    ~LoadedInstance() override;
    std::optional<std::pair<std::uint64_t, std::size_t>> variable(
        std::string_view name) const override;

    Status initialize();
    const Program &program() const { return *m_program; }
    std::byte *constants(std::uint32_t function)
    {
        return reinterpret_cast<std::byte *>(m_constants[function].data());
    }

private:
    std::optional<std::uint64_t> addressOf(const std::string &symbol) const;

    std::shared_ptr<const Program> m_program;
    GlobalMemory &m_memory;
    std::map<std::string, std::pair<std::uint64_t, std::size_t>, std::less<>> m_addresses;
    std::vector<std::vector<std::uint64_t>> m_constants;
};

} // namespace gpu::ptx
