#include "transport/collective/alltoallw.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

AlltoallwLeg::Layout AlltoallwLeg::spread(const Side& side, const PeerGroup& group) {
    const std::size_t members = group.members.size();
    Layout layout{std::vector<int>(members), std::vector<int>(members), std::vector<MPI_Datatype>(members, MPI_BYTE)};
    for (std::size_t n = 0; n < side.by_peer.peers.size(); ++n) {
        const std::size_t place = group.place_of(side.by_peer.peers[n]);
        layout.counts[place] = side.counts[n];
        layout.types[place] = side.types[n];
    }
    return layout;
}

GraphLeg::Joined AlltoallwLeg::join(Domain& domain) {
    auto group = lease_peer_group(domain, sources(), destinations());
    if (group == nullptr || group->comm == MPI_COMM_NULL) return {MPI_COMM_NULL, group};
    sends_to_ = spread(sends_, *group);
    receives_from_ = spread(receives_, *group);
    return {group->comm, group};
}

void AlltoallwLeg::call(MPI_Comm comm, MPI_Request& request) {
#if LAPWING_MPI_FOUR
    check_mpi(MPI_Alltoallw_init(MPI_BOTTOM, sends_to_.counts.data(), sends_to_.places.data(), sends_to_.types.data(),
                                 MPI_BOTTOM, receives_from_.counts.data(), receives_from_.places.data(),
                                 receives_from_.types.data(), comm, MPI_INFO_NULL, &request),
              "MPI_Alltoallw_init");
#else
    check_mpi(MPI_Ialltoallw(MPI_BOTTOM, sends_to_.counts.data(), sends_to_.places.data(), sends_to_.types.data(),
                             MPI_BOTTOM, receives_from_.counts.data(), receives_from_.places.data(),
                             receives_from_.types.data(), comm, &request),
              "MPI_Ialltoallw");
#endif
}

void AlltoallwLeg::abandon() {
    DatatypeLeg::abandon();
    static_cast<void>(new Layout(std::move(sends_to_)));  // MPI reads them too
    static_cast<void>(new Layout(std::move(receives_from_)));
}

}  // namespace lapwing
