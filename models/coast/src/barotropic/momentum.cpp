#include "lapwing_coast/barotropic/momentum.hpp"

#include <cmath>

namespace lapwing_coast {

namespace {

// The values of one row around its faces; element n of each belongs to the n-th face.
struct Rows {
    double* __restrict along;                                                   // m2/s
    const double* face_depth;                                                   // m
    const double *level, *level_ahead;                                          // m
    const double *across, *across_ahead, *across_behind, *across_ahead_behind;  // m2/s
    const double *slow, *change;                                                // m2/s2; null: none
};

Rows row_of(Axis axis, Index i, Index j, const View<double>& along, const View<const double>& across,
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

// The forces on the transports besides the surface slope.
enum class Driven { by_nothing, by_air, by_layers };

// One division and one square root per face; closed faces are computed too and blended to 0, so that the loop has no
// branch. The square root is taken in single precision: it is multiplied by the drag coefficient, of which two digits
// are known, and in double precision divisions and square roots share one unit, which made the loop a third slower.
template <Driven driven, class Factor>
void step_row(const Rows& row, Index n, const Momentum& at, const Factor coriolis, const Factor gravity) {
    const double drag = at.drag, time_step = at.time_step;
    double* __restrict along = row.along;
    for (Index i = 0; i < n; ++i) {
        const double depth = row.face_depth[i] + 0.5 * (row.level[i] + row.level_ahead[i]);  // m
        const double across = 0.25 * ((row.across[i] + row.across_ahead[i]) +
                                      (row.across_behind[i] + row.across_ahead_behind[i]));  // m2/s
        const double slope = row.level_ahead[i] - row.level[i];                              // m
        double forced = along[i] + (coriolis[i] * across - gravity[i] * depth * slope);      // m2/s
        if constexpr (driven == Driven::by_air) forced += time_step * row.slow[i];
        if constexpr (driven == Driven::by_layers) forced += time_step * (row.slow[i] + row.change[i]);
        const double transport_squared = along[i] * along[i] + across * across;    // m4/s2
        const float transport = std::sqrt(static_cast<float>(transport_squared));  // m2/s
        const double depth_squared = depth * depth;                                // m2
        const double stepped =
            forced * depth_squared / (depth_squared + drag * static_cast<double>(transport));  // m2/s
        along[i] = row.face_depth[i] > 0.0 ? stepped : 0.0;
    }
}

// The row with the metrics of its faces, which begin at (i, j).
template <Driven driven>
void step_row(const Rows& row, Index i, Index j, Index n, const Momentum& at, const Views& coriolis_at,
              const Views& over_distance) {
    if (coriolis_at.empty()) {
        step_row<driven>(row, n, at, Same{at.coriolis}, Same{at.gravity});
    } else {
        step_row<driven>(row, n, at, Varying{&coriolis_at[0].row(j)[i], at.time_step},
                         Varying{&over_distance[0].row(j)[i], at.gravity});
    }
}

}  // namespace

void Momentum::operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                          View<const double> face_depth, const Views& coriolis_at, const Views& over_distance) const {
    const Index i = box.lo[0], n = box.size(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        step_row<Driven::by_nothing>(row_of(axis, i, j, along, across, sea_level, face_depth), i, j, n, *this,
                                     coriolis_at, over_distance);
}

void Momentum::operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                          View<const double> face_depth, View<const double> air, const Views& coriolis_at,
                          const Views& over_distance) const {
    const Index i = box.lo[0], n = box.size(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        Rows row = row_of(axis, i, j, along, across, sea_level, face_depth);
        row.slow = &air.row(j)[i];
        step_row<Driven::by_air>(row, i, j, n, *this, coriolis_at, over_distance);
    }
}

void Momentum::operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                          View<const double> face_depth, View<const double> slow, View<const double> change,
                          const Views& coriolis_at, const Views& over_distance) const {
    const Index i = box.lo[0], n = box.size(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        Rows row = row_of(axis, i, j, along, across, sea_level, face_depth);
        row.slow = &slow.row(j)[i];
        row.change = &change.row(j)[i];
        step_row<Driven::by_layers>(row, i, j, n, *this, coriolis_at, over_distance);
    }
}

}  // namespace lapwing_coast
