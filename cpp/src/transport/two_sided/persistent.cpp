#include "transport/two_sided/persistent.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

PersistentLeg::PersistentLeg(const LegRequest& request)
    : PackedLeg(request), brake_(sends_, receives_), synchronous_(sends_.size(), MPI_REQUEST_NULL) {
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
        if (!brake_.one_way(m)) continue;
        check_mpi(MPI_Ssend_init(send_buffers_[m], count, type, sends_[m].peer(), tag_, comm_, &synchronous_[m]),
                  "MPI_Ssend_init");
    }
}

PersistentLeg::~PersistentLeg() {
    free_requests(requests_.all());
    free_requests(synchronous_);
}

void PersistentLeg::start() {
    start_all(requests_.receives());
    const auto change_held = [this] {
        for (std::size_t m = 0; m < sends_.size(); ++m)
            if (brake_.holds(m)) std::swap(requests_.send(m), synchronous_[m]);
    };
    change_held();  // back, where the start before was held
    brake_.count();
    change_held();
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
