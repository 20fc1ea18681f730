#include "overlap/overlap_faces.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

// Calls copy(row of the field, values before this row) for every row of a box.
template <class Copy>
void for_rows(AnyField& field, const Box& box, Copy&& copy) {
    const auto view = field.view<double>();
    Index done = 0;
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            copy(view.row(j, k) + box.lo[0], done);
            done += box.size(0);
        }
    }
}

Face face_to(int peer, bool upper, const OverlapModel& model) {
    Face face{peer, model.owned(), model.owned(), {}, {}};
    const Index width = model.work().width;
    const std::size_t y = 1;
    const Index edge = upper ? model.owned().hi[y] : model.owned().lo[y];
    face.sent.lo[y] = upper ? edge - width : edge;
    face.sent.hi[y] = face.sent.lo[y] + width;
    face.received.lo[y] = upper ? edge : edge - width;
    face.received.hi[y] = face.received.lo[y] + width;
    face.out.resize(face.sent.volume());
    face.in.resize(face.received.volume());
    return face;
}

// `box` cut along z into at most `tiles` pieces.
std::vector<Box> tiles_of(const Box& box, int tiles) {
    const int pieces = static_cast<int>(std::clamp<Index>(box.size(2), 1, tiles));
    std::vector<Box> cut(pieces, box);
    for (int n = 0; n < pieces; ++n) {
        const auto [lo, hi] = block_range(box.size(2), pieces, n);
        cut[n].lo[2] = box.lo[2] + lo;
        cut[n].hi[2] = box.lo[2] + hi;
    }
    return cut;
}

}  // namespace

FaceOverlap::FaceOverlap(const Domain& domain, const OverlapWork& work, int tiles) : OverlapMethod(domain, work) {
    Box interior = model().owned();  // the cells that are sent are those that read the halo
    const int rank = domain.rank();
    if (rank > 0) {
        faces_.push_back(face_to(rank - 1, false, model()));
        interior.lo[1] = faces_.back().sent.hi[1];
    }
    if (rank + 1 < domain.ranks()) {
        faces_.push_back(face_to(rank + 1, true, model()));
        interior.hi[1] = faces_.back().sent.lo[1];
    }
    tiles_ = tiles_of(interior, tiles);
}

void FaceOverlap::steps(int count, const BeforeEach& before_each) {
    for (int n = 0; n < count; ++n) {
        before_each();
        step();
    }
}

void FaceOverlap::step() {
    AnyField& field = model().field(model().position());
    start(field);
    for (const Box& tile : tiles_) {
        model().compute(tile);
        if (tiles_.size() > 1) poll();
    }
    finish(field);
    for (const Face& face : faces_) model().compute(face.sent);
    model().turn();
}

void FaceOverlap::communicate() {
    start(model().field(0));
    finish(model().field(0));
}

void FaceOverlap::start(AnyField& field) {
    receive();
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        double* out = faces_[f].out.data();
        const Index length = faces_[f].sent.size(0);
        for_rows(field, faces_[f].sent, [&](const double* row, Index done) { std::copy_n(row, length, out + done); });
        send(f);
    }
}

void FaceOverlap::finish(AnyField& field) {
    wait();
    for (const Face& face : faces_) {
        const double* in = face.in.data();
        const Index length = face.received.size(0);
        for_rows(field, face.received, [&](double* row, Index done) { std::copy_n(in + done, length, row); });
    }
}

}  // namespace lapwing::bench
