#include "transport/collective/datatype.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

void DatatypeLeg::Side::make_types() {
    for (std::size_t n = 0; n < by_peer.peers.size(); ++n) {
        std::vector<StridedBlock> pieces;
        for (std::size_t m = by_peer.begins[n]; m < by_peer.begins[n + 1]; ++m) {
            const auto& more = by_peer.messages[m].pieces;
            pieces.insert(pieces.end(), more.begin(), more.end());
        }
        types.push_back(owned.emplace_back(pieces).get());
    }
    counts.assign(types.size(), 1);
    types.push_back(MPI_BYTE);  // behind the end: an address where there are no neighbours too
    counts.push_back(0);
    places.assign(types.size(), 0);
    by_peer.messages.clear();
}

DatatypeLeg::DatatypeLeg(LegRequest request)
    : GraphLeg(request.domain),
      arrival_(request.arrival),
      sends_(std::move(request.sends)),
      receives_(std::move(request.receives)),
      keep_(std::move(request.keep)) {
    if (request.arrival == Arrival::add || request.in_order) receive_packed();
    sends_.make_types();
    receives_.make_types();
}

// Lets types describe buffers, so that both ends still move the same values.
void DatatypeLeg::receive_packed() {
    packed_ = packed(receives_.by_peer.messages);
    buffers_.emplace(packed_);
    move_to(*buffers_, receives_.by_peer.messages);
}

void DatatypeLeg::call(MPI_Comm comm, MPI_Request& request) {
#if LAPWING_MPI_FOUR
    check_mpi(MPI_Neighbor_alltoallw_init(MPI_BOTTOM, sends_.counts.data(), sends_.places.data(), sends_.types.data(),
                                          MPI_BOTTOM, receives_.counts.data(), receives_.places.data(),
                                          receives_.types.data(), comm, MPI_INFO_NULL, &request),
              "MPI_Neighbor_alltoallw_init");
#else
    check_mpi(MPI_Ineighbor_alltoallw(MPI_BOTTOM, sends_.counts.data(), sends_.places.data(), sends_.types.data(),
                                      MPI_BOTTOM, receives_.counts.data(), receives_.places.data(),
                                      receives_.types.data(), comm, &request),
              "MPI_Ineighbor_alltoallw");
#endif
}

void DatatypeLeg::deliver(int receive) {
    if (!buffers_) return;  // it is where it belongs
    const std::size_t m = receives_.by_peer.place[receive];
    packed_[m].unpack((*buffers_)[m], arrival_);
}

// MPI may still read and write the fields themselves.
void DatatypeLeg::abandon() {
    GraphLeg::abandon();
    if (buffers_) buffers_->abandon();
    static_cast<void>(new Side(std::move(sends_)));
    static_cast<void>(new Side(std::move(receives_)));
    static_cast<void>(new std::vector<std::shared_ptr<void>>(std::move(keep_)));
}

}  // namespace lapwing
