#pragma once
// Drying: no cell gives away water that it does not have. GETM's "emergency brake".

#include <array>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What both kernels need on one owned box.
struct DryingContext {
    lapwing::View<double> sea_level;                 // before the step, at cell centres, m
    lapwing::View<double> tried;                     // what it would become, m
    lapwing::View<double> depth;                     // undisturbed, at cell centres, m; 0: land
    std::array<lapwing::View<double>, 2> transport;  // at x and y faces, m2/s
    double over_dx = 0, over_dy = 0;                 // time step over the spacings, s/m
    double least_depth = 0;                          // water that stays in a cell, m
    double* braked = nullptr;                        // set to 1 when a face is closed
};

// Sets `tried` to what continuity would make of the sea level in the cells of `box`; the context is a DryingContext.
// Local. Reads the transports one cell behind along their axes.
void try_level(void* context, lapwing::Box box);

// Stops the transport through those faces of `box` that leads out of a cell which would be left with less than
// `least_depth`; the context is a DryingContext. What this keeps in one cell is missing in the next, so that both
// kernels are run until no face is closed. Local. Reads `tried` and depth one cell ahead along both axes.
void brake(void* context, lapwing::Box box);

}  // namespace lapwing_coast
