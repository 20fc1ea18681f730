#pragma once
// Transport alltoallw: one MPI_Alltoallw of derived datatypes per phase, among the ranks that talk to each other. No
// packing and no buffers here; good where the MPI walks strides well and can copy from one process to another.

#include "transport/collective/datatype.hpp"
#include "transport/collective/peer_group.hpp"

namespace lapwing {

class AlltoallwLeg final : public DatatypeLeg {
  public:
    explicit AlltoallwLeg(LegRequest request) : DatatypeLeg(std::move(request)) {}

    void abandon() override;

  private:
    // Of each rank in the group; none of those that are no peers.
    struct Layout {
        std::vector<int> counts, places;
        std::vector<MPI_Datatype> types;
    };
    static Layout spread(const Side& side, const PeerGroup& group);

    Joined join(Domain& domain) override;
    void call(MPI_Comm comm, MPI_Request& request) override;

    Layout sends_to_, receives_from_;
};

}  // namespace lapwing
