#include "lapwing_coast/barotropic/drying.hpp"

#include <algorithm>

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;

// Whether any face of the row was closed.
bool brake_row(const DryingContext& at, std::size_t axis, Index j, Index first, Index last) {
    const auto [di, dj] = ahead_along[axis];
    double* __restrict transport = at.transport[axis].row(j);
    const double *depth = at.depth.row(j), *level = at.tried.row(j);
    const double *depth_ahead = at.depth.row(j + dj) + di, *level_ahead = at.tried.row(j + dj) + di;
    bool any = false;
    for (Index i = first; i < last; ++i) {
        const double left = transport[i] > 0.0 ? depth[i] + level[i] : depth_ahead[i] + level_ahead[i];  // m
        const bool closed = transport[i] != 0.0 && left < at.least_depth;
        transport[i] = closed ? 0.0 : transport[i];
        any = any || closed;
    }
    return any;
}

}  // namespace

void try_level(void* context, Box box) {
    const auto& at = *static_cast<const DryingContext*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double* level = at.sea_level.row(j);
        const double *x = at.transport[0].row(j), *y = at.transport[1].row(j), *y_behind = at.transport[1].row(j - 1);
        double* __restrict tried = at.tried.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            tried[i] = level[i] - (at.over_dx * (x[i] - x[i - 1]) + at.over_dy * (y[i] - y_behind[i]));
    }
}

void brake(void* context, Box box) {
    const auto& at = *static_cast<const DryingContext*>(context);
    bool any = false;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (std::size_t axis = 0; axis < 2; ++axis) any = brake_row(at, axis, j, box.lo[0], box.hi[0]) || any;
    if (any) *at.braked = std::max(*at.braked, 1.0);
}

}  // namespace lapwing_coast
