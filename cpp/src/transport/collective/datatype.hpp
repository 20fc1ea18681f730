#pragma once
// Transport datatype: no packing. Derived datatypes over the fields in one neighbourhood collective per phase
// (MPI_Neighbor_alltoallw, persistent where the MPI has that). Good where the MPI walks strides well and buffers are
// dear: it holds none, unless arrivals are added or must keep an order, which are received packed.

#include <memory>
#include <optional>
#include <vector>

#include "lapwing/transport/packed_messages.hpp"
#include "transport/collective/graph_leg.hpp"
#include "transport/strided_type.hpp"

namespace lapwing {

class DatatypeLeg : public GraphLeg {
  public:
    explicit DatatypeLeg(LegRequest request);

    void deliver(int receive) override;
    void abandon() override;
    [[nodiscard]] Index buffer_bytes() const override { return buffers_ ? buffers_->bytes() : 0; }

  protected:
    // One direction: a datatype per peer.
    struct Side {
        explicit Side(std::vector<BoundMessage> messages) : by_peer(std::move(messages)) {}
        void make_types();

        ByPeer by_peer;
        std::vector<OwnedType> owned;
        std::vector<MPI_Datatype> types;
        std::vector<int> counts;
        std::vector<MPI_Aint> places;
    };

    const std::vector<int>& sources() const override { return receives_.by_peer.peers; }
    const std::vector<int>& destinations() const override { return sends_.by_peer.peers; }
    std::size_t receives() const override { return receives_.by_peer.place.size(); }
    void pack() override {}
    void call(MPI_Comm comm, MPI_Request& request) override;
    void receive_packed();

    Arrival arrival_;
    Side sends_, receives_;
    std::vector<PackedMessage> packed_;      // receives that are unpacked
    std::optional<MessageBuffers> buffers_;  // of those
    std::vector<std::shared_ptr<void>> keep_;
};

}  // namespace lapwing
