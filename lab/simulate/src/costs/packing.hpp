#pragma once
// Copies between fields and messages, which take simulated time.

#include <cstdint>

#include "lapwing_simulate/costs.hpp"

namespace lapwing_simulate {

// Sets the time of every copy of this rank from here on. Local.
void charge_packing(const PackingCost& cost);
// Lets the time of a copy of that many bytes in that many rows pass. Local.
void charge_copy(std::int64_t bytes, std::int64_t rows);

}  // namespace lapwing_simulate
