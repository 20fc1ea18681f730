#pragma once
// A partition in the hands of real ranks: the communicator that all its exchanges use.

#include <mpi.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/base/simulated.hpp"
#include "lapwing/mpi/leases.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "lapwing/partition/partition.hpp"

namespace lapwing {

class ProgressThread;

// Duplicates the communicator once, in its constructor. Everything made on a domain must be made
// in the same order on all ranks.
class Domain {
  public:
    // Collective over `comm`. Throws UserError on all ranks when the partitions differ or have
    // another number of ranks than the communicator. `ranks_per_node`: pretends that nodes hold that many
    // ranks, to try on one machine what several would do; 0: as it is. With LAPWING_PROGRESS_THREAD=1 a thread calls
    // MPI while the domain is open; UserError where MPI was not initialised for that.
    Domain(Partition partition, MPI_Comm comm, int ranks_per_node = 0);
    // A grid of nx x ny (x nz) cells, cut into the best blocks for the ranks of `comm`. As above.
    Domain(MPI_Comm comm, std::initializer_list<Index> size, const std::array<bool, 3>& periodic = {});
    ~Domain();  // frees nothing of MPI: see close
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

    // Whether the rank runs on the node of this one. Local.
    [[nodiscard]] bool same_node(int rank) const { return node_[rank] == node_[rank_]; }
    // Number of ranks on this node, and of the cores that they may use together. Local.
    [[nodiscard]] int ranks_on_node() const;
    [[nodiscard]] int cores() const { return cores_; }
    // Whether any node has more ranks than cores: waits then let others run at once. Local.
    [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }
    // Polls of a wait before it lets others run. Local.
    [[nodiscard]] int polls() const { return oversubscribed_ || simulated ? 1 : 1000; }
    // Why the ranks of a node cannot read each other's memory, on any node; empty: they can. Local.
    [[nodiscard]] const std::string& no_shared_memory() const { return no_shared_memory_; }

    // Communicators and windows that `close` shall free: what a transport made for this domain. Windows are locked
    // for everybody (MPI_Win_lock_all). Local.
    void keep_comm(MPI_Comm comm) { kept_.push_back(comm); }
    // The handle is null once the domain is closed: legs that live longer have nothing to detach from any more.
    std::shared_ptr<const MPI_Win> keep_window(MPI_Win window);

    // What exchanges lease and give back. Local.
    [[nodiscard]] Leases& leases() { return leases_; }
    [[nodiscard]] const Leases& leases() const { return leases_; }

    // Counts what is in flight on this domain, for `close`, and moves it on in every wait. Local.
    void enlist(Moving& moving);
    void release(Moving& moving);

  private:
    void find_nodes(int ranks_per_node);
    void try_shared_memory();

    Partition partition_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int tag_ = 0;
    int largest_tag_ = 32767;
    int in_flight_ = 0;
    std::vector<int> node_;  // of each rank: the lowest rank on its node
    int cores_ = 1;
    bool oversubscribed_ = false;
    std::string no_shared_memory_;
    std::vector<MPI_Comm> kept_;
    std::vector<std::shared_ptr<MPI_Win>> windows_;
    Leases leases_;
    std::unique_ptr<ProgressThread> progress_thread_;  // null: MPI moves on when the rank calls it
};

}  // namespace lapwing
