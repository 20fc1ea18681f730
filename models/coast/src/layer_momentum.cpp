#include "lapwing_coast/layer_momentum.hpp"

#include <array>

#include "lapwing_coast/column_solver.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index;

using Row = std::array<double, chunk_columns>;

// What stays the same over the height of each column of faces.
struct Faces {
    Row thickness;       // of a layer, m; 0: closed
    Row over_thickness;  // 1/m; 0: closed
    Row pressed;         // what the slope of the surface gives each layer in the time step, m2/s
};

Faces faces_of(const LayerMomentumContext& at, Index i, Index j, Index columns) {
    Faces faces;
    const double *level = at.sea_level.row(j) + i, *ahead = at.sea_level.row(j + at.ahead_y) + i + at.ahead_x;
    const double* depth = at.face_depth.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels);
#pragma omp simd
    for (Index n = 0; n < columns; ++n) {
        const double thickness = share * (depth[n] + 0.5 * (level[n] + ahead[n]));  // m
        const bool open = depth[n] > 0.0;
        faces.thickness[n] = open ? thickness : 0.0;
        faces.over_thickness[n] = open ? 1.0 / thickness : 0.0;
        faces.pressed[n] = at.gravity * thickness * (ahead[n] - level[n]);
    }
    return faces;
}

// Velocities, m/s, in the place of the flow.
void force(const LayerMomentumContext& at, const Faces& faces, Index i, Index j, Index columns) {
    const int di = at.ahead_x, dj = at.ahead_y;
    for (Index k = 0; k < at.levels; ++k) {
        double* __restrict along = at.along.row(j, k) + i;
        const double* tendency = at.tendency.row(j, k) + i;
        const double *across = at.across.row(j, k) + i, *across_ahead = at.across.row(j + dj, k) + i + di;
        const double *behind = at.across.row(j - di, k) + i - dj,
                     *behind_ahead = at.across.row(j + dj - di, k) + i + di - dj;
#pragma omp simd
        for (Index n = 0; n < columns; ++n) {
            const double other = 0.25 * ((across[n] + across_ahead[n]) + (behind[n] + behind_ahead[n]));  // m2/s
            const double forced = along[n] + (at.coriolis * other - faces.pressed[n] + at.time_step * tendency[n]);
            along[n] = faces.over_thickness[n] * forced;
        }
    }
}

// Flow again, whose sum is that of the depth-integrated mode.
void match_mean(const LayerMomentumContext& at, const Faces& faces, Index i, Index j, Index columns) {
    Row missing{};
    const double* mean = at.mean.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels);
    for (Index k = 0; k < at.levels; ++k) {
        double* __restrict along = at.along.row(j, k) + i;
#pragma omp simd
        for (Index n = 0; n < columns; ++n) {
            along[n] *= faces.thickness[n];
            missing[n] += along[n];
        }
    }
    for (Index n = 0; n < columns; ++n) missing[n] = faces.thickness[n] > 0.0 ? share * (mean[n] - missing[n]) : 0.0;
    for (Index k = 0; k < at.levels; ++k) {
        double* __restrict along = at.along.row(j, k) + i;
#pragma omp simd
        for (Index n = 0; n < columns; ++n) along[n] += missing[n];
    }
}

void step_chunk(const LayerMomentumContext& at, Index i, Index j, Index columns) {
    const Faces faces = faces_of(at, i, j, columns);
    force(at, faces, i, j, columns);
    Row stress;
    stress.fill(at.surface_stress);
    DiffusionColumns mixing{.columns = columns, .levels = at.levels, .value = layers_at<double>(at.along, i, j)};
    mixing.diffusivity = layers_at(at.viscosity, i, j);
    mixing.diffusivity_ahead = layers_at(at.viscosity, i + at.ahead_x, j + at.ahead_y);
    mixing.thickness = faces.thickness.data();
    mixing.bottom_drag = at.drag.row(j) + i;
    mixing.surface_flux = stress.data();
    mixing.time_step = at.time_step;
    diffuse_columns(mixing, at.work);
    match_mean(at, faces, i, j, columns);
}

}  // namespace

Index layer_momentum_work(Index levels) { return diffusion_work(levels); }

void layer_momentum(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const LayerMomentumContext*>(context);
    for_chunks(box, [&](Index i, Index j, Index columns) { step_chunk(at, i, j, columns); });
}

}  // namespace lapwing_coast
