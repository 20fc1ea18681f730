#include "transport/collective/graph.hpp"

#include <string>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

namespace {

constexpr std::size_t most_graphs = 500;  // at most, as MPICH has 2046 communicators

// Returns what `from` sends `to` in the trial.
int known(int from, int to) { return 1000 * from + to + 7; }

// Sends known numbers along all edges; true if they arrive intact here. Collective.
bool works(const Graph& graph, int rank) {
    std::vector<int> sent(graph.destinations.size() + 1), got(graph.sources.size() + 1, -1);  // never null
    std::vector<int> send_counts(sent.size(), 1), send_places(sent.size()), counts(got.size(), 1), places(got.size());
    for (std::size_t n = 0; n < graph.destinations.size(); ++n) {
        sent[n] = known(rank, graph.destinations[n]);
        send_places[n] = static_cast<int>(n);
    }
    for (std::size_t n = 0; n < graph.sources.size(); ++n) places[n] = static_cast<int>(n);
    MPI_Request request;
    check_mpi(MPI_Ineighbor_alltoallv(sent.data(), send_counts.data(), send_places.data(), MPI_INT, got.data(),
                                      counts.data(), places.data(), MPI_INT, graph.comm, &request),
              "MPI_Ineighbor_alltoallv");
    wait_for(request, graph.comm, "the trial of a graph communicator");
    bool right = got.back() == -1;
    for (std::size_t n = 0; n < graph.sources.size(); ++n) right &= got[n] == known(graph.sources[n], rank);
    return right;
}

MPI_Comm graph_comm(MPI_Comm comm, const Graph& graph) {
    std::vector<int> sources = graph.sources, destinations = graph.destinations;
    sources.push_back(0);  // behind the end: an address where there are no neighbours too
    destinations.push_back(0);
    MPI_Comm made = MPI_COMM_NULL;
    check_mpi(MPI_Dist_graph_create_adjacent(comm, static_cast<int>(graph.sources.size()), sources.data(),
                                             MPI_UNWEIGHTED, static_cast<int>(graph.destinations.size()),
                                             destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
              "MPI_Dist_graph_create_adjacent");
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

}  // namespace

std::shared_ptr<Graph> lease_graph(Domain& domain, std::vector<int> sources, std::vector<int> destinations) {
    Pool<Graph>& pool = domain.leases().of<Graph>();
    const MPI_Comm comm = domain.comm();
    if (on_all_ranks(sources.empty() && destinations.empty(), comm)) return nullptr;
    const auto fits = [&](const Graph& graph) {
        return graph.sources == sources && graph.destinations == destinations;
    };
    if (auto found = pool.lease(comm, fits)) return found;
    pool.require_room(most_graphs, "graph communicators");
    auto made = std::make_shared<Graph>(Graph{MPI_COMM_NULL, std::move(sources), std::move(destinations)});
    together(comm, [&] { made->comm = graph_comm(comm, *made); });
    domain.leases().keep(made->comm);
    bool right = false;
    together(comm, [&] { right = works(*made, domain.rank()); });
    if (!on_all_ranks(right, comm)) {
        pool.trouble = "neighbourhood collectives of this MPI give wrong numbers";
        user_error("transport", "one with neighbourhood collectives, which is not available: " + pool.trouble,
                   "one that works with this MPI", "choose p2p, or auto");
    }
    pool.add(made);
    return made;
}

}  // namespace lapwing
