#include "transport/collective/packed_collective.hpp"

#include <limits>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

constexpr Index word = 8;  // bytes: buffers of messages are whole cache lines

int words(Index bytes) { return static_cast<int>(bytes / word); }

}  // namespace

PackedCollective::Side::Side(ByPeer& by_peer) : messages(packed(by_peer.messages)), buffers(messages) {
    if (buffers.bytes() / word > std::numeric_limits<int>::max()) {
        user_error("messages of one phase", concat(buffers.bytes(), " bytes on one rank"), "at most 16 GiB",
                   "use more ranks, exchange fewer fields at once, or choose p2p");
    }
    by_peer.messages.clear();
}

void PackedCollective::Side::lay_out(const ByPeer& by_peer) {
    counts.resize(by_peer.slot_count + 1);  // one behind the end: an address where there are no neighbours too
    places.resize(counts.size());
    for (std::size_t n = 0; n < by_peer.peers.size(); ++n) {
        const std::size_t begin = by_peer.begins[n], end = by_peer.begins[n + 1];
        counts[by_peer.slots[n]] = words(padded_bytes({messages.data() + begin, end - begin}));
        places[by_peer.slots[n]] = words(buffers[begin] - buffers.data());
    }
}

PackedCollective::PackedCollective(LegRequest request, Among among)
    : CollectiveLeg(request, among), out_(sends_), in_(receives_) {}

void PackedCollective::lay_out() {
    out_.lay_out(sends_);
    in_.lay_out(receives_);
}

void PackedCollective::pack() {
    for (std::size_t m = 0; m < out_.messages.size(); ++m) out_.messages[m].pack(out_.buffers[m]);
}

void PackedCollective::call(MPI_Comm comm, MPI_Request& request) {
    const bool group = among_ == Among::group;
#if LAPWING_MPI_FOUR
    const auto collective = group ? MPI_Alltoallv_init : MPI_Neighbor_alltoallv_init;
    check_mpi(collective(out_.buffers.data(), out_.counts.data(), out_.places.data(), MPI_INT64_T, in_.buffers.data(),
                         in_.counts.data(), in_.places.data(), MPI_INT64_T, comm, MPI_INFO_NULL, &request),
              group ? "MPI_Alltoallv_init" : "MPI_Neighbor_alltoallv_init");
#else
    const auto collective = group ? MPI_Ialltoallv : MPI_Ineighbor_alltoallv;
    check_mpi(collective(out_.buffers.data(), out_.counts.data(), out_.places.data(), MPI_INT64_T, in_.buffers.data(),
                         in_.counts.data(), in_.places.data(), MPI_INT64_T, comm, &request),
              group ? "MPI_Ialltoallv" : "MPI_Ineighbor_alltoallv");
#endif
}

void PackedCollective::deliver(int receive) {
    const std::size_t m = receives_.place[receive];
    in_.messages[m].unpack(in_.buffers[m], arrival_);
}

PackedMessages PackedCollective::packed_messages() {
    PackedMessages all;
    for (const std::size_t m : sends_.place) all.sends.push_back(&out_.messages[m]);
    for (const std::size_t m : receives_.place) all.receives.push_back(&in_.messages[m]);
    return all;
}

void PackedCollective::abandon() {
    CollectiveLeg::abandon();
    static_cast<void>(new Side(std::move(out_)));  // MPI reads the counts too
    static_cast<void>(new Side(std::move(in_)));
}

}  // namespace lapwing
