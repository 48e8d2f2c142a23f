#include "gpu/compile/nvrtc.h"

#include <nvrtc.h>

#include <dlfcn.h>

#include <filesystem>

namespace gpu {

struct Nvrtc::Functions {
    decltype(&nvrtcVersion) version = nullptr;
    decltype(&nvrtcGetErrorString) errorString = nullptr;
    decltype(&nvrtcCreateProgram) create = nullptr;
    decltype(&nvrtcDestroyProgram) destroy = nullptr;
    decltype(&nvrtcCompileProgram) compile = nullptr;
    decltype(&nvrtcAddNameExpression) addName = nullptr;
    decltype(&nvrtcGetLoweredName) loweredName = nullptr;
    decltype(&nvrtcGetProgramLogSize) logSize = nullptr;
    decltype(&nvrtcGetProgramLog) log = nullptr;
    decltype(&nvrtcGetPTXSize) ptxSize = nullptr;
    decltype(&nvrtcGetPTX) ptx = nullptr;
    decltype(&nvrtcGetCUBINSize) cubinSize = nullptr;
    decltype(&nvrtcGetCUBIN) cubin = nullptr;
};

namespace {
/// NVRTC opens this library by its bare name, which only the linker's cache of an installed toolkit
/// finds: loaded beforehand from NVRTC's own folder it is found in any.
void loadBuiltins(const std::filesystem::path &nvrtc)
{
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry(nvrtc.parent_path(), ignored), end;
         !ignored && entry != end; entry.increment(ignored))
        if (entry->path().filename().string().starts_with("libnvrtc-builtins.so"))
            ::dlopen(entry->path().c_str(), RTLD_NOW | RTLD_GLOBAL);
}
} // namespace

Result<Nvrtc> Nvrtc::open(const std::string &library)
{
    loadBuiltins(library);
    // Never closed: NVRTC's exit handlers crash when it is unloaded early.
    void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return environmentError("NVRTC cannot be loaded: " + std::string(::dlerror())
            + ". Reinstall the CUDA toolkit or set ESPALIER_CUDA_HOME to a complete one.");
    const auto functions = std::make_shared<Functions>();
    std::string missing;
    const auto find = [&](auto &function, const char *name) {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(handle, name));
        if (!function)
            missing = name;
    };
    find(functions->version, "nvrtcVersion");
    find(functions->errorString, "nvrtcGetErrorString");
    find(functions->create, "nvrtcCreateProgram");
    find(functions->destroy, "nvrtcDestroyProgram");
    find(functions->compile, "nvrtcCompileProgram");
    find(functions->addName, "nvrtcAddNameExpression");
    find(functions->loweredName, "nvrtcGetLoweredName");
    find(functions->logSize, "nvrtcGetProgramLogSize");
    find(functions->log, "nvrtcGetProgramLog");
    find(functions->ptxSize, "nvrtcGetPTXSize");
    find(functions->ptx, "nvrtcGetPTX");
    find(functions->cubinSize, "nvrtcGetCUBINSize");
    find(functions->cubin, "nvrtcGetCUBIN");
    if (!missing.empty())
        return environmentError(library + " has no function " + missing
            + ": it is too old. Install CUDA 12 or newer (13 is what Espalier is tested with).");
    Nvrtc nvrtc;
    nvrtc.m_functions = functions;
    return nvrtc;
}

std::string Nvrtc::version() const
{
    int major = 0, minor = 0;
    m_functions->version(&major, &minor);
    return std::to_string(major) + "." + std::to_string(minor);
}

NvrtcOutput Nvrtc::compile(const NvrtcJob &job) const
{
    const Functions &f = *m_functions;
    NvrtcOutput output;
    std::vector<const char *> names, texts, options;
    for (const auto &[name, text] : job.headers) {
        names.push_back(name.c_str());
        texts.push_back(text.c_str());
    }
    for (const std::string &option : job.options)
        options.push_back(option.c_str());

    nvrtcProgram program = nullptr;
    nvrtcResult result = f.create(&program, job.source.c_str(), job.name.c_str(),
        static_cast<int>(names.size()), texts.data(), names.data());
    for (std::size_t i = 0; i < job.expressions.size() && result == NVRTC_SUCCESS; ++i)
        result = f.addName(program, job.expressions[i].c_str());
    if (result == NVRTC_SUCCESS)
        result = f.compile(program, static_cast<int>(options.size()), options.data());

    const auto fetch = [&program](auto size, auto get) {
        std::size_t bytes = 0;
        std::string text;
        if (program && size(program, &bytes) == NVRTC_SUCCESS && bytes > 0) {
            text.resize(bytes);
            if (get(program, text.data()) != NVRTC_SUCCESS)
                text.clear();
        }
        return text;
    };
    const auto withoutNul = [](std::string text) {
        while (!text.empty() && text.back() == '\0')
            text.pop_back();
        return text;
    };
    output.status = f.errorString(result);
    output.ok = result == NVRTC_SUCCESS;
    output.log = withoutNul(fetch(f.logSize, f.log));
    if (output.ok) {
        output.ptx = withoutNul(fetch(f.ptxSize, f.ptx));
        if (job.wantCubin)
            output.cubin = fetch(f.cubinSize, f.cubin);
        for (const std::string &expression : job.expressions) {
            const char *lowered = nullptr;
            if (f.loweredName(program, expression.c_str(), &lowered) != NVRTC_SUCCESS)
                lowered = nullptr;
            output.loweredNames.emplace_back(lowered ? lowered : "");
        }
    }
    if (program)
        f.destroy(&program);
    return output;
}

} // namespace gpu
