#include "gpu/compile/cubin.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace gpu {

namespace {
// Attribute and format codes of .nv.info: what cuobjdump -elf prints as EIATTR_… and EIFMT_….
enum Attribute : std::uint8_t {
    MaxThreads = 0x05,
    FrameSize = 0x11,
    ParameterInfo = 0x17,
    RegisterCount = 0x2f
};
constexpr std::uint8_t SizedValue = 4;
// sm_90 and later keep the first KiB of shared memory for themselves and count it as the kernel's.
constexpr std::uint32_t ReservedShared = 1024;
constexpr int FirstReserving = 90;

/// Reads at an offset; false past the end.
template <class T> bool readAt(std::string_view bytes, std::uint64_t offset, T &value)
{
    if (offset > bytes.size() || bytes.size() - offset < sizeof value)
        return false;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return true;
}

struct Section {
    std::string name;
    std::uint32_t type = 0, info = 0;
    std::uint64_t size = 0;
    std::string_view bytes; ///< empty for one without contents
};

std::string_view slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size)
{
    if (offset > bytes.size() || bytes.size() - offset < size)
        return {};
    return bytes.substr(offset, size);
}

std::string textAt(std::string_view table, std::uint64_t offset)
{
    if (offset >= table.size())
        return {};
    const std::string_view rest = table.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
}

class Reader {
public:
    explicit Reader(std::string_view bytes)
        : m_bytes(bytes)
    {
    }

    Result<std::vector<CubinKernel>> read()
    {
        if (!readSections())
            return environmentError("The compiler's cubin is damaged: " + m_fault
                + ". Compile again; if it stays so, reinstall the CUDA toolkit.");
        readSymbols();
        for (const Section &section : m_sections)
            if (section.name.starts_with(".nv.info."))
                kernel(section.name.substr(9));
        for (const Section &section : m_sections)
            if (section.name.starts_with(".nv.shared."))
                readShared(section);
            else if (section.name == ".nv.info")
                readInfo(section.bytes, {});
            else if (section.name.starts_with(".nv.info."))
                readInfo(section.bytes, section.name.substr(9));
        std::vector<CubinKernel> result;
        for (auto &[name, entry] : m_kernels)
            result.push_back(std::move(entry));
        return result;
    }

private:
    bool fail(const char *fault)
    {
        m_fault = fault;
        return false;
    }

    bool readSections()
    {
        Elf64_Ehdr header;
        if (!readAt(m_bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0
            || header.e_ident[EI_CLASS] != ELFCLASS64)
            return fail("it is no 64-bit ELF file");
        // The architecture's place in the flags moved with the ABI version of CUDA 13.
        const std::uint32_t low = header.e_flags & 0xff, high = header.e_flags >> 8 & 0xff;
        m_architecture = static_cast<int>(high >= 75 && high < 200 ? high : low);
        if (header.e_shentsize != sizeof(Elf64_Shdr))
            return fail("its section headers have a wrong size");
        std::vector<Elf64_Shdr> headers(header.e_shnum);
        for (std::size_t i = 0; i < headers.size(); ++i)
            if (header.e_shoff > m_bytes.size()
                || !readAt(m_bytes, header.e_shoff + i * sizeof(Elf64_Shdr), headers[i]))
                return fail("its section headers are cut off");
        if (header.e_shstrndx >= headers.size())
            return fail("it has no section names");
        const Elf64_Shdr &names = headers[header.e_shstrndx];
        const std::string_view table = slice(m_bytes, names.sh_offset, names.sh_size);
        for (const Elf64_Shdr &h : headers) {
            Section section{textAt(table, h.sh_name), h.sh_type, h.sh_info, h.sh_size, {}};
            if (h.sh_type != SHT_NOBITS && h.sh_size > 0) {
                section.bytes = slice(m_bytes, h.sh_offset, h.sh_size);
                if (section.bytes.empty())
                    return fail("a section is cut off");
            }
            if (h.sh_type == SHT_SYMTAB && h.sh_link < headers.size())
                m_symbolNames
                    = slice(m_bytes, headers[h.sh_link].sh_offset, headers[h.sh_link].sh_size);
            m_sections.push_back(std::move(section));
        }
        return true;
    }

    void readSymbols()
    {
        for (const Section &section : m_sections) {
            Elf64_Sym symbol;
            if (section.type == SHT_SYMTAB)
                for (std::uint64_t at = 0; readAt(section.bytes, at, symbol); at += sizeof symbol)
                    m_symbols.push_back(textAt(m_symbolNames, symbol.st_name));
        }
    }

    CubinKernel &kernel(const std::string &name)
    {
        CubinKernel &entry = m_kernels[name];
        entry.name = name;
        return entry;
    }

    void readShared(const Section &section)
    {
        const auto found = m_kernels.find(section.name.substr(11));
        std::uint64_t size = std::min<std::uint64_t>(section.size, 1u << 30);
        if (found == m_kernels.end())
            return;
        if (m_architecture >= FirstReserving && size >= ReservedShared)
            size -= ReservedShared;
        found->second.staticSharedBytes = static_cast<int>(size);
    }

    /// One list of attributes; those that name a symbol count for the kernels found before.
    void readInfo(std::string_view bytes, const std::string &owner)
    {
        std::uint64_t at = 0;
        std::uint8_t format = 0, attribute = 0;
        std::uint16_t size = 0;
        while (readAt(bytes, at, format) && readAt(bytes, at + 1, attribute)
            && readAt(bytes, at + 2, size)) {
            at += 4;
            if (format != SizedValue)
                continue;
            const std::string_view value = slice(bytes, at, size);
            at += size;
            if (owner.empty())
                readGlobal(attribute, value);
            else
                readOwn(attribute, value, kernel(owner));
        }
    }

    void readGlobal(std::uint8_t attribute, std::string_view value)
    {
        std::uint32_t symbol = 0, number = 0;
        if (!readAt(value, 0, symbol) || !readAt(value, 4, number) || symbol >= m_symbols.size())
            return;
        const auto found = m_kernels.find(m_symbols[symbol]);
        if (found == m_kernels.end())
            return;
        if (attribute == RegisterCount)
            found->second.registers = static_cast<int>(number & 0xffff);
        else if (attribute == FrameSize)
            found->second.frameBytes = static_cast<int>(std::min(number, 1u << 30));
    }

    static void readOwn(std::uint8_t attribute, std::string_view value, CubinKernel &kernel)
    {
        if (attribute == MaxThreads) {
            std::array<std::uint32_t, 3> threads{};
            if (readAt(value, 0, threads))
                kernel.maxThreads = static_cast<int>(std::min<std::uint64_t>(
                    std::uint64_t(threads[0]) * threads[1] * threads[2], 1u << 20));
        } else if (attribute == ParameterInfo) {
            std::uint16_t ordinal = 0;
            std::uint32_t flags = 0;
            if (!readAt(value, 4, ordinal) || !readAt(value, 8, flags) || ordinal >= 4096)
                return;
            if (kernel.parameterBytes.size() <= ordinal)
                kernel.parameterBytes.resize(ordinal + 1u);
            kernel.parameterBytes[ordinal] = flags >> 18;
        }
    }

    std::string_view m_bytes, m_symbolNames;
    int m_architecture = 0;
    std::string m_fault;
    std::vector<Section> m_sections;
    std::vector<std::string> m_symbols;
    std::map<std::string, CubinKernel> m_kernels;
};
} // namespace

Result<std::vector<CubinKernel>> readCubin(std::string_view bytes)
{
    return Reader(bytes).read();
}

} // namespace gpu
