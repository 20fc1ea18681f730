#include "lapwing_coast/layers/sigma_layers.hpp"

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;

void face_row(const LayersContext& at, std::size_t axis, Index j, Index first, Index last) {
    const auto [di, dj] = ahead_along[axis];
    const double* depth = at.face_depth[axis].row(j);
    const double *level = at.sea_level.row(j), *ahead = at.sea_level.row(j + dj) + di;
    double* __restrict over = at.over_thickness[axis].row(j);
    const double levels = static_cast<double>(at.levels);
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        const double water = depth[i] + 0.5 * (level[i] + ahead[i]);  // m
        const double found = levels / water;
        over[i] = depth[i] > 0.0 ? found : 0.0;
    }
}

}  // namespace

void sigma_layers(void* context, Box box) {
    const auto& at = *static_cast<const LayersContext*>(context);
    const Index first = box.lo[0], last = box.hi[0];
    const double share = 1.0 / static_cast<double>(at.levels);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double *depth = at.depth.row(j), *level = at.sea_level.row(j);
        for (Index k = 0; k < at.levels; ++k) {
            double* __restrict thickness = at.thickness.row(j, k);
#pragma omp simd
            for (Index i = first; i < last; ++i) thickness[i] = depth[i] > 0.0 ? share * (depth[i] + level[i]) : 1.0;
        }
        for (std::size_t axis = 0; axis < 2; ++axis) face_row(at, axis, j, first, last);
    }
}

}  // namespace lapwing_coast
