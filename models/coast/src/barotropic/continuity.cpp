#include "lapwing_coast/barotropic/continuity.hpp"

#include "barotropic/outflow.hpp"

namespace lapwing_coast {

void Continuity::operator()(Box box, View<double> sea_level, View<const double> transport_x,
                            View<const double> transport_y, const Views& width_x, const Views& width_y,
                            const Views& over_area) const {
    const CellFlow flow{over_dx, over_dy, time_step, transport_x, transport_y, width_x, width_y, over_area};
    for_outflow_rows(box, flow, [&](Index j, const auto& out) {
        double* __restrict level = sea_level.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) level[i] -= out[i];
    });
}

}  // namespace lapwing_coast
