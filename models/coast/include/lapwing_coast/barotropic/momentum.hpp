#pragma once
// Depth-integrated momentum along one axis of the Arakawa C-grid.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What the momentum kernel needs on one owned box. The axis is a value: `ahead_x` and `ahead_y`
// are the step from a cell to the next one along it, 1 and 0 for the x momentum, 0 and 1 for y.
struct MomentumContext {
    lapwing::View<double> along;       // transport that is stepped, at its faces, m2/s
    lapwing::View<double> across;      // the other transport, at the other faces, m2/s
    lapwing::View<double> face_depth;  // undisturbed depth at the faces of `along`, m; 0: closed
    lapwing::View<double> sea_level;   // at cell centres, m
    lapwing::View<double> slow;        // terms of a three-dimensional model at the faces of `along`, m2/s2
    lapwing::View<double> change;      // by advection there, m2/s2
    int ahead_x = 1, ahead_y = 0;      // cells
    double coriolis = 0;               // time step times f, negative for the y momentum, 1
    double gravity = 0;                // time step times g over the spacing, m/s
    double drag = 0;                   // time step times the drag coefficient, s
    double time_step = 0;              // s
};

// Steps `along` by one time step at the faces of `box`; the context is a MomentumContext.
//
//   along <- (along + dt (f across - g D d(level)/ds)) D^2 / (D^2 + dt cd |transport|)
//
// with D = face depth + mean sea level of both sides. `across` is the mean of the four transports
// around the face: new values where their momentum went first in this step, else old ones, so
// that the Coriolis term is semi-implicit over two steps. Closed faces stay 0. Local.
// Reads sea_level one cell ahead; `across` one ahead and, along its own axis, one behind.
void momentum(void* context, lapwing::Box box);

// The same with `slow` and `change` added to what drives `along`. Local.
void momentum_with_slow_terms(void* context, lapwing::Box box);

}  // namespace lapwing_coast
