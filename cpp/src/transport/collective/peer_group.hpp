#pragma once
// Communicators of the ranks that talk to each other, directly or through others: a row or a column of processes in a
// transpose.

#include <mpi.h>

#include <memory>
#include <vector>

namespace lapwing {

class Domain;

// The domain frees the communicator, which is null on a rank without peers.
struct PeerGroup {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<int> members;  // ranks of the domain, ascending: their places are their ranks in `comm`
};

// Returns the group of this rank, for exclusive use until the pointer is released; null if no rank has a peer. Each
// group serves one leg at a time, like graphs (graph.hpp), and groups are used again. Collective: a few gatherings of
// one number per rank, and a split of the domain's communicator unless there is a free group with these members; throws
// UserError on all ranks when there are too many.
std::shared_ptr<PeerGroup> lease_peer_group(Domain& domain, const std::vector<int>& sources,
                                            const std::vector<int>& destinations);

}  // namespace lapwing
