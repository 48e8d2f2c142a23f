#include "tests/gpu/conformance/runners.h"

#include <cuda.h>

#include <dlfcn.h>

namespace gpu::conformance {

namespace {

/// Calls into libcuda, which exports versioned names.
class Driver {
public:
    explicit Driver(void *library)
        : m_library(library)
    {
    }

    /// Calls a driver function by the name that the library exports; the first failure sticks.
    template <class F, class... Values> bool call(const char *name, Values... values)
    {
        auto *function = reinterpret_cast<F *>(dlsym(m_library, name));
        const CUresult status = function ? function(values...) : CUDA_ERROR_NOT_FOUND;
        if (status != CUDA_SUCCESS && m_error.empty())
            m_error = std::string(name) + " failed with CUDA error " + std::to_string(status);
        return status == CUDA_SUCCESS;
    }
    std::string takeError() { return std::exchange(m_error, {}); }

private:
    void *m_library;
    std::string m_error;
};

class OpenedDevice final : public Device {
public:
    OpenedDevice(Driver driver, std::string text)
        : m_driver(std::move(driver))
        , m_description(std::move(text))
    {
    }

    std::string description() const override { return m_description; }

    Result<Outputs> run(const Case &test, const std::string &cubin) override
    {
        CUmodule module = nullptr;
        std::vector<CUdeviceptr> addresses(test.arguments.size());
        Outputs outputs;
        if (m_driver.call<decltype(cuModuleLoadData)>(
                "cuModuleLoadData", &module, static_cast<const void *>(cubin.data()))) {
            if (upload(test, addresses) && launch(test, module, addresses))
                outputs = download(test, addresses);
            for (CUdeviceptr address : addresses)
                if (address)
                    m_driver.call<decltype(cuMemFree)>("cuMemFree_v2", address);
            m_driver.call<decltype(cuModuleUnload)>("cuModuleUnload", module);
        }
        if (std::string error = m_driver.takeError(); !error.empty())
            return environmentError(error);
        return outputs;
    }

private:
    bool upload(const Case &test, std::vector<CUdeviceptr> &addresses)
    {
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            const Argument &argument = test.arguments[i];
            if (argument.buffer
                && (!m_driver.call<decltype(cuMemAlloc)>(
                        "cuMemAlloc_v2", &addresses[i], argument.bytes.size())
                    || !m_driver.call<decltype(cuMemcpyHtoD)>("cuMemcpyHtoD_v2", addresses[i],
                        static_cast<const void *>(argument.bytes.data()), argument.bytes.size())))
                return false;
        }
        return true;
    }

    bool launch(const Case &test, CUmodule module, std::vector<CUdeviceptr> &addresses)
    {
        CUfunction kernel = nullptr;
        if (!m_driver.call<decltype(cuModuleGetFunction)>(
                "cuModuleGetFunction", &kernel, module, test.kernel.c_str())
            || !m_driver.call<decltype(cuFuncSetAttribute)>("cuFuncSetAttribute", kernel,
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(test.sharedBytes)))
            return false;
        std::vector<void *> parameters;
        for (std::size_t i = 0; i < addresses.size(); ++i)
            parameters.push_back(test.arguments[i].buffer
                    ? static_cast<void *>(&addresses[i])
                    : const_cast<std::byte *>(test.arguments[i].bytes.data()));
        const CUstream stream = nullptr;
        const bool launched = test.cooperative
            ? m_driver.call<decltype(cuLaunchCooperativeKernel)>("cuLaunchCooperativeKernel",
                kernel, test.grid.x, test.grid.y, test.grid.z, test.block.x, test.block.y,
                test.block.z, test.sharedBytes, stream, parameters.data())
            : m_driver.call<decltype(cuLaunchKernel)>("cuLaunchKernel", kernel, test.grid.x,
                test.grid.y, test.grid.z, test.block.x, test.block.y, test.block.z,
                test.sharedBytes, stream, parameters.data(), static_cast<void **>(nullptr));
        return launched && m_driver.call<decltype(cuCtxSynchronize)>("cuCtxSynchronize");
    }

    Outputs download(const Case &test, const std::vector<CUdeviceptr> &addresses)
    {
        Outputs outputs;
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            if (!test.arguments[i].output)
                continue;
            outputs.emplace_back(test.arguments[i].bytes.size());
            m_driver.call<decltype(cuMemcpyDtoH)>("cuMemcpyDtoH_v2",
                static_cast<void *>(outputs.back().data()), addresses[i], outputs.back().size());
        }
        return outputs;
    }

    Driver m_driver;
    std::string m_description;
};

} // namespace

Result<std::unique_ptr<Device>> Device::open()
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return environmentError("There is no libcuda.so.1: no NVIDIA driver.");
    Driver driver(library);
    CUdevice device = 0;
    CUcontext context = nullptr;
    std::string name(128, '\0');
    int version = 0;
    if (!driver.call<decltype(cuInit)>("cuInit", 0u)
        || !driver.call<decltype(cuDeviceGet)>("cuDeviceGet", &device, 0)
        || !driver.call<decltype(cuDeviceGetName)>(
            "cuDeviceGetName", name.data(), int(name.size()), device)
        || !driver.call<decltype(cuDriverGetVersion)>("cuDriverGetVersion", &version)
        || !driver.call<decltype(cuDevicePrimaryCtxRetain)>(
            "cuDevicePrimaryCtxRetain", &context, device)
        || !driver.call<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent", context))
        return environmentError(driver.takeError());
    name.resize(name.find('\0'));
    return std::unique_ptr<Device>(
        new OpenedDevice(driver, name + ", driver API " + std::to_string(version)));
}

} // namespace gpu::conformance
