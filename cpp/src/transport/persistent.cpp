#include "lapwing/transport/persistent.hpp"

#include "lapwing/agreement.hpp"
#include "lapwing/transport/requests.hpp"

namespace lapwing {

PersistentLeg::PersistentLeg(const LegRequest& request)
    : PackedLeg(request), sending_(sends_.size(), MPI_REQUEST_NULL), receiving_(receives_.size(), MPI_REQUEST_NULL) {
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        const auto [count, type] = mpi_count(receives_[m].bytes());
        check_mpi(MPI_Recv_init(receive_buffers_[m], count, type, receives_[m].peer(), tag_, comm_, &receiving_[m]),
                  "MPI_Recv_init");
    }
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        const auto [count, type] = mpi_count(sends_[m].bytes());
        check_mpi(MPI_Send_init(send_buffers_[m], count, type, sends_[m].peer(), tag_, comm_, &sending_[m]),
                  "MPI_Send_init");
    }
}

PersistentLeg::~PersistentLeg() {
    free_requests(sending_);
    free_requests(receiving_);
}

void PersistentLeg::start() {
    start_all(receiving_);
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        sends_[m].pack(send_buffers_[m]);
        check_mpi(MPI_Start(&sending_[m]), "MPI_Start");
    }
}

std::size_t PersistentLeg::poll(std::span<int> arrived) { return completed(receiving_, arrived); }
bool PersistentLeg::sent() { return all_completed(sending_); }

// Active requests and their buffers are MPI's for ever.
void PersistentLeg::abandon() {
    PackedLeg::abandon();
    sending_.clear();
    receiving_.clear();
}

}  // namespace lapwing
