#include "gpu/ptx/globalmemory.h"

#include <cstdlib>
#include <new>

namespace gpu::ptx {

namespace {

constexpr std::uint64_t BufferAlignment = 256;

std::string mebibytes(std::uint64_t bytes)
{
    return std::to_string((bytes + (1u << 20) - 1) >> 20) + " MiB";
}

} // namespace

const Buffer *GlobalMemory::Private::find(std::uint64_t address) const
{
    auto it = buffers.upper_bound(address);
    if (it == buffers.begin())
        return nullptr;
    --it;
    return it->second.contains(address) ? &it->second : nullptr;
}

const Buffer *GlobalMemory::Private::nearest(std::uint64_t address) const
{
    const auto after = buffers.upper_bound(address);
    if (after != buffers.end() && after->first - address <= GuardBytes)
        return &after->second;
    if (after == buffers.begin())
        return nullptr;
    const Buffer &before = std::prev(after)->second;
    return address - before.begin < before.size + GuardBytes ? &before : nullptr;
}

GlobalMemory::GlobalMemory(std::uint64_t limitBytes)
    : m_d(std::make_unique<Private>())
{
    m_d->limit = limitBytes;
}

GlobalMemory::~GlobalMemory()
{
    for (auto &[begin, buffer] : m_d->buffers)
        std::free(buffer.host);
}

Result<std::uint64_t> GlobalMemory::allocate(std::size_t bytes, std::string name, bool readOnly)
{
    if (bytes > m_d->limit || m_d->used > m_d->limit - bytes)
        return environmentError("device memory: " + name + " needs " + mebibytes(bytes) + ", "
            + mebibytes(m_d->limit - m_d->used) + " of " + mebibytes(m_d->limit)
            + " are free; choose a smaller size");
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + BufferAlignment - 1)
        / BufferAlignment * BufferAlignment;
    Buffer buffer;
    buffer.host = static_cast<std::byte *>(std::aligned_alloc(BufferAlignment, rounded));
    if (!buffer.host)
        return environmentError("the host has no " + mebibytes(bytes) + " left for " + name);
    buffer.begin = m_d->next + 2 * GuardBytes;
    buffer.size = bytes;
    buffer.readOnly = readOnly;
    buffer.name = std::move(name);
    // Addresses are never used again, so that a stale pointer is found.
    m_d->next = buffer.begin + rounded;
    m_d->used += bytes;
    const std::uint64_t begin = buffer.begin;
    m_d->buffers.emplace(begin, std::move(buffer));
    return begin;
}

void GlobalMemory::free(std::uint64_t address)
{
    const auto it = m_d->buffers.find(address);
    if (it == m_d->buffers.end())
        return;
    m_d->used -= it->second.size;
    std::free(it->second.host);
    m_d->buffers.erase(it);
}

void GlobalMemory::setReadOnly(std::uint64_t address, bool readOnly)
{
    if (const auto it = m_d->buffers.find(address); it != m_d->buffers.end())
        it->second.readOnly = readOnly;
}

std::span<std::byte> GlobalMemory::contents(std::uint64_t address)
{
    const auto it = m_d->buffers.find(address);
    if (it == m_d->buffers.end())
        return {};
    return {it->second.host, it->second.size};
}

std::uint64_t GlobalMemory::usedBytes() const
{
    return m_d->used;
}

} // namespace gpu::ptx
