#include "lapwing_coast/layers/momentum_advection.hpp"

#include <algorithm>

#include "lapwing_coast/row_vectors.hpp"

namespace lapwing_coast {

namespace {

// Rows around a row of faces; element n of each belongs to the n-th face.
struct Rows {
    double* __restrict tendency;
    const double *here, *behind, *ahead, *left, *right;                      // flow along the axis, m2/s
    const double *over, *over_behind, *over_ahead, *over_left, *over_right;  // 1 over the thicknesses there, 1/m
    const double *across, *across_ahead;                                     // flow at the corners on the left, m2/s
    const double *across_right, *across_right_ahead;                         // and on the right
    const double *below, *above;                                             // flow along the axis in those layers
    const double *through_bottom, *through_bottom_ahead;                     // vertical velocity, m/s
    const double *through_top, *through_top_ahead;
};

// The fields that rows are taken from.
struct Fields {
    View<double> tendency;
    View<const double> along, across, vertical_velocity, over_thickness;
};

// "Left" is one face behind across the axis, "right" one ahead.
Rows rows_of(const MomentumAdvection& at, const Fields& fields, Index i, Index j, Index k) {
    const auto [di, dj] = ahead_along[at.axis];
    const Index below = std::max<Index>(k - 1, 0), above = std::min<Index>(k + 1, at.levels - 1);
    const auto flow = [&](Index x, Index y) { return fields.along.row(y, k) + x; };
    const auto over = [&](Index x, Index y) { return fields.over_thickness.row(y) + x; };
    const auto across = [&](Index x, Index y) { return fields.across.row(y, k) + x; };
    const auto through = [&](Index x, Index y, Index layer) { return fields.vertical_velocity.row(y, layer) + x; };
    return {fields.tendency.row(j, k) + i,
            flow(i, j),
            flow(i - di, j - dj),
            flow(i + di, j + dj),
            flow(i - dj, j - di),
            flow(i + dj, j + di),
            over(i, j),
            over(i - di, j - dj),
            over(i + di, j + dj),
            over(i - dj, j - di),
            over(i + dj, j + di),
            across(i - dj, j - di),
            across(i - dj + di, j - di + dj),
            across(i, j),
            across(i + di, j + dj),
            fields.along.row(j, below) + i,
            fields.along.row(j, above) + i,
            through(i, j, below),
            through(i + di, j + dj, below),
            through(i, j, k),
            through(i + di, j + dj, k)};
}

// Both ways it may flow are computed, so that the loop has no branch.
inline double carried(double flow, double from, double to) { return flow * (flow >= 0.0 ? from : to); }

inline double mean(double a, double b) { return 0.5 * (a + b); }

// The flow through the bottom of a layer is computed again, as the layer below found it: that is cheaper than a second
// pass over the tendency. Nothing is advected through the sea's bottom and surface.
template <bool has_below, bool has_above>
void advect_row(const Rows& r, Index n, double over_along, double over_across) {
    double* __restrict tendency = r.tendency;
    for_vectors(n, [&](Index first, auto count) __attribute__((always_inline)) {
        fetch(first, count, tendency, r.above, r.across_right_ahead, r.through_top_ahead);
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double u = r.here[i] * r.over[i];  // m/s
            const double in = carried(mean(r.behind[i], r.here[i]), r.behind[i] * r.over_behind[i], u);
            const double out = carried(mean(r.here[i], r.ahead[i]), u, r.ahead[i] * r.over_ahead[i]);
            const double left = carried(mean(r.across[i], r.across_ahead[i]), r.left[i] * r.over_left[i], u);
            const double right =
                carried(mean(r.across_right[i], r.across_right_ahead[i]), u, r.right[i] * r.over_right[i]);
            const double change = over_along * (out - in) + over_across * (right - left);  // m2/s2
            double value = tendency[i] - (r.over[i] > 0.0 ? change : 0.0);
            if constexpr (has_below)
                value += carried(mean(r.through_bottom[i], r.through_bottom_ahead[i]), r.below[i] * r.over[i], u);
            if constexpr (has_above)
                value -= carried(mean(r.through_top[i], r.through_top_ahead[i]), u, r.above[i] * r.over[i]);
            tendency[i] = value;
        }
    });
}

}  // namespace

void MomentumAdvection::operator()(Box box, View<double> tendency, View<const double> along, View<const double> across,
                                   View<const double> vertical_velocity, View<const double> over_thickness) const {
    const Fields fields{tendency, along, across, vertical_velocity, over_thickness};
    const auto advect = [&](Index k, auto row) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            row(rows_of(*this, fields, box.lo[0], j, k), box.size(0), over_along, over_across);
    };
    const Index top = levels - 1;
    if (top == 0) return advect(0, advect_row<false, false>);
    advect(0, advect_row<false, true>);
    for (Index k = 1; k < top; ++k) advect(k, advect_row<true, true>);
    advect(top, advect_row<true, false>);
}

}  // namespace lapwing_coast
