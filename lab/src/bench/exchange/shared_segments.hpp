#pragma once
// Memory that all ranks of a node read and write: a window of MPI-3 with a segment and two counters for each rank.

#include <mpi.h>

#include <atomic>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing::bench {

class SharedSegments {
  public:
    // Allocates zeroed doubles for this rank. Collective; all ranks of `comm` must be on one node.
    SharedSegments(MPI_Comm comm, Index values);
    void close();  // collective

    // The doubles of a rank, on a cache line of their own.
    [[nodiscard]] double* of(int rank) const;
    // The number of rounds that a rank has sent and read, by its own count.
    [[nodiscard]] std::atomic<Index>& sent(int rank) const { return *counter(rank, 0); }
    [[nodiscard]] std::atomic<Index>& read(int rank) const { return *counter(rank, 1); }
    // Waits until a counter is reached. Yields if ranks share cores.
    void wait_for(const std::atomic<Index>& counter, Index rounds) const;

  private:
    [[nodiscard]] std::atomic<Index>* counter(int rank, int which) const;

    std::vector<char*> segments_;  // by rank
    MPI_Win window_ = MPI_WIN_NULL;
    bool yields_ = false;
};

}  // namespace lapwing::bench
