#pragma once
// The time that the processor of the simulated machine spends on computing, packing and messages: the library's own
// costs, so that simulation and prediction charge alike.

#include <map>
#include <string>

#include "lapwing_simulate/json.hpp"
#include "predict/costs.hpp"

namespace lapwing_simulate {

using lapwing::MessageCost;
using lapwing::PackingCost;
using StageCost = lapwing::KernelCost;

// Costs by link: network, node.
using MessageCosts = std::map<std::string, MessageCost>;

}  // namespace lapwing_simulate
