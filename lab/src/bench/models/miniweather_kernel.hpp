#pragma once
// The equations of `lapwing bench miniweather`: those of miniWeather, a mini app of Oak Ridge National Laboratory,
// after its description. Dry air in x and z, compressible, without viscosity, in departures from a background at rest:
//
//   d/dt (rho', rho u, rho w, (rho theta)') + df/dx + dh/dz = (0, 0, -rho' g, 0)
//   f = (rho u, rho u u + p', rho u w, rho u theta)     h = (rho w, rho w u, rho w w + p', rho w theta)
//   p = C0 (rho theta)^gamma,   so p' = p0 ((1 + e)^gamma - 1),   e = (rho theta)' / (rho theta)0
//
// in finite volumes: values at a face by the fourth order from four cells, next to which a hyperviscosity damps what is
// two cells long. x and z are stepped one after the other, in the other order every other step. z is axis 1 of the
// grid. The grid closes on itself along x, and has walls below and above.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing::bench {

inline constexpr int miniweather_reach = 2;      // cells on both sides along the axis that is stepped
inline constexpr int miniweather_variables = 4;  // rho', rho u, rho w, (rho theta)', in this order

// The background by height: means over cells, from two cells below the ground to two above the top, and values at
// faces, from the ground to the top.
struct Background {
    std::vector<double> density, face_density, face_density_theta, face_pressure;
    std::vector<double> density_theta, pressure;  // of the cells of the grid
};

// Numbers of the model, in SI units.
struct MiniweatherModel {
    Index nx, nz;
    double dx, dz, dt;
    Background background;
};

// The arrays of a stage: after = before + dt * tendency(at). `after` may be `before`.
struct MiniweatherViews {
    View<const double> before, at;
    View<double> after;
};

// One stage of Runge and Kutta's over `dt` seconds along an axis, 0 (x) or 1 (z), for the cells of a box. The bits of a
// cell do not depend on the box. Local.
void advance(const MiniweatherModel& model, int axis, double dt, const Box& box, const MiniweatherViews& views);

}  // namespace lapwing::bench
