#pragma once
// Memory for fields, with halos as wide as the stages of a step need.

#include <memory>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/schedule/strategy.hpp"
#include "step/step_stages.hpp"

namespace lapwing {

class ThreadTeam;

// Returns how wide the halo of each field of the stages must be in memory under a strategy. Local.
std::vector<Extent> halos_under(const StepStages& stages, const Strategy& strategy);

// The table of stages whose fields have memory, with the halos that the stages need under the strategies of the
// options, touched first by the threads of `team`, if there are any. Throws UserError on all ranks for a bad stage, and
// where a node lacks the memory. Collective.
std::unique_ptr<StepStages> stages_in_memory(const Domain& domain, std::vector<Stages> cycle,
                                             const StepOptions& options, ThreadTeam* team);

}  // namespace lapwing
