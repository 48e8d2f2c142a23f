#pragma once

namespace core {

/// The whole command line except the window. Needs no display. Returns the exit code of design §8.
int commandLineMain(int argc, char **argv);

} // namespace core
