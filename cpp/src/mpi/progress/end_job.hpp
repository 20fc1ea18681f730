#pragma once
// The end of a job by one of its ranks.

#include <mpi.h>

namespace lapwing {

// Ends all ranks of `comm` with this code, half a second from now: the launcher is killed with the job, and what was
// printed must have passed it before. Local.
[[noreturn]] void end_job(MPI_Comm comm, int code);

}  // namespace lapwing
