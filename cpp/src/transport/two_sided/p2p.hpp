#pragma once
// Transport p2p: MPI_Isend and MPI_Irecv of packed messages, unpacked in order of arrival. Good everywhere; every MPI
// has it.

#include "transport/packed_leg.hpp"
#include "transport/two_sided/brake.hpp"

namespace lapwing {

class P2pLeg final : public PackedLeg {
  public:
    explicit P2pLeg(const LegRequest& request) : PackedLeg(request), brake_(sends_, receives_) {}

    void start() override;

  private:
    Brake brake_;
};

}  // namespace lapwing
