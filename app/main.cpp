#include "core/commandline/commandline.h"

#ifdef ESPALIER_WITH_WINDOW
#include "ui/windowmain.h"
#endif

#include <csignal>
#include <cstdio>
#include <string_view>

/// The window if there is no command or it is `open`, else the command line.
int main(int argc, char **argv)
{
    // A limit on the size of files is told by the write that fails, like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    if (argc > 1 && std::string_view(argv[1]) != "open")
        return core::commandLineMain(argc, argv);
#ifdef ESPALIER_WITH_WINDOW
    return ui::windowMain(argc, argv);
#else
    std::fputs("espalier: this program was built without its window (BUILD_UI=OFF). "
               "See `espalier --help` for what it does without.\n",
        stderr);
    return 2;
#endif
}
