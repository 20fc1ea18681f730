#include "lapwing_coast/barotropic/drying.hpp"

#include <algorithm>

#include "barotropic/outflow.hpp"

namespace lapwing_coast {

void TryLevel::operator()(Box box, View<double> tried, View<const double> sea_level, View<const double> transport_x,
                          View<const double> transport_y, const Views& width_x, const Views& width_y,
                          const Views& over_area) const {
    const CellFlow flow{over_dx, over_dy, time_step, transport_x, transport_y, width_x, width_y, over_area};
    for_outflow_rows(box, flow, [&](Index j, const auto& out) {
        const double* level = sea_level.row(j);
        double* __restrict found = tried.row(j);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) found[i] = level[i] - out[i];
    });
}

void Brake::operator()(Box box, View<double> transport_x, View<double> transport_y, View<const double> tried,
                       View<const double> depth, double& braked) const {
    // true if any face of the row was closed
    const auto brake_row = [&](const View<double>& transports, Axis axis, Index j) {
        const auto [di, dj] = ahead_along[axis];
        double* __restrict transport = transports.row(j);
        const double *here = depth.row(j), *level = tried.row(j);
        const double *depth_ahead = depth.row(j + dj) + di, *level_ahead = tried.row(j + dj) + di;
        bool any = false;
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double left = transport[i] > 0.0 ? here[i] + level[i] : depth_ahead[i] + level_ahead[i];  // m
            const bool closed = transport[i] != 0.0 && left < least_depth;
            transport[i] = closed ? 0.0 : transport[i];
            any = any || closed;
        }
        return any;
    };
    bool any = false;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        any = brake_row(transport_x, lapwing::x, j) || any;
        any = brake_row(transport_y, lapwing::y, j) || any;
    }
    if (any) braked = std::max(braked, 1.0);
}

}  // namespace lapwing_coast
