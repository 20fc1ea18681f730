#pragma once
// A domain in a test of one process, which no mpiexec started.

#include <mpi.h>

namespace lapwing::testing {

// MPI from here to the end of the scope; one per program, as MPI starts once.
class OneProcess {
  public:
    OneProcess() { MPI_Init(nullptr, nullptr); }
    ~OneProcess() { MPI_Finalize(); }
    OneProcess(const OneProcess&) = delete;
    OneProcess& operator=(const OneProcess&) = delete;

    [[nodiscard]] MPI_Comm comm() const { return MPI_COMM_WORLD; }
};

}  // namespace lapwing::testing
