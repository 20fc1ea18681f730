#include "lapwing/transport/put_window.hpp"

#include <algorithm>
#include <cstring>

#include "lapwing/agreement.hpp"
#include "lapwing/domain.hpp"
#include "lapwing/error.hpp"

namespace lapwing {

namespace {

constexpr std::size_t most_windows = 200;  // of MPICH's 2046 communicators

std::shared_ptr<PutWindow> new_window(MPI_Comm comm, Index bytes) {
    auto made = std::make_shared<PutWindow>();
    made->bytes = std::max<Index>(bytes, 64);  // some releases fail at nothing
    check_mpi(MPI_Win_allocate(static_cast<MPI_Aint>(made->bytes), 1, MPI_INFO_NULL, comm, &made->memory, &made->win),
              "MPI_Win_allocate");
    MPI_Win_set_errhandler(made->win, MPI_ERRORS_RETURN);
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, made->win), "MPI_Win_lock_all");
    return made;
}

// Polled counters need memory that puts and the processor see alike.
bool unified(MPI_Win win) {
    int* model = nullptr;
    int found = 0;
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found);
    return found != 0 && *model == MPI_WIN_UNIFIED;
}

}  // namespace

std::shared_ptr<PutWindow> lease_window(Domain& domain, Index bytes) {
    const MPI_Comm comm = domain.comm();
    Pool<PutWindow>& pool = domain.leases().windows;
    if (on_all_ranks(bytes == 0, comm)) return nullptr;
    auto window = pool.lease(comm, [&](const PutWindow& one) { return one.bytes >= bytes; });
    if (window == nullptr) {
        if (pool.size() >= most_windows) {
            user_error("windows of one domain", std::to_string(most_windows + 1),
                       "at most " + std::to_string(most_windows), "make fewer exchanges at a time, or choose p2p");
        }
        together(comm, [&] { window = new_window(comm, bytes); });
        domain.keep_window(window->win);
        if (!unified(window->win)) {
            user_error("transport", "onesided, which is not available: this MPI keeps two copies of a window",
                       "one that works with this MPI", "choose p2p, or auto");
        }
        pool.add(window);
    }
    // The last user's puts must have come everywhere before the memory is cleared, and it must be clear everywhere
    // before the next user's come.
    check_mpi(MPI_Win_flush_all(window->win), "MPI_Win_flush_all");
    static_cast<void>(on_all_ranks(true, comm));
    std::memset(window->memory, 0, static_cast<std::size_t>(window->bytes));
    check_mpi(MPI_Win_sync(window->win), "MPI_Win_sync");
    static_cast<void>(on_all_ranks(true, comm));
    return window;
}

}  // namespace lapwing
