#include "transport/one_sided/window.hpp"

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

namespace {

// Threads that put and processors that load, or poll a counter, must see one memory.
bool unified(MPI_Win win) {
    int* model = nullptr;
    int found = 0;
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found);
    return found != 0 && *model == MPI_WIN_UNIFIED;
}

}  // namespace

int lock_for_everybody(MPI_Win win) {
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
}

std::shared_ptr<const MPI_Win> keep_window(Domain& domain, MPI_Win win, const std::string& transport) {
    auto kept = domain.leases().keep_window(win);
    together(domain.comm(), [&] {
        if (!unified(win)) no_windows_for(transport, "this MPI keeps two copies of a window");
    });
    return kept;
}

void no_windows_for(const std::string& transport, const std::string& why) {
    user_error("transport", transport + ", which is not available: " + why, "one that works with this MPI",
               "choose p2p, or auto");
}

}  // namespace lapwing
