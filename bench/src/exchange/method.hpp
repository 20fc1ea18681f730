#pragma once
// One way to do the exchange of a work item, as the bench sees it.

#include <mpi.h>

#include <utility>

#include "exchange/work_arrays.hpp"

namespace lapwing::bench {

// Arrays, and what fills their halos, on the ranks of a communicator.
class Method {
  public:
    explicit Method(MPI_Comm comm) : comm_(comm) { MPI_Comm_rank(comm, &rank_); }
    virtual ~Method() = default;
    virtual void exchange() = 0;

    // Seconds per round of touch and exchange, and of touch alone: means over `rounds`, of the slowest rank.
    // Collective.
    std::pair<double, double> sample(int rounds);
    // Cells of all ranks that are wrong after an exchange of filled arrays. Collective.
    Index wrong_cells();

  protected:
    [[nodiscard]] MPI_Comm comm() const { return comm_; }
    [[nodiscard]] int rank() const { return rank_; }

  private:
    [[nodiscard]] virtual const WorkArrays& arrays() const = 0;
    // Where the halos are filled: the same arrays, except for copies from one to another.
    [[nodiscard]] virtual const WorkArrays& result() const { return arrays(); }
    // Numbers that name their place, before an exchange that is to be checked.
    virtual void fill() const { arrays().fill(rank_); }

    MPI_Comm comm_;
    int rank_ = 0;
};

}  // namespace lapwing::bench
