#pragma once
// The common part of all kinds of windows: made once, open to all ranks, freed by the domain.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>

namespace lapwing {

class Domain;

constexpr std::size_t most_windows = 200;  // windows of one kind in a domain, out of MPICH's 2046 communicators

// Lets failures come back as codes and locks a new window for everybody; the code of MPI_Win_lock_all. Local.
[[nodiscard]] int lock_for_everybody(MPI_Win win);

// Leaves a window that all ranks have made and locked to the domain, which unlocks and frees it, and then sets the
// handle to null. Collective, one
// reduction; throws UserError on all ranks where this MPI keeps two copies of a window, so that it has no `transport`.
std::shared_ptr<const MPI_Win> keep_window(Domain& domain, MPI_Win win, const std::string& transport);

// Throws UserError: this MPI has no `transport`. Local.
[[noreturn]] void no_windows_for(const std::string& transport, const std::string& why);

}  // namespace lapwing
