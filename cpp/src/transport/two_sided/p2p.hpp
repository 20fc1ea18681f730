#pragma once
// Transport p2p: MPI_Isend and MPI_Irecv of packed messages, unpacked in order of arrival. Good everywhere; every MPI
// has it.

#include "mpi/requests.hpp"
#include "transport/packed_leg.hpp"

namespace lapwing {

class P2pLeg final : public PackedLeg {
  public:
    explicit P2pLeg(const LegRequest& request);

    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    bool sent() override;
    [[nodiscard]] std::vector<int> unsent() override;

  private:
    MessageRequests requests_;
};

}  // namespace lapwing
