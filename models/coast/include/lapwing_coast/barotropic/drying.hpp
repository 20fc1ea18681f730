#pragma once
// Drying: no cell gives away water that it does not have. GETM's "emergency brake".

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Sets `tried` (m) to what `Continuity` would make of the sea level (m) in the cells of a box, and reads what that
// reads. Local.
struct TryLevel {
    double over_dx = 0, over_dy = 0;  // time step over the spacings, s/m
    double time_step = 0;             // s, where metrics vary

    void operator()(Box box, View<double> tried, View<const double> sea_level, View<const double> transport_x,
                    View<const double> transport_y, const Views& width_x = {}, const Views& width_y = {},
                    const Views& over_area = {}) const;
};

// Stops the transport (m2/s) through faces of a box that leads out of a cell which would be left with less than
// `least_depth`, and sets `braked` to 1 when it closes a face. Water that this keeps in one cell is missing in the
// next, so that both kernels are run until no face is closed. Reads `tried` (m) and the undisturbed depth (m; 0: land)
// one cell ahead along both axes. Local.
struct Brake {
    double least_depth = 0;  // water that stays in a cell, m

    void operator()(Box box, View<double> transport_x, View<double> transport_y, View<const double> tried,
                    View<const double> depth, double& braked) const;
};

}  // namespace lapwing_coast
