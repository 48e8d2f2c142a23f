#pragma once

#include "gpu/base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace gpu {

/// The bytes of a file of at most `limitBytes`. Caller error that names the file and the reason.
Result<std::string> readFile(
    const std::filesystem::path &path, std::size_t limitBytes = std::size_t(64) << 20);

/// Takes out what an editor of another system leaves in a text: a UTF-8 byte order mark at the
/// start and the carriage returns before newlines. Line numbers stay.
std::string normalizedText(std::string text);

/// A new empty folder in the temporary folder, removed with all it holds by the destructor.
class TemporaryFolder {
public:
    /// Environment error that names the folder it could not make.
    static Result<TemporaryFolder> create();
    TemporaryFolder(TemporaryFolder &&other) noexcept;
    TemporaryFolder &operator=(TemporaryFolder &&) = delete;
    ~TemporaryFolder();
    const std::filesystem::path &path() const { return m_path; }

private:
    explicit TemporaryFolder(std::filesystem::path path)
        : m_path(std::move(path))
    {
    }
    std::filesystem::path m_path;
};

/// Writes the file anew. Environment error that names the file and the reason.
Status writeFile(const std::filesystem::path &path, const std::string &bytes);

} // namespace gpu
