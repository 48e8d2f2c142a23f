#pragma once

namespace ui {

/// The program with its window: `espalier` or `espalier open [FILE] …`. Returns the exit code of
/// design §8.
int windowMain(int argc, char **argv);

} // namespace ui
