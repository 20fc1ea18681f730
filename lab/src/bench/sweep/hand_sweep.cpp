#include "sweep/hand_sweep.hpp"

namespace lapwing::bench {

PlaneMessages::PlaneMessages(const Domain& domain, const Box& box, int planes) : comm_(domain.comm()), planes_(planes) {
    const Index lo = box.lo[2], hi = box.hi[2];
    const int rank = domain.rank();
    sides_[0] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, lo, lo - planes};
    sides_[1] = {rank + 1 < domain.ranks() ? rank + 1 : MPI_PROC_NULL, hi - planes, hi};
}

void PlaneMessages::start(const Block& block) {
    const Index row = block.allocated.lo[1];
    const auto plane = [&](Index k) { return block.at({block.allocated.lo[0], row, k}); };
    const auto bytes = static_cast<int>(planes_ * block.strides[2]);
    for (std::size_t s = 0; s < 2; ++s) {
        MPI_Irecv(plane(sides_[s].receive), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests_[s]);
    }
    for (std::size_t s = 0; s < 2; ++s) {
        MPI_Isend(plane(sides_[s].send), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests_[2 + s]);
    }
}

void PlaneMessages::wait() { MPI_Waitall(4, requests_.data(), MPI_STATUSES_IGNORE); }

}  // namespace lapwing::bench
