#include "lapwing/domain.hpp"

#include "lapwing/agreement.hpp"
#include "lapwing/error.hpp"
#include "lapwing/transport/channel.hpp"

namespace lapwing {

namespace {

// Everything that must match, in a text short enough to broadcast: sizes, and a hash of the boxes.
std::string fingerprint(const Partition& partition) {
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    const auto mix = [&](Index value) { hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211ull; };
    for (const Subdomain& s : partition.subdomains()) {
        mix(s.rank);
        for (int a = 0; a < 3; ++a) {
            mix(s.box.lo[a]);
            mix(s.box.hi[a]);
        }
    }
    return to_string(partition) + ", boxes " + std::to_string(hash);
}

}  // namespace

Domain::Domain(Partition partition, MPI_Comm comm) : partition_(std::move(partition)) {
    int ranks = 0;
    check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    together(comm, [&] {
        if (ranks == partition_.ranks()) return;
        user_error("ranks of the partition", std::to_string(partition_.ranks()),
                   std::to_string(ranks) + ", the size of the communicator",
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
}

void Domain::close() {
    if (comm_ == MPI_COMM_NULL) return;
    together(comm_, [&] {
        if (in_flight_.empty()) return;
        user_error("domain to close", std::to_string(in_flight_.size()) + " exchanges in flight", "none",
                   "wait for the handles that start returned");
    });
    check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
}

void Domain::enlist(Channel& channel) { in_flight_.push_back(&channel); }
void Domain::release(Channel& channel) { std::erase(in_flight_, &channel); }

void Domain::progress() {
    for (Channel* channel : in_flight_) static_cast<void>(channel->test());
}

MPI_Comm Domain::comm() const {
    if (comm_ == MPI_COMM_NULL) {
        user_error("domain", "closed", "an open domain", "use it before close()");
    }
    return comm_;
}

int Domain::next_tag() {
    if (tag_ >= largest_tag_) {
        user_error("exchanges on one domain", std::to_string(tag_), "at most that many",
                   "make exchanges once, outside the time loop");
    }
    in_flight_.reserve(static_cast<std::size_t>(tag_) + 1);  // a tag, a channel: no allocation in the time loop
    return tag_++;
}

}  // namespace lapwing
