#pragma once
// The ends of axes that do not close on themselves: the last faces along them are walls, which no stage moves.

#include <algorithm>
#include <array>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/grid.hpp"

namespace lapwing_weather {

struct Walls {
    std::array<lapwing::Index, 2> cells{};  // of the whole grid
    std::array<bool, 2> closed{};           // true if walls end an axis

    Walls() = default;
    explicit Walls(const lapwing::Grid& grid)
        : cells{grid.size[0], grid.size[1]}, closed{!grid.periodic[0], !grid.periodic[1]} {}

    // The cells of `box` whose faces along `axis` (0 or 1) are no walls; all of them for centres, -1. Local.
    [[nodiscard]] lapwing::Box inside(lapwing::Box box, int axis) const {
        if (axis < 0) return box;
        if (closed[axis]) box.hi[axis] = std::min(box.hi[axis], cells[axis] - 1);
        return box;
    }
};

}  // namespace lapwing_weather
