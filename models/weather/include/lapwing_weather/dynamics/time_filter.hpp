#pragma once
// The filter that keeps the odd and the even steps of a leapfrog together.

#include <vector>

#include "lapwing_weather/points.hpp"

namespace lapwing_weather {

// middle <- middle + strength (before - 2 middle + after) of fields at three times in a row, `before` filtered already
// (Asselin 1972). Local; reads no other cell.
struct TimeFilter {
    const double* strength;  // of this step
    std::vector<Points> points;

    void operator()(lapwing::Box box, const ConstViews& before, const Views& middle, const ConstViews& after) const;
};

}  // namespace lapwing_weather
