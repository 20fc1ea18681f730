#include "lapwing/mpi/reduction.hpp"

#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

bool any(const Domain& domain, bool mine) { return maximum(domain, mine ? 1 : 0) != 0; }

double value_of(const Domain& domain, int rank, double mine) {
    MPI_Request request;
    check_mpi(MPI_Ibcast(&mine, 1, MPI_DOUBLE, rank, domain.comm(), &request), "MPI_Ibcast");
    wait_for(request, domain.comm(), "a value of one rank");
    return mine;
}

}  // namespace lapwing
