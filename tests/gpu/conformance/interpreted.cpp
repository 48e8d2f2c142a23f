#include "tests/gpu/conformance/runners.h"

#include "gpu/ptx/interpreter.h"

#include <algorithm>
#include <cstring>

namespace gpu::conformance {

Result<Outputs> runInterpreted(const Case &test, const std::string &ptx, bool checked)
{
    auto program = ptx::decode(ptx);
    if (!program)
        return program.error();
    const auto kernels = ptx::kernels(**program);
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
        [&](const ptx::KernelInfo &info) { return info.name == test.kernel; });
    if (kernel == kernels.end() || kernel->parameters.size() != test.arguments.size())
        return candidateError("The PTX has no kernel " + test.kernel + " with these parameters.");

    ptx::GlobalMemory memory(std::uint64_t(1) << 30);
    auto instance = ptx::Instance::load(*program, memory);
    if (!instance)
        return instance.error();
    ptx::Launch launch{test.kernel, test.grid, test.block, test.sharedBytes, {}, test.cooperative};
    launch.parameters.resize(kernel->parameterBytes);
    std::vector<std::uint64_t> outputAddresses;
    for (std::size_t i = 0; i < test.arguments.size(); ++i) {
        const Argument &argument = test.arguments[i];
        std::byte *parameter = launch.parameters.data() + kernel->parameters[i].offset;
        if (!argument.buffer) {
            std::memcpy(parameter, argument.bytes.data(), argument.bytes.size());
            continue;
        }
        auto address = memory.allocate(argument.bytes.size(), argument.name);
        if (!address)
            return address.error();
        std::memcpy(memory.contents(*address).data(), argument.bytes.data(), argument.bytes.size());
        std::memcpy(parameter, &*address, sizeof(*address));
        if (argument.output)
            outputAddresses.push_back(*address);
    }
    ptx::ExecutionOptions options;
    options.instructionBudget = 200'000'000;
    options.checked = checked;
    if (const auto fault = ptx::run(**instance, memory, launch, options))
        return candidateError(fault->message);
    Outputs outputs;
    for (std::uint64_t address : outputAddresses) {
        const auto contents = memory.contents(address);
        outputs.emplace_back(contents.begin(), contents.end());
    }
    return outputs;
}

} // namespace gpu::conformance
