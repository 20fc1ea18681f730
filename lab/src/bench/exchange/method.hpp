#pragma once
// One way to do the exchange of a work item, as the bench sees it.

#include <mpi.h>

#include <utility>

#include "exchange/work_arrays.hpp"

namespace lapwing::bench {

// Memory with edges and halos, and what fills the halos, on the ranks of a communicator.
class Method {
  public:
    explicit Method(MPI_Comm comm) : comm_(comm) { MPI_Comm_rank(comm, &rank_); }
    virtual ~Method() = default;
    virtual void exchange() = 0;

    // Seconds per round of touch and exchange, and of touch alone: means over `rounds`, of the slowest rank, after
    // rounds that are not timed. Touch alone finds its lines in the nearest cache that holds them: what an exchange
    // pushes out of it counts as time of the exchange, so none can take less than no time. Collective.
    std::pair<double, double> sample(int rounds);
    // Cells of all ranks that are wrong after an exchange of filled arrays. Collective.
    Index wrong_cells();
    // The same after the exchanges that `sample` timed last, arrays having been filled before. Collective.
    Index wrong_after_sample();

    // Gives back what is held together with other ranks. Collective.
    virtual void close() {}

  protected:
    [[nodiscard]] MPI_Comm comm() const { return comm_; }
    [[nodiscard]] int rank() const { return rank_; }

  private:
    // Reads what has arrived, and rewrites what is sent, adding 1 to it.
    virtual void touch() = 0;
    // Fills fields with numbers that name their place, and halos with NaN.
    virtual void fill() = 0;
    // Counts the cells of this rank that are wrong after an exchange that follows `touches` touches.
    [[nodiscard]] virtual Index wrong(Index touches) const = 0;

    [[nodiscard]] Index sum(Index mine) const;
    double touch_alone(int rounds);

    MPI_Comm comm_;
    int rank_ = 0;
    Index touches_ = 0;  // since arrays were filled
};

// One that exchanges the arrays of a work.
class ArrayMethod : public Method {
  public:
    using Method::Method;

  private:
    [[nodiscard]] virtual const WorkArrays& arrays() const = 0;
    void touch() final { arrays().touch(); }
    void fill() final { arrays().fill(rank()); }
    [[nodiscard]] Index wrong(Index touches) const final { return arrays().wrong_cells(rank(), touches); }
};

}  // namespace lapwing::bench
