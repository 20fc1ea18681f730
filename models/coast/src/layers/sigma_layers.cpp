#include "lapwing_coast/layers/sigma_layers.hpp"

namespace lapwing_coast {

namespace {

// Thickness of a layer at the cells of row j, times their area; 1 m on land.
template <class Area>
void layer_row(const View<double>& thickness, const View<const double>& depth, const View<const double>& sea_level,
               double share, const Area area, Index j, Index k, Index first, Index last) {
    const double *deep = depth.row(j), *level = sea_level.row(j);
    double* __restrict thick = thickness.row(j, k);
#pragma omp simd
    for (Index i = first; i < last; ++i) thick[i] = area[i] * (deep[i] > 0.0 ? share * (deep[i] + level[i]) : 1.0);
}

// 1 over the thickness of the layers at the faces of an axis.
void face_row(const View<double>& over_thickness, const View<const double>& face_depth,
              const View<const double>& sea_level, Axis axis, double levels, Index j, Index first, Index last) {
    const auto [di, dj] = ahead_along[axis];
    const double* depth = face_depth.row(j);
    const double *level = sea_level.row(j), *ahead = sea_level.row(j + dj) + di;
    double* __restrict over = over_thickness.row(j);
#pragma omp simd
    for (Index i = first; i < last; ++i) {
        const double water = depth[i] + 0.5 * (level[i] + ahead[i]);  // m
        const double found = levels / water;
        over[i] = depth[i] > 0.0 ? found : 0.0;
    }
}

}  // namespace

void SigmaLayers::operator()(Box box, View<double> thickness, View<double> over_thickness_x,
                             View<double> over_thickness_y, View<const double> sea_level, View<const double> depth,
                             View<const double> face_depth_x, View<const double> face_depth_y,
                             const Views& area) const {
    const Index first = box.lo[0], last = box.hi[0];
    const double count = static_cast<double>(levels), share = 1.0 / count;
    for (Index k = 0; k < levels; ++k)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const double of_depth = share * shape.relative(k);
            if (area.empty()) {
                layer_row(thickness, depth, sea_level, of_depth, Unit{}, j, k, first, last);
            } else {
                layer_row(thickness, depth, sea_level, of_depth, Varying{area[0].row(j)}, j, k, first, last);
            }
        }
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        face_row(over_thickness_x, face_depth_x, sea_level, lapwing::x, count, j, first, last);
        face_row(over_thickness_y, face_depth_y, sea_level, lapwing::y, count, j, first, last);
    }
}

}  // namespace lapwing_coast
