#include "lapwing_coast/vertical_mixing.hpp"

#include "lapwing_coast/column_solver.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index;

void mix_chunk(const MixingContext& at, Index i, Index j, Index columns) {
    double *thickness = at.work, *surface_flux = thickness + chunk_columns;
    const double *depth = at.depth.row(j) + i, *sea_level = at.sea_level.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels);
#pragma omp simd
    for (Index n = 0; n < columns; ++n) thickness[n] = depth[n] > 0.0 ? share * (depth[n] + sea_level[n]) : 0.0;
    at.surface_flux.fill(i, j, columns, surface_flux);

    DiffusionColumns mixing{.columns = columns, .levels = at.levels, .value = layers_at<double>(at.tracer, i, j)};
    mixing.diffusivity = mixing.diffusivity_ahead = layers_at(at.diffusivity, i, j);
    mixing.thickness = thickness;
    mixing.surface_flux = surface_flux;
    mixing.time_step = at.time_step;
    diffuse_columns(mixing, surface_flux + chunk_columns);
}

}  // namespace

Index mixing_work(Index levels) { return 2 * chunk_columns + diffusion_work(levels); }

void mix_tracer(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const MixingContext*>(context);
    for_chunks(box, [&](Index i, Index j, Index columns) { mix_chunk(at, i, j, columns); });
}

}  // namespace lapwing_coast
