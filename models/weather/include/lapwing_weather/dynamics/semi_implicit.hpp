#pragma once
// The implicit part of a time step: gravity waves about a reference state at rest.
//
// A leapfrog steps from `old` over `now` to `next`, 2 dt later. For the linear terms L of winds, temperature and
// surface pressure it takes the mean of old and next in place of now (Robert, Henderson and Turnbull 1972), by a
// correction of what an explicit step gave: with y = next + old - 2 now before it and Y after it,
//
//   Y = y + dt L Y,    next <- next + (Y - y).
//
// With the operators of `vertical_structure` (lapwing_weather), D the divergence, P = gamma T + push ps / p_ref and
// B = gamma tau + push nu = E c2 E^-1 that is one Helmholtz equation for each vertical mode p = E^-1 P,
//
//   p / (dt c)^2 - laplacian(p) = (E^-1 (gamma T + push ps / p_ref)) / (dt c)^2 - E^-1 D / dt   of y,
//
// after which P gives the winds, their divergence D - dt laplacian(P) temperature and pressure.
//
// Semi-Lagrangian steps take the mean of `old` where a path began and `next` where it ends: what is carried along it
// gets -dt L (now - old) and what is added at its end dt L (now - old), so that the correction above, of values at the
// end alone, leaves just that.
#include <vector>

#include "lapwing/base/settings.hpp"
#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_weather/smoothing/diffusion.hpp"

namespace lapwing_weather {

// The operators of a reference state, matrices [levels x levels] row by row, and its vertical modes. Empty: none.
struct VerticalModes {
    std::vector<double> gamma;
    std::vector<double> push;
    std::vector<double> tau;
    std::vector<double> nu;
    std::vector<double> to_modes;
    std::vector<double> from_modes;
    std::vector<double> speeds;
    double pressure = 1e5;

    static constexpr std::tuple declared{
        lapwing::Setting{"gamma", &VerticalModes::gamma, "J/(kg K)"},
        lapwing::Setting{"push", &VerticalModes::push, "[levels], J/kg"},
        lapwing::Setting{"tau", &VerticalModes::tau, "K"},
        lapwing::Setting{"nu", &VerticalModes::nu, "[levels], 1"},
        lapwing::Setting{"to_modes", &VerticalModes::to_modes, "E^-1"},
        lapwing::Setting{"from_modes", &VerticalModes::from_modes, "E"},
        lapwing::Setting{"speeds", &VerticalModes::speeds, "c of each mode, [levels], m/s"},
        lapwing::Setting{"pressure", &VerticalModes::pressure, "p_ref of the surface, Pa"}};

    [[nodiscard]] bool empty() const { return speeds.empty(); }
};

// Throws UserError unless all have the sizes that belong to `levels` layers, and all speeds are above 0. Local.
void check(const VerticalModes& modes, int levels);

// A field at the three times of a step.
struct Leap {
    lapwing::View<double> old, now, next;
};

// What the kernels need on one owned box; x is fastest in memory. "3D" fields have levels.
struct ImplicitContext {
    Leap wind_x, wind_y, temperature;  // 3D, m/s and K
    Leap pressure;                     // Pa
    lapwing::View<double> modes;       // 3D, right-hand sides, then p by mode, m2/s2
    lapwing::View<double> divergence;  // 3D, of y, 1/s
    lapwing::View<double> lift;        // 3D, P, m2/s2
    const VerticalModes* vertical = nullptr;
    Links links_x, links_y;         // of cells: 0 where there is a wall between
    double time_step = 0;           // dt, s
    double over_x = 0, over_y = 0;  // 1 over the spacings, 1/m
    double* work = nullptr;         // room for implicit_work(levels) doubles
    // with semi-Lagrangian steps, what paths carry; as the fields
    lapwing::View<double> wind_x_on_paths, wind_y_on_paths, temperature_on_paths, pressure_on_paths;
};

// How many doubles of workspace a context needs. Local.
lapwing::Index implicit_work(int levels);

// The right-hand sides of all modes, and the divergence, in the columns of `box`; the context is an ImplicitContext.
// Local; reads winds one cell behind along their axes. Cost: 4 levels operations per cell.
void implicit_source(void* context, lapwing::Box box);

// P out of its modes; likewise. Reads no other column.
void implicit_lift(void* context, lapwing::Box box);

// Corrects what is `next`; likewise. Reads `lift` one cell to all four sides.
void implicit_correction(void* context, lapwing::Box box);

// For semi-Lagrangian steps: P of now - old, in `lift`. Reads no other column.
void lift_of_growth(void* context, lapwing::Box box);

// Then: L (now - old), off what paths carry and on `next`, which holds what is added at their ends. Reads `lift` one
// cell to all four sides, winds one cell behind.
void divide_growth(void* context, lapwing::Box box);

}  // namespace lapwing_weather
