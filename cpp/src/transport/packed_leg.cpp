#include "transport/packed_leg.hpp"

#include "lapwing/mpi/domain.hpp"

namespace lapwing {

PackedLeg::PackedLeg(const LegRequest& request)
    : comm_(request.domain.comm()),
      tag_(request.tag),
      arrival_(request.arrival),
      sends_(packed(request.sends)),
      receives_(packed(request.receives)),
      send_buffers_(sends_),
      receive_buffers_(receives_) {}

void PackedLeg::deliver(int receive) { receives_[receive].unpack(receive_buffers_[receive], arrival_); }

void PackedLeg::abandon() {
    send_buffers_.abandon();
    receive_buffers_.abandon();
}

}  // namespace lapwing
