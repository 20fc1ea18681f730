#pragma once
// Transport neighbor: one neighbourhood collective per phase (MPI_Neighbor_alltoallv, persistent where the MPI has
// that) of packed messages. Good where the MPI or its network knows neighbourhoods; everything arrives at once, so
// nothing is unpacked while other messages are still on their way. Exchanges may be started and waited for in any
// order.

#include "lapwing/transport/packed_messages.hpp"
#include "transport/collective/graph_leg.hpp"

namespace lapwing {

class NeighborLeg : public GraphLeg {
  public:
    explicit NeighborLeg(LegRequest request);

    void deliver(int receive) override;
    void abandon() override;
    [[nodiscard]] Index buffer_bytes() const override { return sends_.buffers.bytes() + receives_.buffers.bytes(); }

  protected:
    // One direction. The messages of a peer are one piece of memory; counts and places are in 8-byte words.
    struct Side {
        explicit Side(std::vector<BoundMessage> messages);

        ByPeer by_peer;
        std::vector<PackedMessage> messages;
        MessageBuffers buffers;
        std::vector<int> counts, places;
    };

    const std::vector<int>& sources() const override { return receives_.by_peer.peers; }
    const std::vector<int>& destinations() const override { return sends_.by_peer.peers; }
    std::size_t receives() const override { return receives_.messages.size(); }
    void pack() override;
    void call(MPI_Comm comm, MPI_Request& request) override;

    Arrival arrival_;
    Side sends_, receives_;
};

}  // namespace lapwing
