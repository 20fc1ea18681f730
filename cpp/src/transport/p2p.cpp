#include "lapwing/transport/p2p.hpp"

#include "lapwing/agreement.hpp"
#include "lapwing/transport/requests.hpp"

namespace lapwing {

P2pLeg::P2pLeg(const LegRequest& request)
    : PackedLeg(request), sending_(sends_.size(), MPI_REQUEST_NULL), receiving_(receives_.size(), MPI_REQUEST_NULL) {}

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

std::size_t P2pLeg::poll(std::span<int> arrived) { return completed(receiving_, arrived); }
bool P2pLeg::sent() { return all_completed(sending_); }

}  // namespace lapwing
