#pragma once
// A partition in the hands of real ranks: the communicator that all its exchanges use.

#include <mpi.h>

#include <vector>

#include "lapwing/partition.hpp"

namespace lapwing {

class Channel;

// Duplicates the communicator once, in its constructor. Everything made on a domain must be made
// in the same order on all ranks.
class Domain {
  public:
    // Collective over `comm`. Throws UserError on all ranks when the partitions differ or have
    // another number of ranks than the communicator.
    Domain(Partition partition, MPI_Comm comm);
    ~Domain() = default;  // frees nothing: see close
    Domain(const Domain&) = delete;
    Domain& operator=(const Domain&) = delete;

    // Frees the communicator. Collective; throws UserError on all ranks while one has an exchange in
    // flight. Exchanges cannot be started any more.
    void close();

    [[nodiscard]] const Partition& partition() const { return partition_; }
    [[nodiscard]] MPI_Comm comm() const;  // throws UserError after close
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int ranks() const { return partition_.ranks(); }
    [[nodiscard]] bool closed() const { return comm_ == MPI_COMM_NULL; }

    // Tags in order of construction; local, as all ranks construct in one order.
    int next_tag();

    // Channels in flight. Whoever waits for one moves all of them on: a neighbour may be waiting for
    // another, whose second phase this rank has still to send. Local.
    void enlist(Channel& channel);
    void release(Channel& channel);
    void progress();

  private:
    Partition partition_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int tag_ = 0;
    int largest_tag_ = 32767;
    std::vector<Channel*> in_flight_;
};

}  // namespace lapwing
