#pragma once
// Requests of MPI, many at once: what legs poll.

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace lapwing {

// Writes the numbers of those that have completed since the last call to the begin of `numbers`; returns how many.
std::size_t completed(std::vector<MPI_Request>& requests, std::span<int> numbers);

// Whether all have completed.
bool all_completed(std::vector<MPI_Request>& requests);

// Starts persistent ones.
void start_all(std::vector<MPI_Request>& requests);

// Frees inactive persistent requests; does nothing when MPI has been finalized: a program may close late. Local.
void free_requests(std::span<MPI_Request> requests);

}  // namespace lapwing
