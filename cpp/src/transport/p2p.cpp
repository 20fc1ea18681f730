#include "lapwing/transport/p2p.hpp"

#include "lapwing/agreement.hpp"
#include "lapwing/domain.hpp"

namespace lapwing {

P2pLeg::P2pLeg(LegRequest request)
    : comm_(request.domain.comm()),
      tag_(request.tag),
      arrival_(request.arrival),
      sends_(packed(request.sends)),
      receives_(packed(request.receives)),
      send_buffers_(sends_),
      receive_buffers_(receives_),
      sending_(sends_.size(), MPI_REQUEST_NULL),
      receiving_(receives_.size(), MPI_REQUEST_NULL) {}

void P2pLeg::start() {
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        const auto [count, type] = mpi_count(receives_[m].bytes());
        check_mpi(MPI_Irecv(receive_buffers_[m], count, type, receives_[m].peer(), tag_, comm_, &receiving_[m]),
                  "MPI_Irecv");
    }
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        sends_[m].pack(send_buffers_[m]);
        const auto [count, type] = mpi_count(sends_[m].bytes());
        check_mpi(MPI_Isend(send_buffers_[m], count, type, sends_[m].peer(), tag_, comm_, &sending_[m]), "MPI_Isend");
    }
}

std::size_t P2pLeg::poll(std::span<int> arrived) {
    if (receiving_.empty()) return 0;
    int completed = 0;
    check_mpi(MPI_Testsome(static_cast<int>(receiving_.size()), receiving_.data(), &completed, arrived.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
    return completed == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(completed);
}

void P2pLeg::deliver(int receive) {
    const auto m = static_cast<std::size_t>(receive);
    receives_[m].unpack(receive_buffers_[m], arrival_);
}

bool P2pLeg::sent() {
    int all = 1;
    if (!sending_.empty()) {
        check_mpi(MPI_Testall(static_cast<int>(sending_.size()), sending_.data(), &all, MPI_STATUSES_IGNORE),
                  "MPI_Testall");
    }
    return all != 0;
}

void P2pLeg::abandon() {
    send_buffers_.abandon();
    receive_buffers_.abandon();
}

}  // namespace lapwing
