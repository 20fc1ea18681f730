#pragma once
// No packing: derived datatypes over the fields in one collective per phase, persistent where the MPI has that. Good
// where the MPI walks strides well and buffers are dear: it holds none, unless arrivals are added or must keep an
// order, which are received packed.

#include <memory>
#include <optional>
#include <vector>

#include "lapwing/transport/packed_messages.hpp"
#include "memory/sign_change.hpp"
#include "transport/collective/collective_leg.hpp"
#include "transport/strided_type.hpp"

namespace lapwing {

class TypedCollective : public CollectiveLeg {
  public:
    void deliver(int receive) override;
    void abandon() override;
    [[nodiscard]] Index buffer_bytes() const override { return buffers_ ? buffers_->bytes() : 0; }

  protected:
    TypedCollective(LegRequest request, Among among);

  private:
    // One direction: a datatype per peer.
    struct Side {
        void make_types(ByPeer& by_peer);
        void lay_out(const ByPeer& by_peer);

        std::vector<OwnedType> owned;
        std::vector<MPI_Datatype> types;
        std::vector<int> counts, places;     // all places are 0, in a graph as
        std::vector<MPI_Aint> graph_places;  // another type
    };

    void lay_out() override;
    void pack() override {}
    void call(MPI_Comm comm, MPI_Request& request) override;
    void receive_packed();

    Side out_, in_;
    std::vector<SignChange> signs_;          // sign changes of unpacked receives
    std::vector<PackedMessage> packed_;      // receives that are unpacked
    std::optional<MessageBuffers> buffers_;  // buffers of packed ones
    std::vector<std::shared_ptr<void>> keep_;
};

// Transport datatype: MPI_Neighbor_alltoallw.
class DatatypeLeg final : public TypedCollective {
  public:
    explicit DatatypeLeg(LegRequest request) : TypedCollective(std::move(request), Among::neighbors) {}
};

// Transport alltoallw: MPI_Alltoallw among the ranks that talk to each other.
class AlltoallwLeg final : public TypedCollective {
  public:
    explicit AlltoallwLeg(LegRequest request) : TypedCollective(std::move(request), Among::group) {}
};

}  // namespace lapwing
