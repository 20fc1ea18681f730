#include "packing.hpp"

#include <mpi.h>  // SMPI's, with smpi_execute

namespace {

// The costs of this rank: SMPI gives each its own. The library, which charges it, has no place to keep it.
lapwing_simulate::PackingCost& cost_of_packing() {
    static lapwing_simulate::PackingCost cost;
    return cost;
}

}  // namespace

namespace lapwing_simulate {

void charge_packing(const PackingCost& cost) { cost_of_packing() = cost; }

void charge_copy(std::int64_t bytes, std::int64_t rows) {
    const double seconds = cost_of_packing().seconds(static_cast<double>(bytes), static_cast<double>(rows));
    if (seconds > 0) smpi_execute(seconds);
}

}  // namespace lapwing_simulate
