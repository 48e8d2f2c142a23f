#include "gpu/compile/sandbox.h"

#include "gpu/base/process.h"

#include <cstdlib>
#include <set>
#include <sstream>
#include <system_error>

namespace gpu {

namespace {
namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr const char *Loader = "/lib/ld-linux-aarch64.so.1";
#else
constexpr const char *Loader = "/lib64/ld-linux-x86-64.so.2";
#endif

// A sanitizer reads its own memory map.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool NeedsProc = true;
#else
constexpr bool NeedsProc = false;
#endif

std::string findProgram(const std::string &name)
{
    const char *path = std::getenv("PATH");
    std::stringstream folders(path && *path ? path : "/usr/bin:/bin");
    std::error_code ignored;
    for (std::string folder; std::getline(folders, folder, ':');)
        if (fs::is_regular_file(fs::path(folder) / name, ignored))
            return fs::path(folder) / name;
    return {};
}

/// What the dynamic linker would load for a program or library, as "name => path (address)" lines.
Result<std::set<std::string>> librariesOf(const fs::path &file)
{
    const Result<ProcessResult> listed = runProcess({Loader, "--list", file.string()});
    if (!listed)
        return listed.error();
    if (!listed->end.succeeded())
        return environmentError("The dynamic linker cannot list the libraries of " + file.string()
            + " (" + listed->end.text() + ").");
    std::set<std::string> libraries;
    std::istringstream lines(listed->out);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find('/'), end = line.rfind(" (0x");
        if (begin != line.npos && end != line.npos && begin < end)
            libraries.insert(line.substr(begin, end - begin));
    }
    return libraries;
}
} // namespace

Result<std::vector<std::string>> sandboxCommand(const SandboxView &view)
{
    const std::string bwrap = findProgram("bwrap");
    if (bwrap.empty())
        return environmentError("bubblewrap (bwrap) is not installed");
    std::set<std::string> files = {Loader};
    for (const fs::path &file : view.files) {
        files.insert(file.string());
        const Result<std::set<std::string>> libraries = librariesOf(file);
        if (!libraries)
            return libraries.error();
        files.insert(libraries->begin(), libraries->end());
    }
    std::vector<std::string> command
        = {bwrap, "--unshare-all", "--die-with-parent", "--clearenv", "--tmpfs", "/tmp"};
    for (const std::string &file : files)
        command.insert(command.end(), {"--ro-bind", file, file});
    for (const fs::path &folder : view.folders)
        command.insert(command.end(), {"--ro-bind-try", folder.string(), folder.string()});
    if (NeedsProc)
        command.insert(command.end(), {"--proc", "/proc"});
    command.insert(command.end(), {"--chdir", "/tmp", "--"});
    return command;
}

} // namespace gpu
