#pragma once
// Copies between fields and messages, which take simulated time.

#include "lapwing_simulate/costs.hpp"

namespace lapwing_simulate {

// Sets the time of every copy of this rank from here on. Local.
void charge_packing(const PackingCost& cost);

}  // namespace lapwing_simulate
