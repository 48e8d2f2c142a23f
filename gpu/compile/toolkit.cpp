#include "gpu/compile/toolkit.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace gpu {

namespace {
namespace fs = std::filesystem;

const char *setting(const char *name)
{
    const char *value = std::getenv(name);
    return value && *value ? value : nullptr;
}

/// Sub-folders of `folder` whose name starts so, newest name first.
std::vector<fs::path> children(const fs::path &folder, const std::string &start)
{
    std::vector<fs::path> result;
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
         entry.increment(ignored))
        if (entry->path().filename().string().starts_with(start))
            result.push_back(entry->path());
    std::sort(result.rbegin(), result.rend());
    return result;
}

/// Where NVIDIA's wheels unpack to.
void addSitePackages(std::vector<fs::path> &homes)
{
    std::vector<fs::path> roots = {"/usr/local/lib", "/usr/lib", "/opt/conda/lib"};
    if (const char *environment = setting("VIRTUAL_ENV"))
        roots.insert(roots.begin(), fs::path(environment) / "lib");
    if (const char *environment = setting("CONDA_PREFIX"))
        roots.insert(roots.begin(), fs::path(environment) / "lib");
    if (const char *home = setting("HOME"))
        roots.push_back(fs::path(home) / ".local/lib");
    for (const fs::path &root : roots)
        for (const fs::path &python : children(root, "python3"))
            for (const char *packages : {"site-packages", "dist-packages"})
                for (const fs::path &home : children(python / packages / "nvidia", "cu1"))
                    homes.push_back(home);
}

std::vector<fs::path> candidateHomes(const fs::path &program)
{
    if (const char *only = setting("ESPALIER_CUDA_HOME"))
        return {only};
    std::vector<fs::path> homes;
    for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
        if (const char *value = setting(name))
            homes.emplace_back(value);
    std::error_code ignored;
    const fs::path real = fs::canonical(program, ignored);
    if (!ignored)
        homes.push_back(real.parent_path().parent_path() / "cuda");
    homes.emplace_back("/usr/local/cuda");
    for (const fs::path &versioned : children("/usr/local", "cuda-"))
        homes.push_back(versioned);
    addSitePackages(homes);
    return homes;
}

fs::path findNvrtc(const fs::path &home)
{
    std::error_code ignored;
    for (const char *folder :
        {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
        for (const fs::path &versioned : children(home / folder, "libnvrtc.so."))
            if (fs::is_regular_file(versioned, ignored))
                return fs::canonical(versioned, ignored);
        if (fs::is_regular_file(home / folder / "libnvrtc.so", ignored))
            return fs::canonical(home / folder / "libnvrtc.so", ignored);
    }
    return {};
}

std::vector<fs::path> findIncludes(const fs::path &home)
{
    std::error_code ignored;
    for (const char *folder :
        {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"}) {
        const fs::path include = fs::canonical(home / folder, ignored);
        if (ignored || !fs::is_regular_file(include / "cuda_fp16.h", ignored))
            continue;
        // CUDA 13 moved libcu++ and CUB into a folder of their own.
        return {include, include / "cccl"};
    }
    return {};
}

std::string joined(const std::vector<fs::path> &paths)
{
    std::string text;
    for (const fs::path &path : paths)
        text += (text.empty() ? "" : ", ") + path.string();
    return text;
}
} // namespace

Result<Toolkit> findToolkit(const fs::path &program)
{
    const std::vector<fs::path> homes = candidateHomes(program);
    std::string incomplete;
    for (const fs::path &home : homes) {
        Toolkit toolkit{home, findNvrtc(home), findIncludes(home)};
        if (!toolkit.nvrtc.empty() && !toolkit.includes.empty())
            return toolkit;
        if (!toolkit.nvrtc.empty())
            incomplete = " " + home.string() + " has NVRTC but not its headers (cuda_fp16.h).";
    }
    return environmentError(
        "NVIDIA's run-time compiler (libnvrtc with CUDA's headers) was not found." + incomplete
        + " Looked in " + joined(homes)
        + ". Install the CUDA 13 toolkit, or NVIDIA's wheels (nvidia-cuda-nvrtc, "
          "nvidia-cuda-runtime, "
          "nvidia-cuda-crt, nvidia-cuda-cccl) as ./run does, or set ESPALIER_CUDA_HOME to the "
          "folder "
          "with lib and include.");
}

Result<fs::path> findNvdisasm(const fs::path &program)
{
    std::vector<fs::path> folders;
    for (const fs::path &home : candidateHomes(program))
        folders.push_back(home / "bin");
    std::error_code ignored;
    // The toolkit may be complete but for this one tool, which `run` then puts beside the program.
    const fs::path real = fs::canonical(program, ignored);
    if (!ignored)
        folders.push_back(real.parent_path().parent_path() / "cuda/bin");
    if (const char *path = setting("PATH")) {
        std::stringstream entries(path);
        for (std::string entry; std::getline(entries, entry, ':');)
            folders.emplace_back(entry);
    }
    for (const fs::path &folder : folders)
        if (fs::is_regular_file(folder / "nvdisasm", ignored))
            return folder / "nvdisasm";
    return environmentError(
        "nvdisasm, which shows a kernel's machine code, was not found. Install "
        "cuda-nvdisasm or NVIDIA's wheel nvidia-cuda-nvdisasm, or put it in PATH.");
}

} // namespace gpu
