#pragma once
// Transport alltoallv: one MPI_Alltoallv of packed messages per phase, among the ranks that talk to each other. Good
// where they all do, as the rows and columns of a transpose, and the MPI knows an order that suits its network.

#include "transport/collective/neighbor.hpp"
#include "transport/collective/peer_group.hpp"

namespace lapwing {

class AlltoallvLeg final : public NeighborLeg {
  public:
    explicit AlltoallvLeg(LegRequest request) : NeighborLeg(std::move(request)) {}

    void abandon() override;

  private:
    // Of each rank in the group, in 8-byte words; 0 of those that are no peers.
    struct Layout {
        std::vector<int> counts, places;
    };
    static Layout spread(const Side& side, const PeerGroup& group);

    Joined join(Domain& domain) override;
    void call(MPI_Comm comm, MPI_Request& request) override;

    Layout sends_to_, receives_from_;
};

}  // namespace lapwing
