#pragma once
// The search for a partition by all ranks of a communicator, together.

#include <mpi.h>

#include "lapwing/partition/partition_search.hpp"

namespace lapwing {

// `find_partition` for as many ranks as `comm` has: rank r prices the candidates r, r + ranks, ..., one reduction tells
// all ranks the best of them, and each rank continues from there by itself; all get the same partition. Collective.
// Throws UserError on all ranks when one is refused or the ranks' requests differ.
FoundPartition find_partition(MPI_Comm comm, const Grid& grid, const Mask& mask, const CostModel& model = {},
                              const SearchOptions& options = {});

// The number of ranks that share a node with this one, as the machine says (MPI_Comm_split_type); the largest over all
// nodes. Collective.
int ranks_per_node(MPI_Comm comm);

}  // namespace lapwing
