#pragma once

#include "tests/gpu/conformance/case.h"

#include <memory>
#include <string>

namespace gpu::conformance {

/// Decodes the PTX and runs the case on the interpreter, in checked mode if wanted. A fault is an
/// error with its message.
Result<Outputs> runInterpreted(const Case &test, const std::string &ptx, bool checked = false);

/// A real GPU through the driver API, opened at run time. One thread.
class Device {
public:
    /// Environment error where there is no driver or no GPU.
    static Result<std::unique_ptr<Device>> open();
    virtual ~Device() = default;
    virtual std::string description() const = 0;
    virtual Result<Outputs> run(const Case &test, const std::string &cubin) = 0;
};

} // namespace gpu::conformance
