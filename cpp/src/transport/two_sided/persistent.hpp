#pragma once
// Transport persistent: MPI_Send_init and MPI_Recv_init of packed messages, made once and started again and again.
// Good for small messages if the MPI spends more on making a request than on starting it; otherwise like p2p.

#include "transport/packed_leg.hpp"
#include "transport/two_sided/brake.hpp"

namespace lapwing {

class PersistentLeg final : public PackedLeg {
  public:
    explicit PersistentLeg(const LegRequest& request);
    ~PersistentLeg() override;

    void start() override;
    void abandon() override;

  private:
    Brake brake_;
    std::vector<MPI_Request> synchronous_;  // one per message that the brake may hold
};

}  // namespace lapwing
