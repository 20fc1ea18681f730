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
      receive_buffers_(receives_),
      requests_(receives_.size(), sends_.size()) {}

void PackedLeg::deliver(int receive) { receives_[receive].unpack(receive_buffers_[receive], arrival_); }

std::vector<int> PackedLeg::unsent() {
    std::vector<int> peers;
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        if (!requests_.has_sent(m)) peers.push_back(sends_[m].peer());
    }
    return peers;
}

void PackedLeg::abandon() {
    send_buffers_.abandon();
    receive_buffers_.abandon();
}

}  // namespace lapwing
