#pragma once
// The depth of a sea that is simulated.

#include <vector>

#include "lapwing_simulate/request.hpp"

namespace lapwing_coast {

// Of the whole grid, m, x fastest: what the request lists, or one number for all cells. Local.
inline std::vector<double> depth_of(const lapwing_simulate::Request& request) {
    const auto& depth = request.settings.at("depth");
    if (depth.is_array()) return depth.get<std::vector<double>>();
    const auto cells = static_cast<std::size_t>(request.grid.size[0] * request.grid.size[1]);
    return std::vector<double>(cells, depth.get<double>());
}

}  // namespace lapwing_coast
