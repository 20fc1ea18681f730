#include "lapwing_coast/barotropic/momentum.hpp"

#include <cmath>

namespace lapwing_coast {

namespace {

// The values of one row around its faces; element n of each belongs to the n-th face.
struct Row {
    double* __restrict along;                                                   // m2/s
    const double* face_depth;                                                   // m
    const double *level, *level_ahead;                                          // m
    const double *across, *across_ahead, *across_behind, *across_ahead_behind;  // m2/s
    const double *slow, *change;                                                // m2/s2; null: none
};

Row row_of(Axis axis, Index i, Index j, const View<double>& along, const View<const double>& across,
           const View<const double>& sea_level, const View<const double>& face_depth) {
    const auto [di, dj] = ahead_along[axis];
    return {&along.row(j)[i],
            &face_depth.row(j)[i],
            &sea_level.row(j)[i],
            &sea_level.row(j + dj)[i + di],
            &across.row(j)[i],
            &across.row(j + dj)[i + di],
            &across.row(j - di)[i - dj],
            &across.row(j + dj - di)[i + di - dj],
            nullptr,
            nullptr};
}

// One division and one square root per face; closed faces are computed too and blended to 0, so that the loop has no
// branch. The square root is taken in single precision: it is multiplied by the drag coefficient, of which two digits
// are known, and in double precision divisions and square roots share one unit, which made the loop a third slower.
template <bool with_slow_terms>
void step_row(const Row& row, Index n, const Momentum& at) {
    const double coriolis = at.coriolis, gravity = at.gravity, drag = at.drag, time_step = at.time_step;
    double* __restrict along = row.along;
    for (Index i = 0; i < n; ++i) {
        const double depth = row.face_depth[i] + 0.5 * (row.level[i] + row.level_ahead[i]);  // m
        const double across = 0.25 * ((row.across[i] + row.across_ahead[i]) +
                                      (row.across_behind[i] + row.across_ahead_behind[i]));  // m2/s
        const double slope = row.level_ahead[i] - row.level[i];                              // m
        double forced = along[i] + (coriolis * across - gravity * depth * slope);            // m2/s
        if constexpr (with_slow_terms) forced += time_step * (row.slow[i] + row.change[i]);
        const double transport_squared = along[i] * along[i] + across * across;    // m4/s2
        const float transport = std::sqrt(static_cast<float>(transport_squared));  // m2/s
        const double depth_squared = depth * depth;                                // m2
        const double stepped =
            forced * depth_squared / (depth_squared + drag * static_cast<double>(transport));  // m2/s
        along[i] = row.face_depth[i] > 0.0 ? stepped : 0.0;
    }
}

}  // namespace

void Momentum::operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                          View<const double> face_depth) const {
    const Index n = box.size(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        step_row<false>(row_of(axis, box.lo[0], j, along, across, sea_level, face_depth), n, *this);
}

void Momentum::operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                          View<const double> face_depth, View<const double> slow, View<const double> change) const {
    const Index n = box.size(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        Row row = row_of(axis, box.lo[0], j, along, across, sea_level, face_depth);
        row.slow = &slow.row(j)[box.lo[0]];
        row.change = &change.row(j)[box.lo[0]];
        step_row<true>(row, n, *this);
    }
}

}  // namespace lapwing_coast
