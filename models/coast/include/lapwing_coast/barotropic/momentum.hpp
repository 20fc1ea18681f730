#pragma once
// Depth-integrated momentum along one axis of the Arakawa C-grid.

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Steps the transport along an axis (m2/s) by one time step at the faces of a box:
//
//   along <- (along + dt (f across - g D d(level)/ds)) D^2 / (D^2 + dt cd |transport|)
//
// with D = face depth + mean sea level of both sides (m). `across` is the mean of the four transports around the face:
// new values where their momentum went first in this step, else old ones, so that the Coriolis term is semi-implicit
// over two steps. Closed faces, whose depth is 0, stay 0. Reads sea_level one cell ahead; `across` one ahead and, along
// its own axis, one behind. Where metrics vary, f and 1 over the distance ds are fields at the faces. Local.
struct Momentum {
    Axis axis = lapwing::x;
    double coriolis = 0;   // time step times f, negative for the y momentum, 1
    double gravity = 0;    // time step times g over the spacing, m/s; where metrics vary, not over the spacing
    double drag = 0;       // time step times the drag coefficient, s
    double time_step = 0;  // s

    void operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                    View<const double> face_depth, const Views& coriolis_at = {},
                    const Views& over_distance = {}) const;

    // The same with what the air does, at the faces of `along`, m2/s2.
    void operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                    View<const double> face_depth, View<const double> air, const Views& coriolis_at = {},
                    const Views& over_distance = {}) const;

    // The same with what else drives it: terms of a three-dimensional model, and the change by advection, both at the
    // faces of `along`, m2/s2.
    void operator()(Box box, View<double> along, View<const double> across, View<const double> sea_level,
                    View<const double> face_depth, View<const double> slow, View<const double> change,
                    const Views& coriolis_at = {}, const Views& over_distance = {}) const;
};

}  // namespace lapwing_coast
