#include "lapwing_coast/layers/vertical_mixing.hpp"

#include "lapwing_coast/layers/column_solver.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index;

void measure(const MixingContext& at, const Chunk& chunk, double* __restrict thickness) {
    const double share = 1.0 / static_cast<double>(at.levels);
    for (Index row = 0; row < chunk.rows; ++row, thickness += chunk.columns) {
        const double *depth = at.depth.row(chunk.j + row) + chunk.i, *level = at.sea_level.row(chunk.j + row) + chunk.i;
#pragma omp simd
        for (Index i = 0; i < chunk.columns; ++i) thickness[i] = depth[i] > 0.0 ? share * (depth[i] + level[i]) : 0.0;
    }
}

void mix_chunk(const MixingContext& at, const Chunk& chunk) {
    double *thickness = at.work, *surface_flux = thickness + chunk_columns;
    measure(at, chunk, thickness);
    at.surface_flux.fill(chunk, surface_flux);
    DiffusionColumns mixing{.columns = chunk.columns, .rows = chunk.rows, .levels = at.levels};
    mixing.value = layers_at<double>(at.tracer, chunk.i, chunk.j);
    mixing.diffusivity = mixing.diffusivity_ahead = layers_at(at.diffusivity, chunk.i, chunk.j);
    mixing.thickness = thickness;
    mixing.surface_flux = surface_flux;
    mixing.time_step = at.time_step;
    diffuse_columns(mixing, surface_flux + chunk_columns);
}

}  // namespace

Index mixing_work(Index levels) { return 2 * chunk_columns + diffusion_work(levels); }

void mix_tracer(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const MixingContext*>(context);
    for_chunks(box, [&](const Chunk& chunk) { mix_chunk(at, chunk); });
}

}  // namespace lapwing_coast
