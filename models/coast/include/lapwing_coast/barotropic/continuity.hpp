#pragma once
// Conservation of volume: the sea level rises where more flows in than out.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What the continuity kernel needs on one owned box.
struct ContinuityContext {
    lapwing::View<double> sea_level;    // at cell centres, m
    lapwing::View<double> transport_x;  // at x faces, m2/s
    lapwing::View<double> transport_y;  // at y faces, m2/s
    double over_dx = 0;                 // time step over the spacing in x, s/m
    double over_dy = 0;                 // the same in y, s/m
};

// Steps the sea level by one time step in the cells of `box`; the context is a ContinuityContext.
//
//   level <- level - dt (dU/dx + dV/dy)
//
// Land needs no mask: all its faces are closed, so that it keeps its 0. Local.
// Reads transport_x one cell behind in x and transport_y one cell behind in y.
void continuity(void* context, lapwing::Box box);

}  // namespace lapwing_coast
