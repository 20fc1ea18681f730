#include "lapwing/mpi/tags.hpp"

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

Tag Tags::next(MPI_Comm comm) {
    if (free_.empty()) gather_free(comm);
    if (free_.empty()) {
        user_error("exchanges on one domain", concat("more than ", most), "at most that many at a time",
                   "make exchanges once, outside the time loop");
    }
    const int number = free_.back();
    free_.pop_back();
    return {used_, number};
}

// Ranks may drop theirs in any order, so they agree on what is free.
void Tags::gather_free(MPI_Comm comm) {
    std::vector<int> used(used_->begin(), used_->end());
    if (!first_) used = reduced(comm, std::move(used), MPI_MAX, "the tags in use");
    first_ = false;
    for (int number = most; number-- > 0;)
        if (used[number] == 0) free_.push_back(number);
}

}  // namespace lapwing
