#pragma once
// Momentum of the layers along one axis of the Arakawa C-grid.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_weather/dynamics/hybrid_levels.hpp"
#include "lapwing_weather/smoothing/diffusion.hpp"

namespace lapwing_weather {

// What the kernel needs on one owned box; x is fastest in memory. "3D" fields have levels.
struct MomentumContext {
    lapwing::View<double> along, across;  // 3D, wind now, at its faces and at those of the other axis, m/s
    lapwing::View<double> old, stepped;   // 3D, wind along the axis from which, and to which the step leads, m/s
    lapwing::View<double> carried;        // 3D, with semi-Lagrangian steps: what paths carry, m/s
    lapwing::View<double> pressure;       // of the surface, Pa
    lapwing::View<double> geopotential, push, flow_down;  // 3D, as `columns` makes them
    const HybridLevels* levels = nullptr;
    int ahead_x = 1, ahead_y = 0;            // from a cell to the next one along the axis, cells
    double over_along = 0, over_across = 0;  // 1 over the spacings, 1/m
    double coriolis = 0, beta = 0;  // f in row 0 (1/s), and what it grows by per row; negative for the y momentum
    Diffusion diffusion;            // of `old`
    bool diffuses = false;
    bool semi_lagrangian = false;
    const double* time_step = nullptr;  // from `old` to `stepped`, s; semi-Lagrangian: half of it
};

// Steps the wind at the faces of `box`; the context is a MomentumContext. Local.
//
//   stepped = old + dt (-A / dp + F / dp - d(geopotential)/ds - push d(ps)/ds + diffusion)
//
// A is the transport of wind by the air that moves, from centred means: between two faces the flow of air is the mean
// of the flows that make it up, and carries the mean wind, so that kinetic energy is only carried about (Arakawa and
// Lamb 1977); F the Coriolis force from means of f dp v over cells, which does no work either. Reads `along` and `old`
// one and, with diffusion, two cells around; `across` one cell ahead along the axis and one behind across it;
// `pressure` one behind and two ahead along the axis, one to both sides; what `columns` makes one cell ahead.
//
// Semi-Lagrangian: `stepped` is dt times the bracket, with no transport along the layers in A, and carried = old +
// stepped.
void momentum(void* context, lapwing::Box box);

}  // namespace lapwing_weather
