#pragma once
// Transport persistent: MPI_Send_init and MPI_Recv_init of packed messages, made once and started again and again.
// Good where messages are small and the MPI spends more on making a request than on starting one; as p2p otherwise.

#include "transport/packed_leg.hpp"

namespace lapwing {

class PersistentLeg final : public PackedLeg {
  public:
    explicit PersistentLeg(const LegRequest& request);
    ~PersistentLeg() override;

    void start() override;
    void abandon() override;
};

}  // namespace lapwing
