#pragma once
// Memory for fields, with halos as wide as the stages of a step need.

#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/schedule/strategy.hpp"
#include "lapwing/step/step_stages.hpp"

namespace lapwing {

// Returns how wide the halo of each field of the stages must be in memory under a strategy. Local.
std::vector<Extent> halos_under(const StepStages& stages, const Strategy& strategy);

// Gives the fields that have no memory yet the halos that the stages need under all of these strategies. Throws
// UserError on all ranks where a node lacks the memory. Collective.
void give_memory(const Domain& domain, const StepStages& stages, const std::vector<std::string>& strategies);

}  // namespace lapwing
