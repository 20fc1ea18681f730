#pragma once
// What legs that pack their messages into buffers have in common.

#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/packed_messages.hpp"

namespace lapwing {

class PackedLeg : public Leg {
  public:
    void deliver(int receive) override;
    void abandon() override;
    [[nodiscard]] Index buffer_bytes() const override { return send_buffers_.bytes() + receive_buffers_.bytes(); }

  protected:
    explicit PackedLeg(const LegRequest& request);

    MPI_Comm comm_;
    int tag_;
    Arrival arrival_;
    std::vector<PackedMessage> sends_, receives_;
    MessageBuffers send_buffers_, receive_buffers_;
};

}  // namespace lapwing
