#pragma once
// One way to do the exchange of a work item, as the bench sees it.

#include <mpi.h>

#include "exchange/work_arrays.hpp"

namespace lapwing::bench {

// Arrays, and what fills their halos.
class Method {
  public:
    virtual ~Method() = default;
    virtual void exchange() = 0;
    [[nodiscard]] virtual const WorkArrays& arrays() const = 0;

    // Where the halos are filled: the same arrays, but for copies from one to another.
    [[nodiscard]] virtual const WorkArrays& result() const { return arrays(); }

    // Numbers that name their place, before an exchange that is to be checked.
    virtual void fill(int rank) const { arrays().fill(rank); }
};

// Seconds per round of touch and exchange, and of touch alone.
struct Sample {
    double with = 0, without = 0;
};

// Means over `rounds` rounds, of the slowest rank. Collective.
Sample sample(MPI_Comm comm, Method& method, int rounds);

// Cells of all ranks that are wrong after an exchange of filled arrays. Collective.
Index wrong_cells(MPI_Comm comm, Method& method);

}  // namespace lapwing::bench
