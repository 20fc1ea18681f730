#pragma once
// The water that leaves cells through their faces in a time step, over their areas.

#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// The outflow of the cells of a row, m.
template <class Factor, class Width>
struct OutflowRow {
    Factor per_x, per_y;                   // time step over the area of a cell, s/m2; for widths of 1: over its length
    Width width_x, width_y, width_behind;  // of its faces
    const double *x, *y, *y_behind;        // transports, m2/s

    double operator[](Index i) const {
        const double along_x = width_x[i] * x[i] - width_x[i - 1] * x[i - 1];
        const double along_y = width_y[i] * y[i] - width_behind[i] * y_behind[i];
        return per_x[i] * along_x + per_y[i] * along_y;
    }
};

// The transports and what they are multiplied by; views of metrics as the kernels get them.
struct CellFlow {
    double over_dx, over_dy, time_step;
    const View<const double>&x, &y;
    const Views &width_x, &width_y, &over_area;
};

// Calls use(j, outflow) for the rows of a box. Local.
template <class Use>
void for_outflow_rows(const Box& box, const CellFlow& flow, const Use& use) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const double *x = flow.x.row(j), *y = flow.y.row(j), *y_behind = flow.y.row(j - 1);
        if (flow.over_area.empty()) {
            use(j, OutflowRow<Same, Unit>{{flow.over_dx}, {flow.over_dy}, {}, {}, {}, x, y, y_behind});
            continue;
        }
        const View<const double>&width_x = flow.width_x[0], &width_y = flow.width_y[0];
        const Varying per{flow.over_area[0].row(j), flow.time_step};
        const Varying across_x{width_x.row(j)}, across_y{width_y.row(j)}, across_behind{width_y.row(j - 1)};
        use(j, OutflowRow<Varying, Varying>{per, per, across_x, across_y, across_behind, x, y, y_behind});
    }
}

}  // namespace lapwing_coast
