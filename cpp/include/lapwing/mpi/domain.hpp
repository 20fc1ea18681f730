#pragma once
// A partition in the hands of real ranks: the communicator that all its exchanges use.

#include <mpi.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/mpi/leases.hpp"
#include "lapwing/mpi/node.hpp"
#include "lapwing/mpi/tags.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "lapwing/partition/partition.hpp"
#include "lapwing/plan/wet_plan.hpp"

namespace lapwing {

class AnyField;
class ProgressThread;
class ThreadTeam;

// The rank that a process stands for, and how many of them a node holds.
struct StandIn {
    int rank = 0;
    int ranks_per_node = 1;
};

// Duplicates the communicator once, in its constructor. Everything made on a domain must be made
// in the same order on all ranks, and belongs, as the domain does, to the thread that made the domain: calls in another
// thread throw UserError. All domains that are open at a time belong to one thread.
class Domain {
  public:
    // Collective over `comm`. Throws UserError on all ranks when the partitions differ or have
    // another number of ranks than the communicator. `ranks_per_node`: pretends that nodes hold that many
    // ranks, to try on one machine what several would do; 0: the real nodes. With LAPWING_PROGRESS_THREAD=1 a thread
    // calls MPI while the domain is open; UserError if MPI was not initialised for that.
    Domain(Partition partition, MPI_Comm comm, int ranks_per_node = 0);
    // One rank of a partition, for which this process stands alone: `comm` has this process only. What is made on it
    // belongs to that rank and can be inspected; messages to other ranks are planned and never sent. Throws UserError
    // for a rank that does not exist.
    Domain(Partition partition, MPI_Comm comm, StandIn in_place_of);
    // A grid of nx x ny (x nz) cells, cut into the best blocks for the ranks of `comm`. Collective and throws as above.
    Domain(MPI_Comm comm, std::initializer_list<Index> size, const std::array<bool, 3>& periodic = {},
           NorthFold north_fold = NorthFold::none);
    ~Domain();  // its communicators and windows are freed by close, or when MPI ends
    Domain(const Domain&) = delete;
    Domain& operator=(const Domain&) = delete;

    // Frees the communicator. Collective; throws UserError on all ranks while one has an exchange in
    // flight. Exchanges cannot be started any more.
    void close();

    [[nodiscard]] const Partition& partition() const { return partition_; }
    [[nodiscard]] MPI_Comm comm() const;  // throws UserError after close, and in another thread
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int ranks() const { return partition_.ranks(); }
    [[nodiscard]] bool closed() const { return comm_ == MPI_COMM_NULL; }

    // Returns a tag that nothing else on this domain has; all ranks take their tags in one order. Collective once all
    // have been used: tags that every rank has dropped can then be used again.
    Tag next_tag();

    // The land that `set_land` has set.
    Land land;

    // The number of threads that `set_threads` has set, and the threads that steps of it share.
    int threads = 1;
    std::weak_ptr<ThreadTeam> team;

    // The node that this rank runs on. Local.
    [[nodiscard]] const Node& node() const { return node_; }

    // The fields that models have declared on it, as long as something holds them. Local.
    [[nodiscard]] std::vector<std::shared_ptr<AnyField>> declared_fields() const;
    void note_declared(const std::shared_ptr<AnyField>& field);

    // The objects that exchanges lease and return. Local.
    [[nodiscard]] Leases& leases() { return *leases_; }
    [[nodiscard]] const Leases& leases() const { return *leases_; }

    // The operations started on it that have not completed; `close` requires that there are none. Local.
    [[nodiscard]] InFlight& in_flight() { return in_flight_; }

  private:
    struct Owner;
    // The thread of all open domains, and the number of open domains.
    struct OpenDomains;
    static OpenDomains& open_domains();
    void open();

    std::unique_ptr<const Owner> owner_;  // the thread that made it
    Partition partition_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    InFlight in_flight_;
    Node node_;
    Tags tags_;
    std::shared_ptr<Leases> leases_ = std::make_shared<Leases>();
    std::vector<std::weak_ptr<AnyField>> declared_;
    std::unique_ptr<ProgressThread> progress_thread_;  // null: MPI advances when the rank calls it
};

// Steps that are made from now on leave out the land of this mask in fields that are constant on land: stages do not
// compute it, and messages carry it as `messages` says. A stage computes land that is wet in any field that it writes,
// and all land if one of these is not constant there or if it ends with a reduction or other work of all ranks. Results
// stay the same bits. The first steps after such fields were `modified` compute and send all land, undivided. Local,
// the same on all ranks, which the step compares. Throws UserError for a mask of another size than the grid, or no mask
// if the form is not `off`.
void set_land(Domain& domain, std::shared_ptr<const Mask> mask, WetForm messages = WetForm::automatic);

}  // namespace lapwing
