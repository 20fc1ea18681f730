#include "transport/collective/peer_group.hpp"

#include <algorithm>
#include <string>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

namespace {

constexpr std::size_t most_groups = 500;  // at most, as MPICH has 2046 communicators

// The lowest rank that each rank can be reached from. Each takes the lowest label of its peers, and that one's own,
// which doubles the reach in every round. All ranks see all labels, so they end together.
std::vector<int> lowest_reachable(const Domain& domain, const std::vector<int>& peers) {
    constexpr const char* what = "who talks to whom";
    std::vector<int> labels = gathered(domain.comm(), domain.rank(), what);
    while (true) {
        int lowest = labels[domain.rank()];
        for (int peer : peers) lowest = std::min(lowest, labels[peer]);
        std::vector<int> next = gathered(domain.comm(), lowest, what);
        for (int& label : next) label = next[label];
        if (next == labels) return labels;
        labels = std::move(next);
    }
}

std::vector<int> ranks_with(const std::vector<int>& labels, int label) {
    std::vector<int> ranks;
    for (std::size_t r = 0; r < labels.size(); ++r) {
        if (labels[r] == label) ranks.push_back(static_cast<int>(r));
    }
    return ranks;
}

}  // namespace

std::shared_ptr<PeerGroup> lease_peer_group(Domain& domain, const std::vector<int>& sources,
                                            const std::vector<int>& destinations) {
    Pool<PeerGroup>& pool = domain.leases().of<PeerGroup>();
    const MPI_Comm comm = domain.comm();
    if (on_all_ranks(sources.empty() && destinations.empty(), comm)) return nullptr;
    std::vector<int> peers = sources;
    peers.insert(peers.end(), destinations.begin(), destinations.end());
    const std::vector<int> labels = lowest_reachable(domain, peers);
    const int label = labels[domain.rank()];
    const std::vector<int> members = ranks_with(labels, label);
    const auto fits = [&](const PeerGroup& group) { return group.members == members; };
    if (auto found = pool.lease(comm, fits)) return found;
    pool.require_room(most_groups, "groups of ranks");
    auto made = std::make_shared<PeerGroup>(PeerGroup{MPI_COMM_NULL, members});
    together(comm, [&] {
        const int color = members.size() > 1 ? label : MPI_UNDEFINED;
        check_mpi(MPI_Comm_split(comm, color, domain.rank(), &made->comm), "MPI_Comm_split");
    });
    if (made->comm != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
        domain.leases().keep(made->comm);
    }
    pool.add(made);
    return made;
}

}  // namespace lapwing
