#include "transport/collective/alltoallv.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

AlltoallvLeg::Layout AlltoallvLeg::spread(const Side& side, const PeerGroup& group) {
    Layout layout{std::vector<int>(group.members.size()), std::vector<int>(group.members.size())};
    for (std::size_t n = 0; n < side.by_peer.peers.size(); ++n) {
        const std::size_t place = group.place_of(side.by_peer.peers[n]);
        layout.counts[place] = side.counts[n];
        layout.places[place] = side.places[n];
    }
    return layout;
}

GraphLeg::Joined AlltoallvLeg::join(Domain& domain) {
    auto group = lease_peer_group(domain, sources(), destinations());
    if (group == nullptr || group->comm == MPI_COMM_NULL) return {MPI_COMM_NULL, group};
    sends_to_ = spread(sends_, *group);
    receives_from_ = spread(receives_, *group);
    return {group->comm, group};
}

void AlltoallvLeg::call(MPI_Comm comm, MPI_Request& request) {
#if LAPWING_MPI_FOUR
    check_mpi(MPI_Alltoallv_init(sends_.buffers.data(), sends_to_.counts.data(), sends_to_.places.data(), MPI_INT64_T,
                                 receives_.buffers.data(), receives_from_.counts.data(), receives_from_.places.data(),
                                 MPI_INT64_T, comm, MPI_INFO_NULL, &request),
              "MPI_Alltoallv_init");
#else
    check_mpi(MPI_Ialltoallv(sends_.buffers.data(), sends_to_.counts.data(), sends_to_.places.data(), MPI_INT64_T,
                             receives_.buffers.data(), receives_from_.counts.data(), receives_from_.places.data(),
                             MPI_INT64_T, comm, &request),
              "MPI_Ialltoallv");
#endif
}

void AlltoallvLeg::abandon() {
    NeighborLeg::abandon();
    static_cast<void>(new Layout(std::move(sends_to_)));  // MPI reads them too
    static_cast<void>(new Layout(std::move(receives_from_)));
}

}  // namespace lapwing
