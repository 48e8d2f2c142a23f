#include "gpu/base/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

namespace gpu {

namespace fs = std::filesystem;

Result<std::string> readFile(const fs::path &path, std::size_t limitBytes)
{
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status))
        return callerError("There is no file " + path.string() + ".");
    if (!fs::is_regular_file(status))
        return callerError(path.string() + " is not a file.");
    const std::uintmax_t size = fs::file_size(path, code);
    if (!code && size > limitBytes)
        return callerError(path.string() + " has " + std::to_string(size) + " bytes; the limit is "
            + std::to_string(limitBytes) + ".");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string bytes(code ? 0 : size, '\0');
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        return callerError("Cannot read " + path.string() + ": "
            + (errno ? std::strerror(errno) : "it became shorter meanwhile") + ".");
    return bytes;
}

std::string normalizedText(std::string text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    std::size_t to = 0;
    for (std::size_t from = 0; from < text.size(); ++from)
        if (text[from] != '\r' || from + 1 == text.size() || text[from + 1] != '\n')
            text[to++] = text[from];
    text.resize(to);
    return text;
}

Result<TemporaryFolder> TemporaryFolder::create()
{
    std::error_code code;
    const fs::path base = fs::temp_directory_path(code);
    std::string pattern = ((code ? fs::path("/tmp") : base) / "espalier-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
        return environmentError("Cannot make a folder in " + base.string() + ": "
            + std::strerror(errno)
            + ". Free some space or set TMPDIR to a folder that is writable.");
    return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : m_path(std::move(other.m_path))
{
    other.m_path.clear();
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    if (!m_path.empty())
        fs::remove_all(m_path, ignored);
}

Status writeFile(const fs::path &path, const std::string &bytes)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file)
        return environmentError("Cannot write " + path.string() + ": "
            + (errno ? std::strerror(errno) : "the disk refused it") + ".");
    return Unit{};
}

} // namespace gpu
