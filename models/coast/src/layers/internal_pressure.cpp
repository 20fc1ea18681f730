#include "lapwing_coast/layers/internal_pressure.hpp"

#include <algorithm>
#include <array>

#include "lapwing_coast/layers/column_chunk.hpp"

namespace lapwing_coast {

namespace {

using Row = std::array<double, chunk_columns>;

// The values that are constant over the height of each column of faces.
struct Faces {
    Row thickness;      // of a layer in the mean, m; 0: closed
    Row bottom, layer;  // difference between both sides in depth and in the mean thickness of a layer, m
};

Faces faces_of(Axis axis, double share, const View<const double>& sea_level, const View<const double>& depth,
               const View<const double>& face_depth, Index i, Index j, Index columns) {
    Faces faces;
    const auto [di, dj] = ahead_along[axis];
    const double *level = sea_level.row(j) + i, *level_ahead = sea_level.row(j + dj) + i + di;
    const double *deep = depth.row(j) + i, *deep_ahead = depth.row(j + dj) + i + di;
    const double* face = face_depth.row(j) + i;
#pragma omp simd
    for (Index n = 0; n < columns; ++n) {
        const double water = face[n] + 0.5 * (level[n] + level_ahead[n]);  // m
        faces.thickness[n] = face[n] > 0.0 ? share * water : 0.0;
        faces.bottom[n] = deep_ahead[n] - deep[n];
        faces.layer[n] = share * ((deep_ahead[n] + level_ahead[n]) - (deep[n] + level[n]));
    }
    return faces;
}

// Works from the surface downwards; `gradient` is P of the layer above, then of this one.
template <class Factor>
void pressure_row(const InternalPressure& at, const Faces& faces, const Layers<double>& tendency,
                  const Layers<const double>& b, const Layers<const double>& b_ahead, const Factor over,
                  Index columns) {
    const double drive = at.drive;
    Row gradient;
    const Index top = at.levels - 1;
    const double uppermost = at.shape.relative(top);
    double shares_below = 0.0;  // in layers of mean thickness
    for (Index n = 0; n < columns; ++n) {
        gradient[n] = 0.5 * (uppermost * faces.thickness[n]) * (b_ahead(top)[n] - b(top)[n]) * over[n];
        tendency(top)[n] = uppermost * faces.thickness[n] * (drive + gradient[n]);
    }
    for (Index k = 0; k < top; ++k) shares_below += at.shape.relative(k);
    for (Index k = top - 1; k >= 0; --k) {
        const double *low = b(k), *low_ahead = b_ahead(k), *high = b(k + 1), *high_ahead = b_ahead(k + 1);
        double* __restrict out = tendency(k);
        const double layers_below = shares_below, thick = at.shape.relative(k), thick_above = at.shape.relative(k + 1);
        const Index far = k - layers_ahead;
        fetch_layer(columns, b(far), b_ahead(far), tendency(far));
#pragma omp simd
        for (Index n = 0; n < columns; ++n) {
            const double across =
                0.5 * (thick_above * (low_ahead[n] - low[n]) + thick * (high_ahead[n] - high[n]));  // m/s2
            const double upwards = 0.5 * ((high[n] + high_ahead[n]) - (low[n] + low_ahead[n]));     // m/s2
            const double rise = layers_below * faces.layer[n] - faces.bottom[n];  // of the interface, m
            gradient[n] += (faces.thickness[n] * across - rise * upwards) * over[n];
            out[n] = thick * faces.thickness[n] * (drive + gradient[n]);
        }
        shares_below -= thick;
    }
}

}  // namespace

void InternalPressure::operator()(Box box, View<double> tendency, View<const double> buoyancy,
                                  View<const double> sea_level, View<const double> depth, View<const double> face_depth,
                                  const Views& over_distance) const {
    const auto [di, dj] = ahead_along[axis];
    const double share = 1.0 / static_cast<double>(levels);
    for_chunks(box, [&, di = di, dj = dj](const Chunk& chunk) {
        const Index i = chunk.i;
        for (Index j = chunk.j; j < chunk.j + chunk.rows; ++j) {
            const auto row = [&](const auto over) {
                pressure_row(*this, faces_of(axis, share, sea_level, depth, face_depth, i, j, chunk.columns),
                             layers_at(tendency, i, j), layers_at(buoyancy, i, j), layers_at(buoyancy, i + di, j + dj),
                             over, chunk.columns);
            };
            if (over_distance.empty()) {
                row(Same{over_spacing});
            } else {
                row(Varying{over_distance[0].row(j) + i});
            }
        }
    });
}

}  // namespace lapwing_coast
