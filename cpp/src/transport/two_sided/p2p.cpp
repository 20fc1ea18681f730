#include "transport/two_sided/p2p.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

void P2pLeg::start() {
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        const auto [count, type] = mpi_count(receives_[m].bytes());
        check_mpi(MPI_Irecv(receive_buffers_[m], count, type, receives_[m].peer(), tag_, comm_, &requests_.receive(m)),
                  "MPI_Irecv");
    }
    brake_.count();
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        sends_[m].pack(send_buffers_[m]);
        const auto [count, type] = mpi_count(sends_[m].bytes());
        const auto send = brake_.holds(m) ? MPI_Issend : MPI_Isend;
        check_mpi(send(send_buffers_[m], count, type, sends_[m].peer(), tag_, comm_, &requests_.send(m)), "MPI_Isend");
    }
    requests_.started();
}

}  // namespace lapwing
