#pragma once
// Reductions whose result is the same bits on any number of ranks.

#include "lapwing/grid/box.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// Whether `mine` is true on any rank. Collective, one reduction.
bool any(const Domain& domain, bool mine);

// The least and the largest of all ranks' values: of a number, or of each number in a container that is equally long on
// all ranks. Collective, one reduction.
template <class Values>
[[nodiscard]] Values minimum(const Domain& domain, const Values& mine) {
    return reduced(domain.comm(), mine, MPI_MIN, "a minimum over ranks");
}
template <class Values>
[[nodiscard]] Values maximum(const Domain& domain, const Values& mine) {
    return reduced(domain.comm(), mine, MPI_MAX, "a maximum over ranks");
}

// The value of rank `rank` on all ranks. Collective, one broadcast.
double value_of(const Domain& domain, int rank, double mine);

}  // namespace lapwing
