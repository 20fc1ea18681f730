#pragma once
// The flow through the faces of a row: as it is, or times the widths of the faces where metrics vary. Kernels read both
// alike.

#include "lapwing_coast/metrics.hpp"
#include "tracer/tracer_rows.hpp"

namespace lapwing_coast {

// The flow of face c times its width.
struct WideFlow {
    const double *flow, *width;
    double operator[](Index c) const { return flow[c] * width[c]; }
};

// The memory of a flow, for prefetches.
inline const double* place_of(const double* flow) { return flow; }
inline const double* place_of(const WideFlow& flow) { return flow.flow; }

// Planes of rows of it; what Rows<const double> is to a plain flow.
struct WideFlowRows {
    Rows<const double> flow, width;
    WideFlow operator()(Index plane, Index row) const { return {flow(plane, row), width(plane, row)}; }
};

// The rows that begin at `cell`, along x; the width is the same in all layers.
inline WideFlowRows wide_rows_at(const Layers& layers, const View<const double>& flow, const View<const double>& width,
                                 const lapwing::Index3& cell) {
    auto widths = rows_at(layers, width, {cell[0], cell[1], 0});
    widths.plane_step = 0;
    return {rows_at(layers, flow, cell), widths};
}

}  // namespace lapwing_coast
