#pragma once
// The filter that keeps the odd and the even steps of a leapfrog together.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_weather {

// A field at three times in a row, `before` filtered already, and its number of layers.
struct ThreeTimes {
    lapwing::View<double> before, middle, after;
    lapwing::Index levels = 1;
};

struct FilterContext {
    std::vector<ThreeTimes> fields;
    const double* strength = nullptr;
};

// middle <- middle + strength (before - 2 middle + after) in the cells of `box` (Asselin 1972); the context is a
// FilterContext. Local; reads no other cell.
void time_filter(void* context, lapwing::Box box);

}  // namespace lapwing_weather
