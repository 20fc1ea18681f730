#pragma once
// Transport p2p: MPI_Isend and MPI_Irecv of packed messages, unpacked in order of arrival.

#include <mpi.h>

#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/packed_messages.hpp"

namespace lapwing {

class P2pLeg final : public Leg {
  public:
    explicit P2pLeg(LegRequest request);

    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    void deliver(int receive) override;
    bool sent() override;
    void abandon() override;
    [[nodiscard]] Index buffer_bytes() const override { return send_buffers_.bytes() + receive_buffers_.bytes(); }

  private:
    MPI_Comm comm_;
    int tag_;
    Arrival arrival_;
    std::vector<PackedMessage> sends_, receives_;
    MessageBuffers send_buffers_, receive_buffers_;
    std::vector<MPI_Request> sending_, receiving_;
};

}  // namespace lapwing
