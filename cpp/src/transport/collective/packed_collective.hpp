#pragma once
// One collective of packed messages per phase, persistent where the MPI has that. Everything arrives at once, so
// nothing is unpacked while other messages are still on their way. Exchanges may be started and waited for in any
// order.

#include "lapwing/transport/packed_messages.hpp"
#include "transport/collective/collective_leg.hpp"

namespace lapwing {

class PackedCollective : public CollectiveLeg {
  public:
    void deliver(int receive) override;
    void abandon() override;
    PackedMessages packed_messages() override;
    [[nodiscard]] Index buffer_bytes() const override { return out_.buffers.bytes() + in_.buffers.bytes(); }

  protected:
    PackedCollective(LegRequest request, Among among);

  private:
    // One direction. The messages of a peer are one piece of memory; counts and places are in 8-byte words.
    struct Side {
        explicit Side(ByPeer& by_peer);
        void lay_out(const ByPeer& by_peer);

        std::vector<PackedMessage> messages;
        MessageBuffers buffers;
        std::vector<int> counts{}, places{};
    };

    void lay_out() override;
    void pack() override;
    void call(MPI_Comm comm, MPI_Request& request) override;

    Side out_, in_;
};

// Transport neighbor: MPI_Neighbor_alltoallv. Good where the MPI or its network knows neighbourhoods.
class NeighborLeg final : public PackedCollective {
  public:
    explicit NeighborLeg(LegRequest request) : PackedCollective(std::move(request), Among::neighbors) {}
};

// Transport alltoallv: MPI_Alltoallv among the ranks that talk to each other. Good where they all do, as the rows and
// columns of a transpose, and the MPI knows an order that suits its network.
class AlltoallvLeg final : public PackedCollective {
  public:
    explicit AlltoallvLeg(LegRequest request) : PackedCollective(std::move(request), Among::group) {}
};

}  // namespace lapwing
