#pragma once
// Traits of the MPI underneath, found by trying.

#include <string>

#include "lapwing/mpi/domain.hpp"

namespace lapwing::probe {

// True if MPI_Cart_create with `reorder`, cutting the ranks into a grid of `axes` axes, gives any rank another number.
// Collective over the domain; throws OutsideError on all ranks when MPI fails.
bool cart_reorders(const Domain& domain, int axes);

// Neighbourhood collectives on small periodic graphs. `cart`: MPI_Neighbor_alltoall on a ring of MPI_Cart_create, where
// on one rank both neighbours are the rank itself and on two ranks both are the same. `graph`: the same ring by
// MPI_Dist_graph_create_adjacent, with neighbours that come twice.
enum class NeighborGraph { cart, graph };
// "right"; "swapped": what goes to the neighbour behind comes from the one in front; "wrong"; "does not complete":
// nothing within some seconds. The ring has the first `ranks` ranks of the domain. Collective over the domain; throws
// UserError on all ranks for more ranks than there are.
std::string neighbor_collectives(const Domain& domain, NeighborGraph graph, int ranks);

// "yes" or "no": what MPIX_Query_cuda_support says; "unknown": this MPI has no such call. Local.
std::string cuda_awareness();

// "single", "funneled", "serialized" or "multiple": the threads that MPI was started for. Local.
std::string thread_level();

}  // namespace lapwing::probe
