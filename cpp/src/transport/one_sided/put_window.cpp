#include "transport/one_sided/put_window.hpp"

#include <algorithm>
#include <cstring>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "transport/one_sided/window.hpp"

namespace lapwing {

namespace {

std::shared_ptr<PutWindow> new_window(MPI_Comm comm, Index bytes) {
    auto made = std::make_shared<PutWindow>();
    made->bytes = std::max<Index>(bytes, 64);  // some releases fail at nothing
    check_mpi(MPI_Win_allocate(made->bytes, 1, MPI_INFO_NULL, comm, &made->memory, &made->win), "MPI_Win_allocate");
    check_mpi(lock_for_everybody(made->win), "MPI_Win_lock_all");
    return made;
}

}  // namespace

std::shared_ptr<PutWindow> lease_window(Domain& domain, Index bytes) {
    const MPI_Comm comm = domain.comm();
    Pool<PutWindow>& pool = domain.leases().of<PutWindow>();
    if (on_all_ranks(bytes == 0, comm)) return nullptr;
    auto window = pool.lease(comm, [&](const PutWindow& one) { return one.bytes >= bytes; });
    if (window == nullptr) {
        pool.require_room(most_windows, "windows");
        together(comm, [&] { window = new_window(comm, bytes); });
        static_cast<void>(keep_window(domain, window->win, "onesided"));
        pool.add(window);
    }
    // The last user's puts must have come everywhere before the memory is cleared, and it must be clear everywhere
    // before the next user's come.
    check_mpi(MPI_Win_flush_all(window->win), "MPI_Win_flush_all");
    static_cast<void>(on_all_ranks(true, comm));
    std::memset(window->memory, 0, window->bytes);
    check_mpi(MPI_Win_sync(window->win), "MPI_Win_sync");
    static_cast<void>(on_all_ranks(true, comm));
    return window;
}

}  // namespace lapwing
