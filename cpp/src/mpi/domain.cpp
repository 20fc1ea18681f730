#include "lapwing/mpi/domain.hpp"

#include <sched.h>

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/memory/shared_memory.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "mpi/progress_thread.hpp"

namespace lapwing {

namespace {

// Cores that the processes of `node` may run on, together: each may be bound to one of its own. Quotas of containers
// are not seen. Collective.
int usable_cores(MPI_Comm node) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) CPU_SET(0, &cores);
    reduce(node, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, "the cores of a node");
    return CPU_COUNT(&cores);
}

constexpr const char* newcomers = "the ranks of a new domain";

Partition best_partition(MPI_Comm comm, std::initializer_list<Index> size, const std::array<bool, 3>& periodic) {
    int ranks = 0;
    check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    if (size.size() < 2 || size.size() > 3) {
        user_error("sizes of the grid", concat(size.size(), " numbers"), "nx, ny or nx, ny, nz",
                   "leave out a third axis, or give its cells");
    }
    Grid grid{{1, 1, 1}, periodic};
    std::ranges::copy(size, grid.size.begin());
    return block_partition(grid, best_blocks(grid, ranks));
}

}  // namespace

Domain::Domain(Partition partition, MPI_Comm comm, int ranks_per_node) : partition_(std::move(partition)) {
    const int ranks = size_of(comm);
    rank_ = rank_in(comm);
    together(comm, [&] {
        if (ranks == partition_.ranks()) return;
        user_error("ranks of the partition", partition_.ranks(), concat(ranks, ", the size of the communicator"),
                   "cut the grid for the ranks that run, or start as many");
    });
    require_same(comm, "partition", fingerprint(partition_));
    check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    // Failures come back as codes, which check_mpi turns into exceptions with call and rank.
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    int* upper = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm_, MPI_TAG_UB, &upper, &found);
    if (found != 0) largest_tag_ = *upper;
    find_nodes(ranks_per_node);
    try_shared_memory();
    together(comm_, [&] {
        if (wants_progress_thread() && !simulated) progress_thread_ = std::make_unique<ProgressThread>();
    });
}

Domain::Domain(MPI_Comm comm, std::initializer_list<Index> size, const std::array<bool, 3>& periodic)
    : Domain(best_partition(comm, size, periodic), comm) {}

Domain::~Domain() = default;

void Domain::find_nodes(int ranks_per_node) {
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    int lowest = reduced(node, rank_, MPI_MIN, newcomers);
    const int size = size_of(node);
    cores_ = usable_cores(node);
    check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
    oversubscribed_ = reduced(comm_, size > cores_ ? 1 : 0, MPI_MAX, newcomers) != 0;
    if (ranks_per_node > 0) lowest = std::max(lowest, rank_ / ranks_per_node * ranks_per_node);
    node_ = gathered(comm_, lowest, newcomers);
}

// Each rank maps memory of the next rank of its node: containers and rights may forbid it.
void Domain::try_shared_memory() {
    if constexpr (simulated) {
        no_shared_memory_ = "simulated ranks share no memory";
        return;
    }
    const auto memory = SharedMemory::create(64);
    const SharedMemoryName mine = memory != nullptr ? memory->name() : SharedMemoryName{};
    const std::vector<SharedMemoryName> names = gathered(comm_, mine, newcomers);
    int next = rank_;
    do next = (next + 1) % ranks();
    while (!same_node(next));
    const bool works = SharedMemory::attach(names[next]) != nullptr;
    if (reduced(comm_, works ? 1 : 0, MPI_MIN, newcomers) == 0)
        no_shared_memory_ = "a process may not map the memory of another (/proc/PID/fd)";
}

int Domain::ranks_on_node() const { return static_cast<int>(std::ranges::count(node_, node_[rank_])); }

void Domain::close() {
    if (comm_ == MPI_COMM_NULL) return;
    together(comm_, [&] {
        if (in_flight_ == 0) return;
        user_error("domain to close", concat(in_flight_, " exchanges in flight"), "none",
                   "wait for the handles that start returned");
    });
    progress_thread_.reset();
    for (const auto& window : windows_) {
        check_mpi(MPI_Win_unlock_all(*window), "MPI_Win_unlock_all");
        check_mpi(MPI_Win_free(window.get()), "MPI_Win_free");
    }
    for (MPI_Comm& comm : kept_) check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
    windows_.clear();
    kept_.clear();
    check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
}

std::shared_ptr<const MPI_Win> Domain::keep_window(MPI_Win window) {
    return windows_.emplace_back(std::make_shared<MPI_Win>(window));
}

void Domain::enlist(Moving& moving) {
    ++in_flight_;
    lapwing::enlist(moving);
}

void Domain::release(Moving& moving) {
    --in_flight_;
    lapwing::release(moving);
}

MPI_Comm Domain::comm() const {
    if (comm_ == MPI_COMM_NULL) {
        user_error("domain", "closed", "an open domain", "use it before close()");
    }
    return comm_;
}

int Domain::next_tag() {
    if (tag_ >= largest_tag_) {
        user_error("exchanges on one domain", tag_, "at most that many", "make exchanges once, outside the time loop");
    }
    reserve_one_more();  // a tag, a channel
    return tag_++;
}

}  // namespace lapwing
