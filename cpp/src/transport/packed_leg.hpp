#pragma once
// The common part of legs that pack their messages into buffers and have a request for each.

#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "mpi/progress/requests.hpp"

namespace lapwing {

class PackedLeg : public Leg {
  public:
    std::size_t poll(std::span<int> arrived) override { return requests_.poll(arrived); }
    void deliver(int receive) override;
    bool sent() override { return requests_.sent(); }
    void abandon() override;
    PackedMessages packed_messages() override { return {addresses(sends_), addresses(receives_)}; }
    [[nodiscard]] std::vector<int> unsent() override;
    [[nodiscard]] Index buffer_bytes() const override { return send_buffers_.bytes() + receive_buffers_.bytes(); }

  protected:
    explicit PackedLeg(const LegRequest& request);

    MPI_Comm comm_;
    int tag_;
    Arrival arrival_;
    std::vector<PackedMessage> sends_, receives_;
    MessageBuffers send_buffers_, receive_buffers_;
    MessageRequests requests_;
};

}  // namespace lapwing
