#pragma once
// Momentum of the layers along one axis of the Arakawa C-grid.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Returns the doubles of workspace that the kernel needs. Local.
Index layer_momentum_work(Index levels);

// Steps the flow in the layers along an axis (3D, m2/s) by one time step at the faces of a box:
//
//   q* = q + dt (f q_across - g h d(level)/ds + tendency),   h after the step
//   q* mixed vertically by the viscosity, with the drag of the bottom and the stress of the wind (backward Euler)
//   q <- q* + r (mean - sum of q*) / levels,   r the thickness relative to the mean of all layers
//
// so that the layers carry exactly, to rounding, what the depth-integrated mode carried: the mean of its transport over
// the micro steps (m2/s). q_across is the mean of the four flows around, new where their momentum went first. The
// tendency (3D, m2/s2) holds advection and internal pressure, the viscosity (3D, m2/s) lies at the tops of the layers
// of cells, the drag (m/s) is the drag of the bottom on the lowest layer, and the sea level (m) is taken after the
// step; where metrics vary, f and 1 over ds are fields at the faces. Maps of the air add their stress to the wind's,
// and h times their drive. Closed faces, whose depth is 0, stay 0. Reads sea_level and viscosity one cell ahead along
// the axis, `across` one ahead and, across the axis, one behind, with the corner between. Local.
struct LayerMomentum {
    Axis axis = lapwing::x;
    double time_step = 0;                    // s
    double coriolis = 0;                     // time step times f, negative for the y momentum, 1
    double gravity = 0;                      // time step times g over the spacing, m/s; or, as above, times g
    const double* surface_stress = nullptr;  // of the wind, over density, m2/s2
    Index levels = 1;
    double* work = nullptr;  // room for layer_momentum_work(levels) doubles
    LayerShape shape{};

    void operator()(Box box, View<double> along, View<const double> across, View<const double> tendency,
                    View<const double> viscosity, View<const double> face_depth, View<const double> sea_level,
                    View<const double> mean, View<const double> drag, const Views& coriolis_at = {},
                    const Views& over_distance = {}, const Views& air_stress = {}, const Views& air_drive = {}) const;
};

}  // namespace lapwing_coast
