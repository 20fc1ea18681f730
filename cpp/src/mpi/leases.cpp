#include "lapwing/mpi/leases.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

void Leases::close() {
    for (const auto& window : windows_) {
        check_mpi(MPI_Win_unlock_all(*window), "MPI_Win_unlock_all");
        check_mpi(MPI_Win_free(window.get()), "MPI_Win_free");
    }
    for (MPI_Comm& comm : comms_) check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
    windows_.clear();
    comms_.clear();
}

}  // namespace lapwing
