#pragma once
// Conservation of volume: the sea level rises where more flows in than out.

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Steps the sea level by one time step in the cells of a box:
//
//   level <- level - dt (dU/dx + dV/dy)
//
// or, where metrics vary, of flow U' = width U and V' = width V through the faces of a cell:
//
//   level <- level - dt (U' - U'_behind + V' - V'_behind) / area
//
// Land needs no mask: all its faces are closed, so that it keeps its 0. Reads the transports (m2/s) and the widths of
// faces (m) one cell behind along their axes. Local.
struct Continuity {
    double over_dx = 0, over_dy = 0;  // time step over the spacings, s/m
    double time_step = 0;             // s, where metrics vary

    void operator()(Box box, View<double> sea_level, View<const double> transport_x, View<const double> transport_y,
                    const Views& width_x = {}, const Views& width_y = {}, const Views& over_area = {}) const;
};

}  // namespace lapwing_coast
