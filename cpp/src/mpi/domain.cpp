#include "lapwing/mpi/domain.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "mpi/progress_thread.hpp"

namespace lapwing {

namespace {

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
    node_ = Node(comm_, ranks_per_node);
    together(comm_, [&] {
        if (wants_progress_thread() && !simulated) progress_thread_ = std::make_unique<ProgressThread>();
    });
}

Domain::Domain(MPI_Comm comm, std::initializer_list<Index> size, const std::array<bool, 3>& periodic)
    : Domain(best_partition(comm, size, periodic), comm) {}

Domain::~Domain() = default;

void Domain::close() {
    if (comm_ == MPI_COMM_NULL) return;
    together(comm_, [&] {
        if (in_flight_ == 0) return;
        user_error("domain to close", concat(in_flight_, " exchanges in flight"), "none",
                   "wait for the handles that start returned");
    });
    progress_thread_.reset();
    leases_.close();
    check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
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

std::vector<std::shared_ptr<Field>> Domain::declared_fields() const {
    std::vector<std::shared_ptr<Field>> fields;
    for (const std::weak_ptr<Field>& one : declared_)
        if (auto field = one.lock()) fields.push_back(std::move(field));
    return fields;
}

void Domain::note_declared(const std::shared_ptr<Field>& field) {
    std::erase_if(declared_, [](const std::weak_ptr<Field>& one) { return one.expired(); });
    declared_.push_back(field);
}

Tag Domain::next_tag() {
    reserve_one_more();  // a tag, an exchange
    return tags_.next(comm());
}

}  // namespace lapwing
