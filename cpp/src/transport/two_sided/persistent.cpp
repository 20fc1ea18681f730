#include "transport/two_sided/persistent.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

PersistentLeg::PersistentLeg(const LegRequest& request) : PackedLeg(request) {
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        const auto [count, type] = mpi_count(receives_[m].bytes());
        check_mpi(
            MPI_Recv_init(receive_buffers_[m], count, type, receives_[m].peer(), tag_, comm_, &requests_.receive(m)),
            "MPI_Recv_init");
    }
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        const auto [count, type] = mpi_count(sends_[m].bytes());
        check_mpi(MPI_Send_init(send_buffers_[m], count, type, sends_[m].peer(), tag_, comm_, &requests_.send(m)),
                  "MPI_Send_init");
    }
}

PersistentLeg::~PersistentLeg() { free_requests(requests_.all()); }

void PersistentLeg::start() {
    start_all(requests_.receives());
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        sends_[m].pack(send_buffers_[m]);
        check_mpi(MPI_Start(&requests_.send(m)), "MPI_Start");
    }
    requests_.started();
}

// Active requests and their buffers are MPI's for ever.
void PersistentLeg::abandon() {
    PackedLeg::abandon();
    requests_ = {0, 0};
}

}  // namespace lapwing
