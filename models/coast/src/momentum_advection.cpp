#include "lapwing_coast/momentum_advection.hpp"

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
};

// "Left" is one face behind across the axis, "right" one ahead.
Rows rows_of(const MomentumAdvectionContext& at, Index i, Index j, Index k) {
    const int di = at.ahead_x, dj = at.ahead_y;
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
            across(i + di, j + dj)};
}

inline double carried(double flow, double from, double to) { return flow * (flow >= 0.0 ? from : to); }

void horizontal_row(const Rows& r, Index n, double over_along, double over_across) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const double u = r.here[i] * r.over[i];  // m/s
        const double in = carried(0.5 * (r.behind[i] + r.here[i]), r.behind[i] * r.over_behind[i], u);
        const double out = carried(0.5 * (r.here[i] + r.ahead[i]), u, r.ahead[i] * r.over_ahead[i]);
        const double left = carried(0.5 * (r.across[i] + r.across_ahead[i]), r.left[i] * r.over_left[i], u);
        const double right =
            carried(0.5 * (r.across_right[i] + r.across_right_ahead[i]), u, r.right[i] * r.over_right[i]);
        const double change = over_along * (out - in) + over_across * (right - left);  // m2/s2
        r.tendency[i] -= r.over[i] > 0.0 ? change : 0.0;
    }
}

// Through the top of layer k: out of its tendency, into that of the layer above.
void vertical_row(const MomentumAdvectionContext& at, Index i, Index j, Index k, Index n) {
    const double *w = at.upwards.row(j, k) + i, *w_ahead = at.upwards.row(j + at.ahead_y, k) + i + at.ahead_x;
    const double *low = at.along.row(j, k) + i, *high = at.along.row(j, k + 1) + i,
                 *over = at.over_thickness.row(j) + i;
    double* __restrict below = at.tendency.row(j, k) + i, * __restrict above = at.tendency.row(j, k + 1) + i;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double through = carried(0.5 * (w[m] + w_ahead[m]), low[m] * over[m], high[m] * over[m]);  // m2/s2
        below[m] -= through;
        above[m] += through;
    }
}

}  // namespace

void momentum_advection(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const MomentumAdvectionContext*>(context);
    const Index n = box.size(0);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = 0; k < at.levels; ++k) {
            horizontal_row(rows_of(at, box.lo[0], j, k), n, at.over_along, at.over_across);
            if (k > 0) vertical_row(at, box.lo[0], j, k - 1, n);
        }
}

}  // namespace lapwing_coast
