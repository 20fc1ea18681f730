#include "overlap/hand_overlap.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

constexpr int tag = 7;
constexpr Index in_flight = 4;  // messages per neighbour for which MPI's buffer has room

}  // namespace

HandOverlap::HandOverlap(const Domain& domain, const OverlapWork& work, const HandOverlapOptions& options)
    : OverlapMethod(domain, work),
      comm_(domain.comm()),
      options_(options),
      faces_(faces_of(domain, model())),
      parts_(split(model(), faces_)),
      tiles_(tiles_of(parts_.interior, options.tiles)) {
    if (!options.buffered) return;
    const Index messages = options.chunk_bytes > 0 ? work.message_bytes() / options.chunk_bytes + 1 : 1;
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

void HandOverlap::step(bool /*another_follows*/) {
    post(model().field(model().position()));
    for (const Box& tile : tiles_) {
        model().compute(tile);
        if (tiles_.size() == 1) break;
        int done = 0;
        MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    }
    finish(model().field(model().position()));
    for (const Box& edge : parts_.edges) model().compute(edge);
    model().turn();
}

void HandOverlap::communicate() {
    post(model().field(0));
    finish(model().field(0));
}

void HandOverlap::post(Field& field) {
    requests_.clear();
    for (Face& face : faces_) post(face, face.in.data(), false);
    for (Face& face : faces_) {
        pack(field, face.sent, face.out.data());
        post(face, face.out.data(), true);
    }
}

void HandOverlap::post(Face& face, double* buffer, bool sends) {
    const auto values = static_cast<Index>(face.out.size());
    const Index chunk = options_.chunk_bytes > 0 ? std::max<Index>(1, options_.chunk_bytes / 8) : values;
    for (Index first = 0; first < values; first += chunk) {
        const int count = static_cast<int>(std::min(chunk, values - first));
        requests_.push_back(MPI_REQUEST_NULL);
        if (!sends) {
            MPI_Irecv(buffer + first, count, MPI_DOUBLE, face.peer, tag, comm_, &requests_.back());
        } else if (options_.buffered) {
            MPI_Ibsend(buffer + first, count, MPI_DOUBLE, face.peer, tag, comm_, &requests_.back());
        } else {
            MPI_Isend(buffer + first, count, MPI_DOUBLE, face.peer, tag, comm_, &requests_.back());
        }
    }
}

void HandOverlap::finish(Field& field) {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const Face& face : faces_) unpack(field, face.received, face.in.data());
}

}  // namespace lapwing::bench
