#pragma once
// Windows and communicators of domains that were never closed: a destructor cannot free them without all ranks, so
// MPI_Finalize does, which all ranks call. MPI complains there of windows that are open.

#include <memory>

#include "lapwing/mpi/leases.hpp"

namespace lapwing {

// Adds the leases of a domain that was made, on all its ranks. Local.
void add_open_leases(const std::shared_ptr<Leases>& leases);
// Removes the leases of a domain that is closed. Local.
void remove_open_leases(const Leases& leases);
// Frees nothing when MPI ends: after an error ranks may have made different ones. Local; all ranks do so, or none.
void leave_leases_open();

}  // namespace lapwing
