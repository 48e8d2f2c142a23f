#pragma once

#include <cstdint>
#include <vector>

namespace ui {

/// A forest as arrays, parents before children. Index 0xffffffff means none.
struct TreeShape {
    static constexpr std::uint32_t None = 0xffffffff;

    std::vector<std::uint32_t> parent;
    std::vector<float> breadth; ///< extent of each node across the direction of growth

    std::uint32_t add(std::uint32_t parentIndex, float extent)
    {
        parent.push_back(parentIndex);
        breadth.push_back(extent);
        return static_cast<std::uint32_t>(parent.size() - 1);
    }
};

struct TidyGaps {
    float siblings = 8;
    float cousins = 16; ///< between neighbours with different parents
};

struct TidyLayout {
    std::vector<float> centre; ///< across the direction of growth; the least edge is at 0
    std::vector<std::uint32_t> depth; ///< roots are 0
    float breadth = 0; ///< of the whole drawing
};

/// Tidy drawing in linear time after Buchheim, Jünger and Leipert, "Improving Walker's Algorithm to
/// Run in Linear Time" (2002). Children keep the order of their indices; a parent stands in the
/// middle of its first and last child. Iterative, so depth is limited by memory only.
TidyLayout tidyLayout(const TreeShape &shape, const TidyGaps &gaps = {});

} // namespace ui
