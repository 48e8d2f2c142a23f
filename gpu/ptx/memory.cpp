#include "gpu/ptx/block.h"
#include "gpu/ptx/globalmemory.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpu::ptx {

namespace {

std::string hex(std::uint64_t value)
{
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
        value >>= 4;
    } while (value);
    return "0x" + digits;
}

std::string distance(std::uint64_t address, std::uint32_t bytes, const Buffer &buffer)
{
    const std::string name
        = "buffer \"" + buffer.name + "\" of " + std::to_string(buffer.size) + " bytes";
    if (address < buffer.begin)
        return std::to_string(buffer.begin - address) + " bytes before the start of " + name;
    const std::uint64_t end = buffer.begin + buffer.size;
    return std::to_string(address + bytes - end) + " bytes past the end of " + name;
}

/// The space that a generic address lies in, and the address within it.
Space resolveGeneric(std::uint64_t &address)
{
    if (address - SharedWindow < WindowBytes)
        return address -= SharedWindow, Space::Shared;
    if (address - LocalWindow < WindowBytes)
        return address -= LocalWindow, Space::Local;
    if (address - ParamWindow < WindowBytes)
        return address -= ParamWindow, Space::Param;
    return Space::Global;
}

/// Accesses made to communicate: flags that are polled, not data.
bool isVolatile(const Program &program, const Instruction &in)
{
    const std::string &text = program.texts[in.text];
    for (const char *word : {".volatile", ".relaxed", ".acquire", ".release", ".mmio"})
        if (text.find(word) != std::string::npos)
            return true;
    return false;
}

/// Wide copies of a partly written struct are no mistake, so one written byte is enough.
bool isLocalUnwritten(const Warp &warp, unsigned lane, std::uint64_t offset, std::uint32_t bytes)
{
    if (!warp.localWritten)
        return false;
    const std::byte *written = warp.localWritten + std::size_t(lane) * warp.stackBytes + offset;
    return std::all_of(
        written, written + bytes, [](std::byte byte) { return byte == std::byte(0); });
}

const char *verb(Access access)
{
    return access == Access::Read ? "read" : access == Access::Write ? "write" : "atomic access";
}

} // namespace

Range Warp::range(const Instruction &in, std::uint64_t address, Access access)
{
    Space space = in.space;
    std::uint64_t inner = address;
    if (space == Space::Generic)
        space = resolveGeneric(inner);
    LaunchState &state = block->state;
    const std::uint64_t window = address - inner;
    if (space == Space::Shared)
        return {window, block->shared.size(), block->shared.data(), 0, space};
    if (space == Space::Local)
        return {window, stackBytes, local, stackBytes, space};
    if (space == Space::Param) {
        // A kernel parameter is never written through this pointer.
        if (access != Access::Read)
            return {};
        return {window, state.launch.parameters.size(),
            const_cast<std::byte *>(state.launch.parameters.data()), 0, space};
    }
    Range &cached = cache[(reinterpret_cast<std::uintptr_t>(&in) / sizeof(Instruction)) % 16];
    if (address - cached.begin < cached.size
        && (access == Access::Read) >= (cached.laneStride != 0)) {
        Range result = cached;
        result.laneStride = 0;
        return result;
    }
    const Buffer *buffer = state.memory.d().find(address);
    if (!buffer || (access != Access::Read && buffer->readOnly))
        return {};
    // In the cache the lane stride says that the buffer is read-only.
    cached = {buffer->begin, buffer->size, buffer->host, buffer->readOnly ? 1u : 0u, space};
    return {buffer->begin, buffer->size, buffer->host, 0, space};
}

std::byte *Warp::resolve(
    const Instruction &in, unsigned lane, std::uint64_t address, std::uint32_t bytes, Access access)
{
    return resolveIn(in.space, in, lane, address, bytes, access);
}

std::byte *Warp::resolveIn(Space space, const Instruction &in, unsigned lane, std::uint64_t address,
    std::uint32_t bytes, Access access)
{
    std::byte *host = checkIn(space, in, lane, address, bytes, access);
    if (host)
        record(space, lane, address, bytes, access);
    return host;
}

void Warp::record(
    Space space, unsigned lane, std::uint64_t address, std::uint32_t bytes, Access access)
{
    if (!checked)
        return;
    if (space == Space::Generic)
        space = resolveGeneric(address);
    if (space == Space::Shared && access == Access::Atomic)
        block->shadow->markAtomic(address, bytes);
    else if (space == Space::Shared)
        block->shadow->mark(index * 32 + lane, address, bytes, access == Access::Write);
    else if (space == Space::Local && access != Access::Read)
        markLocal(lane, address, bytes);
}

std::byte *Warp::checkIn(Space space, const Instruction &in, unsigned lane, std::uint64_t address,
    std::uint32_t bytes, Access access)
{
    std::uint64_t inner = address;
    if (space == Space::Generic)
        space = resolveGeneric(inner);
    LaunchState &state = block->state;
    const auto what = [&]() {
        return std::string(verb(access)) + " of " + std::to_string(bytes) + " bytes at "
            + hex(address);
    };
    const auto aligned = [&]() {
        if ((inner & (bytes - 1)) == 0)
            return true;
        fault(in, lane, FaultKind::Misaligned,
            "misaligned " + what() + ", which is not a multiple of " + std::to_string(bytes),
            address);
        return false;
    };
    const auto inside = [&](std::uint64_t size, const char *name) {
        if (inner <= size && bytes <= size - inner)
            return true;
        fault(in, lane, FaultKind::OutOfBounds,
            what() + " is outside " + name + " (" + std::to_string(size) + " bytes)", address);
        return false;
    };
    switch (space) {
    case Space::Shared:
        if (!inside(block->shared.size(), "the block's shared memory") || !aligned())
            return nullptr;
        if (block->shadow && access != Access::Atomic) {
            const std::uint32_t thread = index * 32 + lane;
            const auto found = block->shadow->check(thread, inner, bytes, access == Access::Write);
            if (found && !isVolatile(state.program, in)) {
                const bool isOwnWarp = found->otherThread / 32 == index;
                fault(in, lane, found->isRace ? FaultKind::Race : FaultKind::UninitialisedRead,
                    found->isRace ? "race in shared memory: " + what() + " while thread "
                            + std::to_string(found->otherThread)
                            + (isOwnWarp ? " of the same warp" : "")
                            + (found->otherWrote ? " wrote" : " read") + " the same bytes with no "
                            + (isOwnWarp ? "__syncwarp" : "barrier") + " between"
                                  : what() + " of shared memory that was never written",
                    address);
                return nullptr;
            }
        }
        return block->shared.data() + inner;
    case Space::Local:
        if (!inside(stackBytes, "the thread's local memory") || !aligned())
            return nullptr;
        if (access == Access::Read && isLocalUnwritten(*this, lane, inner, bytes)) {
            fault(in, lane, FaultKind::UninitialisedRead,
                what() + " of local memory that was never written", address);
            return nullptr;
        }
        return local + std::size_t(lane) * stackBytes + inner;
    case Space::Param:
        if (access != Access::Read) {
            fault(in, lane, FaultKind::ReadOnlyWrite, what() + " changes a kernel parameter",
                address);
            return nullptr;
        }
        if (!inside(state.launch.parameters.size(), "the kernel's parameters") || !aligned())
            return nullptr;
        return const_cast<std::byte *>(state.launch.parameters.data()) + inner;
    default:
        break;
    }
    const GlobalMemory::Private &memory = state.memory.d();
    const Buffer *buffer = memory.find(address);
    if (!buffer || bytes > buffer->begin + buffer->size - address) {
        const Buffer *near = buffer ? buffer : memory.nearest(address);
        if (near)
            fault(in, lane, FaultKind::OutOfBounds,
                what() + " is " + distance(address, bytes, *near), address);
        else
            fault(in, lane, FaultKind::InvalidAddress,
                what() + (address < 4096 ? " is a null pointer" : " is in no buffer"), address);
        return nullptr;
    }
    if (!aligned())
        return nullptr;
    if (access != Access::Read && buffer->readOnly) {
        fault(in, lane, FaultKind::ReadOnlyWrite,
            what() + " changes the read-only buffer \"" + buffer->name + "\"", address);
        return nullptr;
    }
    return buffer->host + (address - buffer->begin);
}

void Warp::markLocal(unsigned lane, std::uint64_t offset, std::size_t bytes)
{
    if (localWritten)
        std::memset(localWritten + std::size_t(lane) * stackBytes + offset, 1, bytes);
}

void Warp::fault(const Instruction &in, unsigned lane, FaultKind kind, const std::string &what,
    std::uint64_t address)
{
    stop = true;
    block->stopped = true;
    const LaunchState &state = block->state;
    Fault result;
    result.kind = kind;
    result.kernel = state.kernel.name;
    result.block = block->index;
    const Dim3 shape = state.launch.block;
    const std::uint32_t thread = index * 32 + lane;
    result.thread = {thread % shape.x, thread / shape.x % shape.y, thread / (shape.x * shape.y)};
    if (const auto it = state.program.files.find(in.file); it != state.program.files.end())
        // Where the compiler found the source says nothing to the reader.
        result.file = it->second.substr(it->second.find_last_of('/') + 1);
    result.line = in.line;
    result.address = address;
    const auto triple = [](const Dim3 &d) {
        return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z)
            + ")";
    };
    result.message = what + ", in " + result.kernel + ", block " + triple(result.block)
        + ", thread " + triple(result.thread);
    if (in.line > 0)
        result.message
            += ", " + (result.file.empty() ? "line " : result.file + ":") + std::to_string(in.line);
    if (in.handler && in.text < state.program.texts.size() && in.line > 0)
        result.message += " (" + state.program.texts[in.text] + ")";
    block->state.report(std::move(result));
}

} // namespace gpu::ptx
