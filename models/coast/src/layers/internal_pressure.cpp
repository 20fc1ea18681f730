#include "lapwing_coast/layers/internal_pressure.hpp"

#include <algorithm>
#include <array>

#include "lapwing_coast/layers/column_chunk.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index;

using Row = std::array<double, chunk_columns>;

// What stays the same over the height of each column of faces.
struct Faces {
    Row thickness;      // of a layer, m; 0: closed
    Row bottom, layer;  // difference between both sides in depth and in the thickness of a layer, m
};

Faces faces_of(const PressureContext& at, Index i, Index j, Index columns) {
    Faces faces;
    const int di = at.ahead_x, dj = at.ahead_y;
    const double *level = at.sea_level.row(j) + i, *level_ahead = at.sea_level.row(j + dj) + i + di;
    const double *depth = at.depth.row(j) + i, *depth_ahead = at.depth.row(j + dj) + i + di;
    const double* face_depth = at.face_depth.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels);
#pragma omp simd
    for (Index n = 0; n < columns; ++n) {
        const double water = face_depth[n] + 0.5 * (level[n] + level_ahead[n]);  // m
        faces.thickness[n] = face_depth[n] > 0.0 ? share * water : 0.0;
        faces.bottom[n] = depth_ahead[n] - depth[n];
        faces.layer[n] = share * ((depth_ahead[n] + level_ahead[n]) - (depth[n] + level[n]));
    }
    return faces;
}

// From the surface downwards; `gradient` is P of the layer above, then of this one.
void pressure_row(const PressureContext& at, Index i, Index j, Index columns) {
    const Faces faces = faces_of(at, i, j, columns);
    const auto b = layers_at(at.buoyancy, i, j), b_ahead = layers_at(at.buoyancy, i + at.ahead_x, j + at.ahead_y);
    const auto tendency = layers_at<double>(at.tendency, i, j);
    const double over = at.over_spacing, drive = at.drive;
    Row gradient;
    const Index top = at.levels - 1;
    for (Index n = 0; n < columns; ++n) {
        gradient[n] = 0.5 * faces.thickness[n] * (b_ahead(top)[n] - b(top)[n]) * over;
        tendency(top)[n] = faces.thickness[n] * (drive + gradient[n]);
    }
    for (Index k = top - 1; k >= 0; --k) {
        const double *low = b(k), *low_ahead = b_ahead(k), *high = b(k + 1), *high_ahead = b_ahead(k + 1);
        double* __restrict out = tendency(k);
        const double layers_below = static_cast<double>(k + 1);
#pragma omp simd
        for (Index n = 0; n < columns; ++n) {
            const double across = 0.5 * ((low_ahead[n] - low[n]) + (high_ahead[n] - high[n]));   // m/s2
            const double upwards = 0.5 * ((high[n] + high_ahead[n]) - (low[n] + low_ahead[n]));  // m/s2
            const double rise = layers_below * faces.layer[n] - faces.bottom[n];                 // of the interface, m
            gradient[n] += (faces.thickness[n] * across - rise * upwards) * over;
            out[n] = faces.thickness[n] * (drive + gradient[n]);
        }
    }
}

}  // namespace

void internal_pressure(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const PressureContext*>(context);
    for_chunks(box, [&](const Chunk& chunk) {
        for (Index row = 0; row < chunk.rows; ++row) pressure_row(at, chunk.i, chunk.j + row, chunk.columns);
    });
}

}  // namespace lapwing_coast
