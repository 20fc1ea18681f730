#pragma once
// The arguments of kernels of several fields alike: their views, and where their points lie.

#include <algorithm>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing_weather {

using Views = std::vector<lapwing::View<double>>;
using ConstViews = std::vector<lapwing::View<const double>>;

// The points of one field: faces half a cell ahead along an axis, -1: centres; on `layers` layers, 0: of the surface.
struct Points {
    int axis = -1;
    lapwing::Index layers = 0;

    [[nodiscard]] lapwing::Index levels() const { return std::max<lapwing::Index>(1, layers); }
};

}  // namespace lapwing_weather
