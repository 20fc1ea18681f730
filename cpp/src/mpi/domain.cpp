#include "lapwing/mpi/domain.hpp"

#include <algorithm>
#include <thread>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/run_main.hpp"
#include "lapwing/mpi/shared_files.hpp"
#include "lapwing/mpi/watchdog.hpp"
#include "mpi/open_leases.hpp"
#include "mpi/progress/progress_thread.hpp"

namespace lapwing {

namespace {

// Without MPI_THREAD_SERIALIZED all calls must come from the thread that initialised MPI. Local.
void require_callable_mpi() {
    require_running_mpi();
    int level = MPI_THREAD_SINGLE, main = 0;
    check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
    if (level >= MPI_THREAD_SERIALIZED) return;
    check_mpi(MPI_Is_thread_main(&main), "MPI_Is_thread_main");
    if (main != 0) return;
    user_error("thread of the domain", "one that did not initialise MPI", "the one that did, as MPI was told",
               "make the domain there, or initialise MPI with MPI_THREAD_MULTIPLE (Python: "
               "mpi4py.rc.thread_level = \"multiple\" before lapwing starts MPI)");
}

Partition best_blocks_on(MPI_Comm comm, std::initializer_list<Index> size, const std::array<bool, 3>& periodic,
                         NorthFold north_fold) {
    require_running_mpi();
    const int ranks = size_of(comm);
    if (size.size() < 2 || size.size() > 3) {
        user_error("sizes of the grid", concat(size.size(), " numbers"), "nx, ny or nx, ny, nz",
                   "leave out a third axis, or give its cells");
    }
    Grid grid{{1, 1, 1}, periodic, north_fold};
    std::ranges::copy(size, grid.size.begin());
    return best_partition(grid, ranks);
}

// Returns a communicator of the domain's own: the same ranks in the same order, without a topology. A duplicate would
// have the topology too, and Open MPI 5 takes neighbour graphs that are made on such a duplicate for Cartesian ones.
// Failures come back as codes, which check_mpi turns into exceptions with call and rank. Collective.
MPI_Comm own_communicator(MPI_Comm comm) {
    MPI_Comm own = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(comm, 0, rank_in(comm), &own), "MPI_Comm_split");
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    return own;
}

}  // namespace

struct Domain::Owner {
    std::thread::id thread = std::this_thread::get_id();
};

struct Domain::OpenDomains {
    std::thread::id thread;
    int count = 0;
};

Domain::OpenDomains& Domain::open_domains() {
    static OpenDomains all;
    return all;
}

Domain::Domain(Partition partition, MPI_Comm comm, int ranks_per_node)
    : owner_(std::make_unique<Owner>()), partition_(std::move(partition)) {
    require_callable_mpi();
    open();
    const int ranks = size_of(comm);
    rank_ = rank_in(comm);
    together(comm, [&] {
        if (ranks == partition_.ranks()) return;
        user_error("ranks of the partition", partition_.ranks(), concat(ranks, ", the size of the communicator"),
                   "cut the grid for the ranks that run, or start as many");
    });
    require_same(comm, "partition", listed_boxes(partition_));
    comm_ = own_communicator(comm);
    node_ = Node(comm_, ranks_per_node);
    together(comm_, [&] {
        if (wants_progress_thread()) progress_thread_ = std::make_unique<ProgressThread>();
    });
    ++open_domains().count;
    add_open_leases(leases_);
    open_roll(comm_);
    if (ranks == size_of(MPI_COMM_WORLD)) unlink_shared_files();
    if (ranks == 1) return;
    end_together_when_uncaught();
    explain_bus_errors();
}

Domain::Domain(Partition partition, MPI_Comm comm, StandIn in_place_of)
    : owner_(std::make_unique<Owner>()), partition_(std::move(partition)), rank_(in_place_of.rank) {
    require_callable_mpi();
    open();
    if (rank_ < 0 || rank_ >= partition_.ranks()) {
        user_error("rank to stand in for", rank_, concat("0 to ", partition_.ranks() - 1), "choose one of these");
    }
    if (size_of(comm) != 1) {
        user_error("communicator of a rank that stands in", concat(size_of(comm), " ranks"), "this process alone",
                   "pass MPI_COMM_SELF");
    }
    comm_ = own_communicator(comm);
    node_ = Node(rank_, partition_.ranks(), in_place_of.ranks_per_node);
    ++open_domains().count;
    add_open_leases(leases_);
    open_roll(comm_);
}

Domain::Domain(MPI_Comm comm, std::initializer_list<Index> size, const std::array<bool, 3>& periodic,
               NorthFold north_fold)
    : Domain(best_blocks_on(comm, size, periodic, north_fold), comm) {}

// All that they have in flight advances together, by the waits of any of them.
void Domain::open() {
    OpenDomains& all = open_domains();
    if (all.count > 0 && all.thread != owner_->thread) {
        user_error("thread of the domain", "another one than that of the domains that are open", "one thread",
                   "close those first, or let one thread call lapwing");
    }
    all.thread = owner_->thread;
}

Domain::~Domain() {
    if (comm_ == MPI_COMM_NULL) return;
    --open_domains().count;
    forget_roll(comm_);
    leases_->drop_pools();
    if (leases_->empty()) remove_open_leases(*leases_);
}

void Domain::close() {
    if (comm_ == MPI_COMM_NULL) return;
    together(comm(), [&] {
        if (in_flight_.count() == 0) return;
        user_error("domain to close", concat(in_flight_.count(), " exchanges in flight"), "none",
                   "wait for the handles that start returned");
    });
    progress_thread_.reset();
    leases_->close();
    remove_open_leases(*leases_);
    close_roll(comm_);
    check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
    --open_domains().count;
}

MPI_Comm Domain::comm() const {
    if (comm_ == MPI_COMM_NULL) {
        user_error("domain", "closed", "an open domain", "use it before close()");
    }
    if (std::this_thread::get_id() != owner_->thread) {
        user_error("domain", "a call in another thread", "calls in the thread that made it",
                   "let one thread call lapwing, or close the domain and make another in that thread");
    }
    return comm_;
}

std::vector<std::shared_ptr<AnyField>> Domain::declared_fields() const {
    std::vector<std::shared_ptr<AnyField>> fields;
    for (const std::weak_ptr<AnyField>& one : declared_)
        if (auto field = one.lock()) fields.push_back(std::move(field));
    return fields;
}

void Domain::note_declared(const std::shared_ptr<AnyField>& field) {
    std::erase_if(declared_, [](const std::weak_ptr<AnyField>& one) { return one.expired(); });
    declared_.push_back(field);
}

void set_land(Domain& domain, std::shared_ptr<const Mask> mask, WetForm messages) {
    if (mask == nullptr && messages != WetForm::off) {
        user_error("mask of the land", "none", "that of the grid", "pass it, or choose the form off");
    }
    if (mask != nullptr) {
        check_size(*mask, domain.partition().grid());
        check_fold_row(*mask, domain.partition().grid().north_fold);
        if (!domain.partition().grid().faces.none())
            user_error("land of the domain", domain.partition().grid(), "a grid without faces", "set no mask");
    }
    domain.land = {std::move(mask), messages};
}

Tag Domain::next_tag() {
    InFlight::reserve_one_more();  // a tag, an exchange
    return tags_.next(comm());
}

}  // namespace lapwing
