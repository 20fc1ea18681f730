#include "lapwing/reduction.hpp"

#include "lapwing/agreement.hpp"
#include "lapwing/progress.hpp"

namespace lapwing {

bool any(const Domain& domain, bool mine) { return minimum(domain, mine ? 0 : 1) == 0; }

Index minimum(const Domain& domain, Index mine) {
    return reduced(domain.comm(), mine, MPI_MIN, "a minimum over ranks");
}

double maximum(const Domain& domain, double mine) {
    return reduced(domain.comm(), mine, MPI_MAX, "a maximum over ranks");
}

double value_of(const Domain& domain, int rank, double mine) {
    MPI_Request request;
    check_mpi(MPI_Ibcast(&mine, 1, MPI_DOUBLE, rank, domain.comm(), &request), "MPI_Ibcast");
    wait_for(request, domain.comm(), "a value of one rank");
    return mine;
}

}  // namespace lapwing
