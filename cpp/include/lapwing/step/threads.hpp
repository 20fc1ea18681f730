#pragma once
// The threads of a rank, which share the kernels of its steps.

#include <memory>

#include "lapwing/mpi/domain.hpp"

namespace lapwing {

class ThreadTeam;

// Returns the number of cores that the launcher gave this process: its affinity mask. Local.
int cores_of_process();

// Steps that are made on the domain from now on run their kernels in `threads` threads of each rank, unless their
// options say otherwise. Kernels must be callable from several threads at a time; only the thread of the domain calls
// MPI. Collective; throws UserError on all ranks for fewer than 1 or more than any rank has cores, for numbers that
// differ, and for an MPI that was initialised without MPI_THREAD_FUNNELED.
void set_threads(Domain& domain, int threads);

// Returns threads for a step, which steps of the same number share; 0: as many as `set_threads` has set. Null: one.
// Collective; throws as `set_threads` does, and OutsideError on all ranks where a system has no more threads.
std::shared_ptr<ThreadTeam> team_of(Domain& domain, int threads);

}  // namespace lapwing
