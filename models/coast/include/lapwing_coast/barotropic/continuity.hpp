#pragma once
// Conservation of volume: the sea level rises where more flows in than out.

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

// Steps the sea level by one time step in the cells of a box:
//
//   level <- level - dt (dU/dx + dV/dy)
//
// Land needs no mask: all its faces are closed, so that it keeps its 0. Reads the transports (m2/s) one cell behind
// along their axes. Local.
struct Continuity {
    double over_dx = 0, over_dy = 0;  // time step over the spacings, s/m

    void operator()(Box box, View<double> sea_level, View<const double> transport_x,
                    View<const double> transport_y) const;
};

}  // namespace lapwing_coast
