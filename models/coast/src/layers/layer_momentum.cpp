#include "lapwing_coast/layers/layer_momentum.hpp"

#include <array>

#include "lapwing_coast/layers/column_solver.hpp"

namespace lapwing_coast {

namespace {

// The values that are constant over the height of each column of faces of a chunk, row after row.
struct Faces {
    using Values = std::array<double, chunk_columns>;
    Values thickness;  // of a layer in the mean, m; 0: closed
    Values open;       // 1, closed 0
    Values gradient;   // what the pressure gradient of the surface gives such a layer in the time step, m2/s
    Values drag;       // of the bottom, m/s
    Values stress;     // of the wind on the uppermost layer, times the mean thickness, m3/s2
};

// The arrays of the kernel, on its box.
struct Fields {
    View<double> along;
    View<const double> across, tendency, viscosity, face_depth, sea_level, mean, drag;
    const Views &air_stress, &air_drive;
};

// The factors of a row of faces: time step times f (1), and time step times g over the distance of cells (m/s).
struct SameFactors {
    const LayerMomentum& at;
    [[nodiscard]] Same coriolis(const Chunk&, Index) const { return {at.coriolis}; }
    [[nodiscard]] Same gravity(const Chunk&, Index) const { return {at.gravity}; }
};
struct VaryingFactors {
    const LayerMomentum& at;
    const View<const double>&coriolis_at, &over_distance;
    [[nodiscard]] Varying coriolis(const Chunk& chunk, Index row) const {
        return {coriolis_at.row(chunk.j + row) + chunk.i, at.time_step};
    }
    [[nodiscard]] Varying gravity(const Chunk& chunk, Index row) const {
        return {over_distance.row(chunk.j + row) + chunk.i, at.gravity};
    }
};

template <class Factor>
void measure_row(const LayerMomentum& at, const Fields& fields, const Chunk& chunk, Index row, const Factor gravity,
                 Faces& faces) {
    const auto [di, dj] = ahead_along[at.axis];
    const Index i = chunk.i, j = chunk.j + row, first = row * chunk.columns;
    const double *level = fields.sea_level.row(j) + i, *ahead = fields.sea_level.row(j + dj) + i + di;
    const double *depth = fields.face_depth.row(j) + i, *drag = fields.drag.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels), stress = *at.surface_stress;
#pragma omp simd
    for (Index n = 0; n < chunk.columns; ++n) {
        const double water = share * (depth[n] + 0.5 * (level[n] + ahead[n]));  // m
        const double thickness = depth[n] > 0.0 ? water : 0.0;
        faces.thickness[first + n] = thickness;
        faces.open[first + n] = depth[n] > 0.0 ? 1.0 : 0.0;
        faces.gradient[first + n] = gravity[n] * thickness * (ahead[n] - level[n]);
        faces.drag[first + n] = drag[n];
        faces.stress[first + n] = stress * thickness;
    }
}

// Adds the stress of the air on the uppermost layer, and its drive of all layers, to a row of faces.
void add_air(const LayerMomentum& at, const Fields& fields, const Chunk& chunk, Index row, Faces& faces) {
    const Index i = chunk.i, j = chunk.j + row, first = row * chunk.columns;
    const double *stress = fields.air_stress[0].row(j) + i, *drive = fields.air_drive[0].row(j) + i;
    for (Index n = 0; n < chunk.columns; ++n) {
        faces.stress[first + n] += stress[n] * faces.thickness[first + n];
        faces.gradient[first + n] -= at.time_step * drive[n] * faces.thickness[first + n];
    }
}

// Layer k of row j of the flow, driven, as velocity times the mean thickness.
template <class Factor>
void force_row(const LayerMomentum& at, const Fields& fields, const Faces& faces, const Factor coriolis,
               const Chunk& chunk, Index row, Index k) {
    const auto [di, dj] = ahead_along[at.axis];
    const Index i = chunk.i, j = chunk.j + row;
    const double *open = &faces.open[row * chunk.columns], *gradient = &faces.gradient[row * chunk.columns];
    double* __restrict along = fields.along.row(j, k) + i;
    const double* tendency = fields.tendency.row(j, k) + i;
    const Index far = k + layers_ahead;
    const double thick = at.shape.relative(k), over_thick = at.shape.over(k);
    fetch_layer(chunk.columns, fields.along.row(j, far) + i, fields.tendency.row(j, far) + i,
                fields.across.row(j + dj, far) + i);
    const double *across = fields.across.row(j, k) + i, *across_ahead = fields.across.row(j + dj, k) + i + di;
    const double *behind = fields.across.row(j - di, k) + i - dj,
                 *behind_ahead = fields.across.row(j + dj - di, k) + i + di - dj;
#pragma omp simd
    for (Index n = 0; n < chunk.columns; ++n) {
        const double other = 0.25 * ((across[n] + across_ahead[n]) + (behind[n] + behind_ahead[n]));   // m2/s
        const double driven = coriolis[n] * other - thick * gradient[n] + at.time_step * tendency[n];  // m2/s
        along[n] = open[n] * (over_thick * (along[n] + driven));
    }
}

// Makes flows of velocities times the mean thickness of row j, and changes the velocity of all layers equally, so that
// the sum of flows is the transport of the depth-integrated mode.
void match_mean(const LayerMomentum& at, const Fields& fields, const Faces& faces, const Chunk& chunk, Index row) {
    const Index i = chunk.i, j = chunk.j + row, levels = at.levels;
    Faces::Values missing;
    missing.fill(0.0);
    for (Index k = 0; k < levels; ++k) {
        const double *along = fields.along.row(j, k) + i, thick = at.shape.relative(k);
#pragma omp simd
        for (Index n = 0; n < chunk.columns; ++n) missing[n] += thick * along[n];
    }
    const double *mean = fields.mean.row(j) + i, *open = &faces.open[row * chunk.columns];
    const double share = 1.0 / static_cast<double>(levels);
    for (Index n = 0; n < chunk.columns; ++n) missing[n] = open[n] * (share * (mean[n] - missing[n]));
    for (Index k = 0; k < levels; ++k) {
        const double thick = at.shape.relative(k);
        double* __restrict along = fields.along.row(j, k) + i;
#pragma omp simd
        for (Index n = 0; n < chunk.columns; ++n) along[n] = thick * (along[n] + missing[n]);
    }
}

template <class Factors>
void step_chunk(const LayerMomentum& at, const Fields& fields, const Factors& factors, const Chunk& chunk) {
    const auto [di, dj] = ahead_along[at.axis];
    Faces faces;
    for (Index row = 0; row < chunk.rows; ++row)
        measure_row(at, fields, chunk, row, factors.gravity(chunk, row), faces);
    for (Index row = 0; row < chunk.rows && !fields.air_stress.empty(); ++row) add_air(at, fields, chunk, row, faces);
    for (Index k = 0; k < at.levels; ++k)
        for (Index row = 0; row < chunk.rows; ++row)
            force_row(at, fields, faces, factors.coriolis(chunk, row), chunk, row, k);
    diffuse_columns({.columns = chunk.columns,
                     .rows = chunk.rows,
                     .levels = at.levels,
                     .value = layers_at(fields.along, chunk.i, chunk.j),
                     .diffusivity = layers_at(fields.viscosity, chunk.i, chunk.j),
                     .diffusivity_ahead = layers_at(fields.viscosity, chunk.i + di, chunk.j + dj),
                     .thickness = faces.thickness.data(),
                     .bottom_drag = faces.drag.data(),
                     .surface_flux = faces.stress.data(),
                     .time_step = at.time_step,
                     .shape = at.shape},
                    at.work);
    for (Index row = 0; row < chunk.rows; ++row) match_mean(at, fields, faces, chunk, row);
}

}  // namespace

Index layer_momentum_work(Index levels) { return diffusion_work(levels); }

void LayerMomentum::operator()(Box box, View<double> along, View<const double> across, View<const double> tendency,
                               View<const double> viscosity, View<const double> face_depth,
                               View<const double> sea_level, View<const double> mean, View<const double> drag,
                               const Views& coriolis_at, const Views& over_distance, const Views& air_stress,
                               const Views& air_drive) const {
    const Fields fields{along, across, tendency, viscosity, face_depth, sea_level, mean, drag, air_stress, air_drive};
    const auto step = [&](const auto& factors) {
        for_chunks(box, [&](const Chunk& chunk) { step_chunk(*this, fields, factors, chunk); });
    };
    if (coriolis_at.empty()) return step(SameFactors{*this});
    step(VaryingFactors{*this, coriolis_at[0], over_distance[0]});
}

}  // namespace lapwing_coast
