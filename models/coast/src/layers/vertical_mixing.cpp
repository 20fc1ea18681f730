#include "lapwing_coast/layers/vertical_mixing.hpp"

#include "lapwing_coast/layers/column_solver.hpp"

namespace lapwing_coast {

Index mixing_work(Index levels) { return 2 * chunk_columns + diffusion_work(levels); }

void MixTracer::operator()(Box box, View<double> tracer, View<const double> diffusivity, View<const double> depth,
                           View<const double> sea_level) const {
    const double share = 1.0 / static_cast<double>(levels);
    const auto measure = [&](const Chunk& chunk, double* __restrict thickness) {
        for (Index row = 0; row < chunk.rows; ++row, thickness += chunk.columns) {
            const double *deep = depth.row(chunk.j + row) + chunk.i, *level = sea_level.row(chunk.j + row) + chunk.i;
#pragma omp simd
            for (Index i = 0; i < chunk.columns; ++i) thickness[i] = deep[i] > 0.0 ? share * (deep[i] + level[i]) : 0.0;
        }
    };
    for_chunks(box, [&](const Chunk& chunk) {
        double *thickness = work, *flux = thickness + chunk_columns;
        measure(chunk, thickness);
        surface_flux.fill(chunk, flux);
        const Layers<const double> mixing = layers_at(diffusivity, chunk.i, chunk.j);
        diffuse_columns({.columns = chunk.columns,
                         .rows = chunk.rows,
                         .levels = levels,
                         .value = layers_at(tracer, chunk.i, chunk.j),
                         .diffusivity = mixing,
                         .diffusivity_ahead = mixing,
                         .thickness = thickness,
                         .surface_flux = flux,
                         .time_step = time_step,
                         .shape = shape},
                        flux + chunk_columns);
    });
}

}  // namespace lapwing_coast
