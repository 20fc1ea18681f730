#pragma once
// Windows that ranks put to, open for all the time of a domain.

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "lapwing/grid/box.hpp"

namespace lapwing {

class Domain;

// A window that is locked for all ranks (MPI_Win_lock_all) from the start. The domain unlocks and frees it and its
// memory.
struct PutWindow {
    MPI_Win win = MPI_WIN_NULL;
    std::byte* memory = nullptr;  // memory of this rank
    Index bytes = 0;
};

// A window with at least `bytes` of zeroed memory here, for exclusive use until the pointer is released; null if no
// rank needs any. Windows are used again: MPICH counts them among its 2046 communicators. Collective; throws UserError
// on all ranks when there are too many.
std::shared_ptr<PutWindow> lease_window(Domain& domain, Index bytes);

}  // namespace lapwing
