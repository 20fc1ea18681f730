#pragma once
// The sea of a simulation, from its request.

#include <vector>

#include "lapwing/step/step.hpp"

#include "lapwing_coast/barotropic/barotropic.hpp"
#include "lapwing_simulate/request.hpp"

namespace lapwing_coast {

// The depth of the whole grid, m, x fastest: what the request lists, or one number for all cells. Local.
inline std::vector<double> depth_of(const lapwing_simulate::Request& request) {
    const auto& depth = request.settings.at("depth");
    if (depth.is_array()) return depth.get<std::vector<double>>();
    const auto cells = static_cast<std::size_t>(request.grid.size[0] * request.grid.size[1]);
    return std::vector<double>(cells, depth.get<double>());
}

// The sea's parts besides depth and boundaries that the request names. Local.
inline CoastInputs inputs_of(const lapwing_simulate::Request& request) {
    if (!request.settings.contains("inputs")) return {};
    return request.settings.at("inputs").get<CoastInputs>();
}

// The halos that travel whoever needs them: pairs of stage and field. Local.
inline std::vector<lapwing::ListedExchange> listed_of(const lapwing_simulate::Request& request) {
    std::vector<lapwing::ListedExchange> listed;
    for (const auto& pair : request.settings.at("listed")) listed.push_back({pair.at(0), pair.at(1)});
    return listed;
}

}  // namespace lapwing_coast
