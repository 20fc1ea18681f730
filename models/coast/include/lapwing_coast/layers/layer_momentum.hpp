#pragma once
// Momentum of the layers along one axis of the Arakawa C-grid.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What the kernel needs on one owned box. Fields have x fastest in memory; those without "3D" have no levels.
struct LayerMomentumContext {
    lapwing::View<double> along;       // 3D, flow in the layers that is stepped, at its faces, m2/s
    lapwing::View<double> across;      // 3D, flow at the other faces, m2/s
    lapwing::View<double> tendency;    // 3D, of `along`: advection and internal pressure, m2/s2
    lapwing::View<double> viscosity;   // 3D, at the tops of the layers of cells, m2/s
    lapwing::View<double> face_depth;  // undisturbed, at the faces of `along`, m; 0: closed
    lapwing::View<double> sea_level;   // after the step, at cell centres, m
    lapwing::View<double> mean;        // transport over the micro steps at the faces of `along`, m2/s
    lapwing::View<double> drag;        // of the bottom on the lowest layer at these faces, m/s
    int ahead_x = 1, ahead_y = 0;      // from a cell to the next one along the axis, cells
    double time_step = 0;              // s
    double coriolis = 0;               // time step times f, negative for the y momentum, 1
    double gravity = 0;                // time step times g over the spacing, m/s
    double surface_stress = 0;         // of the wind, over density, m2/s2
    lapwing::Index levels = 1;
    double* work = nullptr;  // room for layer_momentum_work(levels) doubles
};

// How many doubles of workspace a context needs. Local.
lapwing::Index layer_momentum_work(lapwing::Index levels);

// Steps the flow in the layers by one time step at the faces of `box`; the context is a LayerMomentumContext.
//
//   q* = q + dt (f q_across - g h d(level)/ds + tendency),   h after the step
//   q* mixed vertically by the viscosity, with the drag of the bottom and the stress of the wind (backward Euler)
//   q <- q* + (mean - sum of q*) / levels
//
// so that the layers carry exactly, to rounding, what the depth-integrated mode carried. q_across is the mean of the
// four flows around, new where their momentum went first. Closed faces stay 0. Local. Reads sea_level and viscosity one
// cell ahead along the axis, `across` one ahead and, across the axis, one behind, with the corner between.
void layer_momentum(void* context, lapwing::Box box);

}  // namespace lapwing_coast
