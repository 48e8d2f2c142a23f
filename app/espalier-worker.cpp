#include "gpu/compile/child.h"

#include <cstdio>
#include <string_view>

/// The worker: one process a device. See gpu/protocol/PROTOCOL.md.
int main(int argc, char **argv)
{
    if (argc >= 2 && std::string_view(argv[1]) == "--compile-child")
        return gpu::compileChildMain(argc - 2, argv + 2);
    std::fputs("espalier-worker: only --compile-child is there yet\n", stderr);
    return 2;
}
