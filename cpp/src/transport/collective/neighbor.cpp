#include "transport/collective/neighbor.hpp"

#include <limits>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

constexpr Index word = 8;  // bytes: buffers of messages are whole cache lines

int words(Index bytes) { return static_cast<int>(bytes / word); }

}  // namespace

NeighborLeg::Side::Side(std::vector<BoundMessage> unsorted)
    : by_peer(std::move(unsorted)), messages(packed(by_peer.messages)), buffers(messages) {
    if (buffers.bytes() / word > std::numeric_limits<int>::max()) {
        user_error("messages of one phase", concat(buffers.bytes(), " bytes on one rank"), "at most 16 GiB",
                   "use more ranks, exchange fewer fields at once, or choose p2p");
    }
    for (std::size_t n = 0; n < by_peer.peers.size(); ++n) {
        const std::size_t begin = by_peer.begins[n], end = by_peer.begins[n + 1];
        counts.push_back(words(padded_bytes({messages.data() + begin, end - begin})));
        places.push_back(words(buffers[begin] - buffers.data()));
    }
    counts.push_back(0);  // behind the end: an address where there are no neighbours too
    places.push_back(0);
    by_peer.messages.clear();
}

NeighborLeg::NeighborLeg(LegRequest request)
    : GraphLeg(request.domain),
      arrival_(request.arrival),
      sends_(std::move(request.sends)),
      receives_(std::move(request.receives)) {}

void NeighborLeg::pack() {
    for (std::size_t m = 0; m < sends_.messages.size(); ++m) sends_.messages[m].pack(sends_.buffers[m]);
}

void NeighborLeg::call(MPI_Comm comm, MPI_Request& request) {
#if LAPWING_MPI_FOUR
    check_mpi(MPI_Neighbor_alltoallv_init(sends_.buffers.data(), sends_.counts.data(), sends_.places.data(),
                                          MPI_INT64_T, receives_.buffers.data(), receives_.counts.data(),
                                          receives_.places.data(), MPI_INT64_T, comm, MPI_INFO_NULL, &request),
              "MPI_Neighbor_alltoallv_init");
#else
    check_mpi(MPI_Ineighbor_alltoallv(sends_.buffers.data(), sends_.counts.data(), sends_.places.data(), MPI_INT64_T,
                                      receives_.buffers.data(), receives_.counts.data(), receives_.places.data(),
                                      MPI_INT64_T, comm, &request),
              "MPI_Ineighbor_alltoallv");
#endif
}

void NeighborLeg::deliver(int receive) {
    const std::size_t m = receives_.by_peer.place[receive];
    receives_.messages[m].unpack(receives_.buffers[m], arrival_);
}

void NeighborLeg::abandon() {
    GraphLeg::abandon();
    static_cast<void>(new Side(std::move(sends_)));  // MPI reads the counts too
    static_cast<void>(new Side(std::move(receives_)));
}

}  // namespace lapwing
