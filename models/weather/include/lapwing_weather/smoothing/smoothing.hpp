#pragma once
// Implicit diffusion: between these two kernels all ranks filter what the first has copied, along whole lines.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_weather/walls.hpp"

namespace lapwing_weather {

// A field of the new state and its copy; faces half a cell ahead along `axis`, -1: centres.
struct Smoothed {
    lapwing::View<double> state, copy;
    lapwing::Index levels = 1;
    int axis = -1;
};

struct SmoothingContext {
    std::vector<Smoothed> fields;
    Walls walls;
};

// Copies the cells of `box` to be filtered; the context is a SmoothingContext. Local; reads no other cell.
void take_up(void* context, lapwing::Box box);

// Copies them back, but for faces on a wall; likewise.
void put_back(void* context, lapwing::Box box);

}  // namespace lapwing_weather
