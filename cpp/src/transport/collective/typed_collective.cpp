#include "transport/collective/typed_collective.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

void TypedCollective::Side::make_types(ByPeer& by_peer) {
    for (std::size_t n = 0; n < by_peer.peers.size(); ++n) {
        std::vector<StridedBlock> pieces;
        for (std::size_t m = by_peer.begins[n]; m < by_peer.begins[n + 1]; ++m) {
            const auto& more = by_peer.messages[m].pieces;
            pieces.insert(pieces.end(), more.begin(), more.end());
        }
        owned.emplace_back(pieces);
    }
    by_peer.messages.clear();
}

void TypedCollective::Side::lay_out(const ByPeer& by_peer) {
    types.assign(by_peer.slot_count + 1, MPI_BYTE);  // one behind the end: an address without neighbours too
    counts.assign(types.size(), 0);
    places.assign(types.size(), 0);
    graph_places.assign(types.size(), 0);
    for (std::size_t n = 0; n < owned.size(); ++n) {
        types[by_peer.slots[n]] = owned[n].get();
        counts[by_peer.slots[n]] = 1;
    }
}

TypedCollective::TypedCollective(LegRequest request, Among among)
    : CollectiveLeg(request, among), keep_(std::move(request.keep)) {
    if (request.arrival == Arrival::add || request.in_order) receive_packed();
    for (const BoundMessage& message : receives_.messages) signs_.emplace_back(message.pieces);
    out_.make_types(sends_);
    in_.make_types(receives_);
}

void TypedCollective::lay_out() {
    out_.lay_out(sends_);
    in_.lay_out(receives_);
}

// Lets types describe buffers, so that both ends still move the same values.
void TypedCollective::receive_packed() {
    packed_ = packed(receives_.messages);
    buffers_.emplace(packed_);
    move_to(*buffers_, receives_.messages);
}

void TypedCollective::call(MPI_Comm comm, MPI_Request& request) {
    const auto run = [&](auto collective, const auto& to, const auto& from, const char* name, auto... more) {
        check_mpi(collective(MPI_BOTTOM, out_.counts.data(), to.data(), out_.types.data(), MPI_BOTTOM,
                             in_.counts.data(), from.data(), in_.types.data(), comm, more..., &request),
                  name);
    };
#if LAPWING_MPI_FOUR
    if (among_ == Among::group)
        run(MPI_Alltoallw_init, out_.places, in_.places, "MPI_Alltoallw_init", MPI_INFO_NULL);
    else
        run(MPI_Neighbor_alltoallw_init, out_.graph_places, in_.graph_places, "MPI_Neighbor_alltoallw_init",
            MPI_INFO_NULL);
#else
    if (among_ == Among::group)
        run(MPI_Ialltoallw, out_.places, in_.places, "MPI_Ialltoallw");
    else
        run(MPI_Ineighbor_alltoallw, out_.graph_places, in_.graph_places, "MPI_Ineighbor_alltoallw");
#endif
}

void TypedCollective::deliver(int receive) {
    const std::size_t m = receives_.place[receive];
    if (!buffers_) return signs_[m].run();  // it is where it belongs
    packed_[m].unpack((*buffers_)[m], arrival_);
}

// MPI may still read and write the fields themselves.
void TypedCollective::abandon() {
    CollectiveLeg::abandon();
    if (buffers_) buffers_->abandon();
    static_cast<void>(new Side(std::move(out_)));
    static_cast<void>(new Side(std::move(in_)));
    static_cast<void>(new std::vector<std::shared_ptr<void>>(std::move(keep_)));
}

}  // namespace lapwing
