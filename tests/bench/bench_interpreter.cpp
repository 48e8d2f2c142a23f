#include "gpu/base/files.h"
#include "gpu/ptx/interpreter.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace gpu;

namespace {

constexpr int Size = 256;

/// Uploads random-looking floats.
std::uint64_t upload(ptx::GlobalMemory &memory, const char *name)
{
    const auto address = memory.allocate(std::size_t(Size) * Size * 4, name);
    auto *values = reinterpret_cast<float *>(memory.contents(*address).data());
    for (int i = 0; i < Size * Size; ++i)
        values[i] = float(i * 7919 % 1000) / 1000 - 0.5f;
    return *address;
}

/// GFLOP/s of one core, the best of five launches.
double measure(ptx::Instance &instance, ptx::GlobalMemory &memory, const char *kernel,
    std::uint32_t tile, bool checked)
{
    const std::uint64_t buffers[] = {upload(memory, "a"), upload(memory, "b"), upload(memory, "c")};
    ptx::Launch launch;
    launch.kernel = kernel;
    launch.grid = {Size / tile, Size / tile, 1};
    launch.block = {tile, tile, 1};
    launch.parameters.resize(28);
    std::memcpy(launch.parameters.data(), buffers, 24);
    const int size = Size;
    std::memcpy(launch.parameters.data() + 24, &size, 4);
    ptx::ExecutionOptions options;
    options.threads = 1;
    options.checked = checked;
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto fault = ptx::run(instance, memory, launch, options);
        const double seconds
            = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (fault) {
            std::fprintf(stderr, "%s\n", fault->message.c_str());
            return 0;
        }
        best = std::max(best, 2.0 * Size * Size * Size / seconds * 1e-9);
    }
    return best;
}

} // namespace

/// Prints the interpreter's speed on tiled 256³ f32 matmuls.
int main()
{
    const auto text = readFile(SOURCE_DIR "/tests/gpu/data/matmul.ptx");
    if (!text)
        return std::fprintf(stderr, "%s\n", text.error().message.c_str()), 1;
    const auto program = ptx::decode(*text);
    if (!program)
        return std::fprintf(stderr, "%s\n", program.error().message.c_str()), 1;
    ptx::GlobalMemory memory(1u << 30);
    const auto instance = ptx::Instance::load(*program, memory);
    if (!instance)
        return std::fprintf(stderr, "%s\n", instance.error().message.c_str()), 1;
    for (const bool checked : {false, true}) {
        std::printf("matmul16 %s %.2f GFLOP/s a core\n", checked ? "checked" : "fast",
            measure(**instance, memory, "matmul16", 16, checked));
        std::printf("matmul32 %s %.2f GFLOP/s a core\n", checked ? "checked" : "fast",
            measure(**instance, memory, "matmul32", 32, checked));
    }
    return 0;
}
