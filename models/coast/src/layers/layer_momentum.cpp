#include "lapwing_coast/layers/layer_momentum.hpp"

#include <array>

#include "lapwing_coast/layers/column_solver.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index;

// What stays the same over the height of each column of faces of a chunk, row after row.
struct Faces {
    using Values = std::array<double, chunk_columns>;
    Values thickness;  // of a layer, m; 0: closed
    Values open;       // 1, closed 0
    Values pressed;    // what the slope of the surface gives each layer in the time step, m2/s
    Values drag;       // of the bottom, m/s
    Values stress;     // of the wind on the uppermost layer, times its thickness, m3/s2
};

void measure_row(const LayerMomentumContext& at, const Chunk& chunk, Index row, Faces& faces) {
    const Index i = chunk.i, j = chunk.j + row, first = row * chunk.columns;
    const double *level = at.sea_level.row(j) + i, *ahead = at.sea_level.row(j + at.ahead_y) + i + at.ahead_x;
    const double *depth = at.face_depth.row(j) + i, *drag = at.drag.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels);
#pragma omp simd
    for (Index n = 0; n < chunk.columns; ++n) {
        const double water = share * (depth[n] + 0.5 * (level[n] + ahead[n]));  // m
        const double thickness = depth[n] > 0.0 ? water : 0.0;
        faces.thickness[first + n] = thickness;
        faces.open[first + n] = depth[n] > 0.0 ? 1.0 : 0.0;
        faces.pressed[first + n] = at.gravity * thickness * (ahead[n] - level[n]);
        faces.drag[first + n] = drag[n];
        faces.stress[first + n] = at.surface_stress * thickness;
    }
}

// Layer k of row j of the flow, driven; `first` is where the row begins among the faces.
void force_row(const LayerMomentumContext& at, const Faces& faces, const Chunk& chunk, Index row, Index k) {
    const int di = at.ahead_x, dj = at.ahead_y;
    const Index i = chunk.i, j = chunk.j + row;
    const double *open = &faces.open[row * chunk.columns], *pressed = &faces.pressed[row * chunk.columns];
    double* __restrict along = at.along.row(j, k) + i;
    const double* tendency = at.tendency.row(j, k) + i;
    const double *across = at.across.row(j, k) + i, *across_ahead = at.across.row(j + dj, k) + i + di;
    const double *behind = at.across.row(j - di, k) + i - dj,
                 *behind_ahead = at.across.row(j + dj - di, k) + i + di - dj;
#pragma omp simd
    for (Index n = 0; n < chunk.columns; ++n) {
        const double other = 0.25 * ((across[n] + across_ahead[n]) + (behind[n] + behind_ahead[n]));  // m2/s
        along[n] = open[n] * (along[n] + (at.coriolis * other - pressed[n] + at.time_step * tendency[n]));
    }
}

// Shifts all layers of row j alike, until their sum is that of the depth-integrated mode.
void match_mean(const LayerMomentumContext& at, const Faces& faces, const Chunk& chunk, Index row) {
    const Index i = chunk.i, j = chunk.j + row;
    Faces::Values missing;
    missing.fill(0.0);
    for (Index k = 0; k < at.levels; ++k) {
        const double* along = at.along.row(j, k) + i;
#pragma omp simd
        for (Index n = 0; n < chunk.columns; ++n) missing[n] += along[n];
    }
    const double *mean = at.mean.row(j) + i, *open = &faces.open[row * chunk.columns];
    const double share = 1.0 / static_cast<double>(at.levels);
    for (Index n = 0; n < chunk.columns; ++n) missing[n] = open[n] * (share * (mean[n] - missing[n]));
    for (Index k = 0; k < at.levels; ++k) {
        double* __restrict along = at.along.row(j, k) + i;
#pragma omp simd
        for (Index n = 0; n < chunk.columns; ++n) along[n] += missing[n];
    }
}

void step_chunk(const LayerMomentumContext& at, const Chunk& chunk) {
    Faces faces;
    for (Index row = 0; row < chunk.rows; ++row) measure_row(at, chunk, row, faces);
    for (Index k = 0; k < at.levels; ++k)
        for (Index row = 0; row < chunk.rows; ++row) force_row(at, faces, chunk, row, k);
    DiffusionColumns mixing{.columns = chunk.columns, .rows = chunk.rows, .levels = at.levels};
    mixing.value = layers_at<double>(at.along, chunk.i, chunk.j);
    mixing.diffusivity = layers_at(at.viscosity, chunk.i, chunk.j);
    mixing.diffusivity_ahead = layers_at(at.viscosity, chunk.i + at.ahead_x, chunk.j + at.ahead_y);
    mixing.thickness = faces.thickness.data();
    mixing.bottom_drag = faces.drag.data();
    mixing.surface_flux = faces.stress.data();
    mixing.time_step = at.time_step;
    diffuse_columns(mixing, at.work);
    for (Index row = 0; row < chunk.rows; ++row) match_mean(at, faces, chunk, row);
}

}  // namespace

Index layer_momentum_work(Index levels) { return diffusion_work(levels); }

void layer_momentum(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const LayerMomentumContext*>(context);
    for_chunks(box, [&](const Chunk& chunk) { step_chunk(at, chunk); });
}

}  // namespace lapwing_coast
