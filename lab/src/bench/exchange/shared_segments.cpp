#include "exchange/shared_segments.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <thread>

namespace lapwing::bench {

namespace {

// Each counter is on a pair of lines, as processors fetch lines in pairs; the doubles come behind both.
constexpr MPI_Aint counter_bytes = 128, head_bytes = 2 * counter_bytes, line = 64;

// Pages have the same place among lines in every process, so all ranks find the same line.
char* first_line(MPI_Win window, int rank) {
    MPI_Aint bytes = 0;
    int unit = 1;
    void* begin = nullptr;
    MPI_Win_shared_query(window, rank, &bytes, &unit, &begin);
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    return static_cast<char*>(begin) + (line - address % line) % line;
}

}  // namespace

SharedSegments::SharedSegments(MPI_Comm comm, Index values) {
    int ranks = 1, rank = 0;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    yields_ = static_cast<unsigned>(ranks) > std::thread::hardware_concurrency();
    MPI_Info apart = MPI_INFO_NULL;  // each on pages of its own
    MPI_Info_create(&apart);
    MPI_Info_set(apart, "alloc_shared_noncontig", "true");
    void* mine = nullptr;
    const auto bytes = static_cast<MPI_Aint>(values * static_cast<Index>(sizeof(double)));
    MPI_Win_allocate_shared(head_bytes + bytes + line, 1, apart, comm, &mine, &window_);
    MPI_Info_free(&apart);
    for (int other = 0; other < ranks; ++other) segments_.push_back(first_line(window_, other));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    for (int which = 0; which < 2; ++which) new (counter(rank, which)) std::atomic<Index>(0);
    std::fill_n(of(rank), values, 0.0);
    MPI_Barrier(comm);
}

void SharedSegments::close() {
    if (window_ == MPI_WIN_NULL) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
}

double* SharedSegments::of(int rank) const { return reinterpret_cast<double*>(segments_[rank] + head_bytes); }

std::atomic<Index>* SharedSegments::counter(int rank, int which) const {
    return std::launder(reinterpret_cast<std::atomic<Index>*>(segments_[rank] + which * counter_bytes));
}

void SharedSegments::wait_for(const std::atomic<Index>& counter, Index rounds) const {
    while (counter.load(std::memory_order_acquire) < rounds) {
        if (yields_) sched_yield();
    }
}

}  // namespace lapwing::bench
