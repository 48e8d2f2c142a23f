#pragma once

#include "gpu/base/dim3.h"
#include "gpu/base/dtype.h"
#include "gpu/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Conformance of the PTX interpreter with a real GPU: kernels with fixed inputs, run on both.
namespace gpu::conformance {

/// One kernel argument: a buffer with its initial contents, or a scalar.
struct Argument {
    std::string name;
    DType type = DType::F32;
    bool buffer = false, output = false;
    /// An output agrees if |got - want| <= absolute + relative * |want|; both 0: bit for bit.
    double relative = 0, absolute = 0;
    std::vector<std::byte> bytes;
};

/// One .cu file: a launch and its data. `source` is compiled for both sides as it stands.
struct Case {
    std::string name, source, kernel;
    Dim3 grid, block;
    std::uint32_t sharedBytes = 0;
    bool cooperative = false;
    std::vector<std::string> options;
    std::vector<Argument> arguments;
};

/// The contents of the output buffers in the order of the arguments.
using Outputs = std::vector<std::vector<std::byte>>;

/// Reads the JSON plan in the leading comment of a .cu file and generates the inputs.
Result<Case> readCase(const std::filesystem::path &path);
/// All .cu files of a folder by name. An empty folder is an error.
Result<std::vector<Case>> readCases(const std::filesystem::path &folder);

bool isExact(const Argument &argument);
std::vector<const Argument *> outputArguments(const Case &test);
/// FNV-1a of 64 bits: for records, not for security.
std::uint64_t hashOf(const void *data, std::size_t size);
/// The first difference in words, or nullopt if all outputs agree.
std::optional<std::string> firstDifference(
    const Case &test, const Outputs &got, const Outputs &want);
/// As above for one output.
std::optional<std::string> firstDifference(const Argument &argument,
    const std::vector<std::byte> &got, const std::vector<std::byte> &want);

} // namespace gpu::conformance
