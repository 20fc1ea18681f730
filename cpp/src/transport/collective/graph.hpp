#pragma once
// Communicators with a graph of neighbours, for neighbourhood collectives.

#include <mpi.h>

#include <memory>
#include <vector>

namespace lapwing {

class Domain;

// Peers in ascending order, each once. The domain frees the communicator.
struct Graph {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<int> sources, destinations;
};

// Returns a graph of these neighbours for exclusive use until the pointer is released; null if no rank has a neighbour.
// Each leg has a graph of its own, so that one collective at a time is on its way on it: exchanges may be started in
// any order, and a second phase cannot meet another exchange's. Graphs are used again, as MPICH has no more than 2046
// communicators. Collective; throws UserError on all ranks when there are too many, or when a trial of the new one
// gives wrong numbers, as several releases of MPI do for empty graphs or two ranks.
std::shared_ptr<Graph> lease_graph(Domain& domain, std::vector<int> sources, std::vector<int> destinations);

}  // namespace lapwing
