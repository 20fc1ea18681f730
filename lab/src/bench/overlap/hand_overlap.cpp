#include "overlap/hand_overlap.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

constexpr int tag = 7;
constexpr Index in_flight = 4;  // messages per neighbour for which MPI's buffer has room

}  // namespace

HandOverlap::HandOverlap(const Domain& domain, const OverlapWork& work, bool buffered, int tiles, Index chunk_bytes)
    : FaceOverlap(domain, work, tiles), comm_(domain.comm()), buffered_(buffered), chunk_bytes_(chunk_bytes) {
    if (!buffered) return;
    const Index messages = chunk_bytes > 0 ? work.message_bytes() / chunk_bytes + 1 : 1;
    const Index bytes = work.message_bytes() + messages * MPI_BSEND_OVERHEAD;
    attached_.resize(2 * in_flight * bytes);
    MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
}

void HandOverlap::close() {
    if (attached_.empty()) return;
    void* buffer = nullptr;
    int size = 0;
    MPI_Buffer_detach(static_cast<void*>(&buffer), &size);
    attached_.clear();
}

void HandOverlap::receive() {
    requests_.clear();
    for (Face& face : faces()) post(face, face.in.data(), false);
}

void HandOverlap::send(std::size_t face) { post(faces()[face], faces()[face].out.data(), true); }

void HandOverlap::poll() {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
}

void HandOverlap::wait() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

void HandOverlap::post(const Face& face, double* buffer, bool sends) {
    const auto values = static_cast<Index>(face.out.size());
    const Index chunk = chunk_bytes_ > 0 ? std::max<Index>(1, chunk_bytes_ / 8) : values;
    for (Index first = 0; first < values; first += chunk) {
        const int count = static_cast<int>(std::min(chunk, values - first));
        requests_.push_back(MPI_REQUEST_NULL);
        if (!sends) {
            MPI_Irecv(buffer + first, count, MPI_DOUBLE, face.peer, tag, comm_, &requests_.back());
        } else {
            const auto call = buffered_ ? MPI_Ibsend : MPI_Isend;
            call(buffer + first, count, MPI_DOUBLE, face.peer, tag, comm_, &requests_.back());
        }
    }
}

}  // namespace lapwing::bench
