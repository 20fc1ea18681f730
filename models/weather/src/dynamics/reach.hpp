#pragma once
// How far the stages of the weather reach.

#include <array>

#include "lapwing/grid/extent.hpp"

namespace lapwing_weather {

// Cells behind and ahead along x and y; with corners where it reaches along both.
inline lapwing::Extent reach(std::array<int, 2> behind, std::array<int, 2> ahead, bool corners) {
    lapwing::Extent extent;
    extent.lo = {behind[0], behind[1], 0};
    extent.hi = {ahead[0], ahead[1], 0};
    extent.corners = corners;
    return extent;
}

// Along an axis and across it, as `reach` takes them.
inline std::array<int, 2> turned(std::size_t axis, int along, int across) {
    return axis == 0 ? std::array<int, 2>{along, across} : std::array<int, 2>{across, along};
}

inline lapwing::Extent ahead(std::size_t axis) { return reach({0, 0}, turned(axis, 1, 0), false); }
inline lapwing::Extent behind(std::size_t axis) { return reach(turned(axis, 1, 0), {0, 0}, false); }

}  // namespace lapwing_weather
