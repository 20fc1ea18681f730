#pragma once
// Copies of fields on layers: implicit diffusion filters copies of a new state, along whole lines.

#include <vector>

#include "lapwing_weather/points.hpp"
#include "lapwing_weather/walls.hpp"

namespace lapwing_weather {

// to <- from, except for faces on a wall. Local; reads no other cell.
struct LayerCopy {
    std::vector<Points> points;
    Walls walls{};  // none: all cells are copied

    void operator()(lapwing::Box box, const Views& to, const ConstViews& from) const;
};

}  // namespace lapwing_weather
