#include "lapwing_coast/barotropic/transport_advection.hpp"

#include <algorithm>

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;

// Adds one layer of a row of cells and corners, all still without the factors that are the same in every layer.
void add_layer(const CarryingSpeedsContext& at, Index j, Index k, Index first, Index last) {
    const int di = at.ahead_x, dj = at.ahead_y;
    const double *here = at.along.row(j, k), *behind = at.along.row(j - dj, k) - di;
    const double *over = at.over_thickness.row(j), *over_behind = at.over_thickness.row(j - dj) - di;
    const double *across = at.across.row(j, k), *across_ahead = at.across.row(j + dj, k) + di;
    double* __restrict from_behind = at.speeds.from_behind.row(j), * __restrict from_here = at.speeds.from_here.row(j);
    double* __restrict to_next = at.speeds.to_next.row(j), * __restrict from_next = at.speeds.from_next.row(j);
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        const double q = 0.5 * (behind[i] + here[i]), side = 0.5 * (across[i] + across_ahead[i]);  // m2/s
        const double from_back = behind[i] * over_behind[i], from_front = here[i] * over[i];       // m/s
        const double half = 0.5 * (q >= 0.0 ? from_back : from_front);
        from_behind[i] += (q >= 0.0 ? q : 0.0) * over_behind[i] + half;
        from_here[i] += (q >= 0.0 ? 0.0 : q) * over[i] + half;
        to_next[i] += side >= 0.0 ? side : 0.0;
        from_next[i] += side >= 0.0 ? 0.0 : side;
    }
}

void finish_row(const CarryingSpeedsContext& at, Index j, Index first, Index last) {
    const int di = at.ahead_x, dj = at.ahead_y;
    const double share = 1.0 / static_cast<double>(at.levels);
    const double *over = at.over_thickness.row(j), *over_next = at.over_thickness.row(j + di) + dj;
    double* __restrict from_behind = at.speeds.from_behind.row(j), * __restrict from_here = at.speeds.from_here.row(j);
    double* __restrict to_next = at.speeds.to_next.row(j), * __restrict from_next = at.speeds.from_next.row(j);
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        from_behind[i] *= share;
        from_here[i] *= share;
        to_next[i] *= share * over[i];
        from_next[i] *= share * over_next[i];
    }
}

void change_row(const TransportAdvectionContext& at, Index j, Index first, Index last) {
    const int di = at.ahead_x, dj = at.ahead_y;
    const double* here = at.transport.row(j);
    const double *behind = at.transport.row(j - dj) - di, *ahead = at.transport.row(j + dj) + di;
    const double *left = at.transport.row(j - di) - dj, *right = at.transport.row(j + di) + dj;
    const double *in_behind = at.speeds.from_behind.row(j), *in_here = at.speeds.from_here.row(j);
    const double *out_here = at.speeds.from_behind.row(j + dj) + di, *out_ahead = at.speeds.from_here.row(j + dj) + di;
    const double *left_left = at.speeds.to_next.row(j - di) - dj, *left_here = at.speeds.from_next.row(j - di) - dj;
    const double *right_here = at.speeds.to_next.row(j), *right_right = at.speeds.from_next.row(j);
    const double* depth = at.face_depth.row(j);
    const double over_along = at.over_along, over_across = at.over_across;
    double* __restrict change = at.change.row(j);
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        const double in = in_behind[i] * behind[i] + in_here[i] * here[i];                   // m3/s2
        const double out = out_here[i] * here[i] + out_ahead[i] * ahead[i];                  // m3/s2
        const double from_left = left_left[i] * left[i] + left_here[i] * here[i];            // m3/s2
        const double to_right = right_here[i] * here[i] + right_right[i] * right[i];         // m3/s2
        const double lost = over_along * (out - in) + over_across * (to_right - from_left);  // m2/s2
        change[i] = depth[i] > 0.0 ? -lost : 0.0;
    }
}

}  // namespace

void carrying_speeds(void* context, Box box) {
    const auto& at = *static_cast<const CarryingSpeedsContext*>(context);
    const Index first = box.lo[0], last = box.hi[0];
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (const auto& speed : {at.speeds.from_behind, at.speeds.from_here, at.speeds.to_next, at.speeds.from_next})
            std::fill(speed.row(j) + first, speed.row(j) + last, 0.0);
        for (Index k = 0; k < at.levels; ++k) add_layer(at, j, k, first, last);
        finish_row(at, j, first, last);
    }
}

void transport_advection(void* context, Box box) {
    const auto& at = *static_cast<const TransportAdvectionContext*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) change_row(at, j, box.lo[0], box.hi[0]);
}

}  // namespace lapwing_coast
