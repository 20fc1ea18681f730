#include "lapwing_coast/layers/momentum_advection.hpp"

#include <algorithm>

namespace lapwing_coast {

namespace {

using lapwing::Index;

// Rows around a row of faces; element n of each belongs to the n-th face.
struct Rows {
    double* __restrict tendency;
    const double *here, *behind, *ahead, *left, *right;                      // flow along the axis, m2/s
    const double *over, *over_behind, *over_ahead, *over_left, *over_right;  // 1 over the thicknesses there, 1/m
    const double *across, *across_ahead;                                     // flow at the corners on the left, m2/s
    const double *across_right, *across_right_ahead;                         // and on the right
    const double *below, *above;                                             // flow along the axis in those layers
    const double *through_bottom, *through_bottom_ahead;                     // upwards flow, m/s
    const double *through_top, *through_top_ahead;
};

// "Left" is one face behind across the axis, "right" one ahead.
Rows rows_of(const MomentumAdvectionContext& at, Index i, Index j, Index k) {
    const int di = at.ahead_x, dj = at.ahead_y;
    const Index below = std::max<Index>(k - 1, 0), above = std::min<Index>(k + 1, at.levels - 1);
    const auto flow = [&](Index x, Index y) { return at.along.row(y, k) + x; };
    const auto over = [&](Index x, Index y) { return at.over_thickness.row(y) + x; };
    const auto across = [&](Index x, Index y) { return at.across.row(y, k) + x; };
    return {at.tendency.row(j, k) + i,
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
            at.along.row(j, below) + i,
            at.along.row(j, above) + i,
            at.upwards.row(j, below) + i,
            at.upwards.row(j + dj, below) + i + di,
            at.upwards.row(j, k) + i,
            at.upwards.row(j + dj, k) + i + di};
}

// Both ways it may flow are computed, so that the loop has no branch.
inline double carried(double flow, double from, double to) { return flow * (flow >= 0.0 ? from : to); }

// What the bottom of a layer lets through is found again, as the layer below found it: that is cheaper than a second
// pass over the tendency. Nothing is advected through the sea's bottom and surface.
template <bool has_below, bool has_above>
void advect_row(const Rows& r, Index n, double over_along, double over_across) {
    double* __restrict tendency = r.tendency;
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const double u = r.here[i] * r.over[i];  // m/s
        const double in = carried(0.5 * (r.behind[i] + r.here[i]), r.behind[i] * r.over_behind[i], u);
        const double out = carried(0.5 * (r.here[i] + r.ahead[i]), u, r.ahead[i] * r.over_ahead[i]);
        const double left = carried(0.5 * (r.across[i] + r.across_ahead[i]), r.left[i] * r.over_left[i], u);
        const double right =
            carried(0.5 * (r.across_right[i] + r.across_right_ahead[i]), u, r.right[i] * r.over_right[i]);
        const double change = over_along * (out - in) + over_across * (right - left);  // m2/s2
        double value = tendency[i] - (r.over[i] > 0.0 ? change : 0.0);
        if constexpr (has_below)
            value += carried(0.5 * (r.through_bottom[i] + r.through_bottom_ahead[i]), r.below[i] * r.over[i], u);
        if constexpr (has_above)
            value -= carried(0.5 * (r.through_top[i] + r.through_top_ahead[i]), u, r.above[i] * r.over[i]);
        tendency[i] = value;
    }
}

}  // namespace

void momentum_advection(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const MomentumAdvectionContext*>(context);
    const auto advect = [&](Index k, auto row) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            row(rows_of(at, box.lo[0], j, k), box.size(0), at.over_along, at.over_across);
    };
    const Index top = at.levels - 1;
    if (top == 0) return advect(0, advect_row<false, false>);
    advect(0, advect_row<false, true>);
    for (Index k = 1; k < top; ++k) advect(k, advect_row<true, true>);
    advect(top, advect_row<true, false>);
}

}  // namespace lapwing_coast
