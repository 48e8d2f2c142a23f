#include "tests/gpu/conformance/nvrtc.h"

#include <nvrtc.h>

#include <dlfcn.h>

#include <cstdlib>

namespace gpu::conformance {

namespace {

class OpenedNvrtc final : public Nvrtc {
public:
    OpenedNvrtc(void *library, std::string cudaHome)
        : m_library(library)
        , m_cudaHome(std::move(cudaHome))
    {
    }

    Result<std::string> ptx(
        const std::string &source, const std::vector<std::string> &options) override
    {
        return compile(
            source, options, "--gpu-architecture=compute_90", "nvrtcGetPTXSize", "nvrtcGetPTX");
    }

    Result<std::string> cubin(
        const std::string &source, const std::vector<std::string> &options) override
    {
        return compile(
            source, options, "--gpu-architecture=sm_90", "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
    }

private:
    template <class F> F *function(const char *name) const
    {
        return reinterpret_cast<F *>(dlsym(m_library, name));
    }

    Result<std::string> compile(const std::string &source, std::vector<std::string> options,
        const char *architecture, const char *sizeName, const char *dataName) const
    {
        options.insert(options.end(),
            {architecture, "--std=c++17", "-I" + m_cudaHome + "/include",
                "-I" + m_cudaHome + "/include/cccl"});
        std::vector<const char *> pointers;
        for (const std::string &option : options)
            pointers.push_back(option.c_str());
        nvrtcProgram program = nullptr;
        function<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram")(
            &program, source.c_str(), "kernel.cu", 0, nullptr, nullptr);
        const nvrtcResult status = function<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram")(
            program, int(pointers.size()), pointers.data());
        std::string log = read(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
        std::string code = status == NVRTC_SUCCESS ? read(program, sizeName, dataName) : "";
        function<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram")(&program);
        if (code.empty())
            return candidateError("NVRTC: " + log);
        return code;
    }

    std::string read(nvrtcProgram program, const char *sizeName, const char *dataName) const
    {
        std::size_t size = 0;
        function<decltype(nvrtcGetPTXSize)>(sizeName)(program, &size);
        std::string data(size, '\0');
        function<decltype(nvrtcGetPTX)>(dataName)(program, data.data());
        return data;
    }

    void *m_library;
    std::string m_cudaHome;
};

} // namespace

Result<std::unique_ptr<Nvrtc>> Nvrtc::open(std::string cudaHome)
{
    if (cudaHome.empty()) {
        const char *home = std::getenv("CUDA_HOME");
        cudaHome = home ? home : "/usr/local/cuda";
    }
    for (const char *folder : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/"})
        for (const char *name : {"libnvrtc.so.13", "libnvrtc.so"})
            if (void *library = dlopen((cudaHome + folder + name).c_str(), RTLD_NOW))
                return std::unique_ptr<Nvrtc>(new OpenedNvrtc(library, cudaHome));
    return environmentError("NVRTC is not under " + cudaHome
        + ". Name a CUDA 13 toolkit with CUDA_HOME or --cuda-home.");
}

} // namespace gpu::conformance
