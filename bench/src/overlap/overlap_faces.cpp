#include "overlap/overlap_faces.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

// Calls copy(j, k, values before this row) for every row of a box.
template <class Copy>
void for_rows(const Box& box, Copy&& copy) {
    Index done = 0;
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            copy(j, k, done);
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

}  // namespace

std::vector<Face> faces_of(const Domain& domain, const OverlapModel& model) {
    std::vector<Face> faces;
    const int rank = domain.rank();
    if (rank > 0) faces.push_back(face_to(rank - 1, false, model));
    if (rank + 1 < domain.ranks()) faces.push_back(face_to(rank + 1, true, model));
    return faces;
}

void pack(Field& field, const Box& box, double* buffer) {
    const auto view = field.view<double>();
    for_rows(box, [&](Index j, Index k, Index done) {
        std::copy_n(view.row(j, k) + box.lo[0], box.size(0), buffer + done);
    });
}

void unpack(Field& field, const Box& box, const double* buffer) {
    const auto view = field.view<double>();
    for_rows(box, [&](Index j, Index k, Index done) {
        std::copy_n(buffer + done, box.size(0), view.row(j, k) + box.lo[0]);
    });
}

Split split(const OverlapModel& model, const std::vector<Face>& faces) {
    Split parts{model.owned(), {}};
    for (const Face& face : faces) {
        // the cells that are sent are those that read the halo
        parts.edges.push_back(face.sent);
        const bool upper = face.sent.hi[1] == model.owned().hi[1];
        (upper ? parts.interior.hi[1] : parts.interior.lo[1]) = upper ? face.sent.lo[1] : face.sent.hi[1];
    }
    return parts;
}

std::vector<Box> tiles_of(const Box& box, int tiles) {
    const int pieces = static_cast<int>(std::clamp<Index>(box.size(2), 1, tiles));
    std::vector<Box> cut;
    for (int n = 0; n < pieces; ++n) {
        const auto [lo, hi] = block_range(box.size(2), pieces, n);
        cut.push_back(box);
        cut.back().lo[2] = box.lo[2] + lo;
        cut.back().hi[2] = box.lo[2] + hi;
    }
    return cut;
}

}  // namespace lapwing::bench
