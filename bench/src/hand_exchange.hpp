#pragma once
// The references: what a modeller who knows MPI writes by hand for this one case.

#include <mpi.h>

#include <vector>

#include "exchange_work.hpp"

namespace lapwing::bench {

// Halo exchange of arrays [level][y][x] with halos, ranks in one periodic column. Wraps in x are
// copied locally; whole rows, x halos included, then travel in y.
class HandExchange {
  public:
    // Combined: one message per neighbour rank (both sides in one where they are the same rank).
    // Separate: one message per field and side, the usual way.
    HandExchange(MPI_Comm comm, const ExchangeWork& work, bool combined);
    void run();
    void touch();  // rewrites the edges that will be sent

    // Value of cell (i, j) of a field, -width <= i < nx + width, likewise j: for checking results.
    double& at(int field, int i, int j, int level = 0);

  private:
    struct Side {
        int peer;
        int send_row, receive_row;  // first of `width` rows, counted from the first halo row
    };
    void wrap_x(double* level) const;
    double* rows(int field, int level, int row);
    void run_combined();
    void run_separate();
    void pack_rows(int row, double*& to);
    void unpack_rows(int row, const double*& from);

    MPI_Comm comm_;
    ExchangeWork work_;
    bool combined_;
    int rank_ = 0, ranks_ = 1;
    int stride_;  // values per row
    std::vector<Side> sides_;
    std::vector<std::vector<double>> fields_;
    std::vector<double> send_, receive_;
};

}  // namespace lapwing::bench
