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
// Semi-Lagrangian steps take the mean of `old` at the departure point and `next` where the trajectory ends: what is
// advected gets -dt L (now - old) and what is added at the end dt L (now - old), so that the correction above, of
// values at the end alone, leaves just that.
#include <vector>

#include "lapwing/base/settings.hpp"

#include "lapwing_weather/points.hpp"
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

// Room for two values of each layer, and one more, in a piece of a row. Local.
std::vector<double> implicit_work(const VerticalModes& vertical);

// The common input of its kernels on one owned box. Views of a field at several times come in their order: old, now,
// next.
struct LinearWaves {
    const VerticalModes* vertical;
    Links links_x, links_y;  // of cells: 0 where there is a wall between
    double time_step;        // dt, s
    double over_x, over_y;   // 1 over the spacings, 1/m
    std::vector<double> work = implicit_work(*vertical);
};

// The right-hand sides of all modes (m2/s2) and the divergence D (1/s), both of y. Local; reads winds one cell behind
// along their axes. Cost: 4 levels operations per cell.
struct ModeSources : LinearWaves {
    void operator()(lapwing::Box box, lapwing::View<double> modes, lapwing::View<double> divergence,
                    const ConstViews& wind_x, const ConstViews& wind_y, const ConstViews& temperature,
                    const ConstViews& pressure);
};

// The linear geopotential P out of its modes, m2/s2. Local; reads no other column.
struct GeopotentialOfModes : LinearWaves {
    void operator()(lapwing::Box box, lapwing::View<double> geopotential, lapwing::View<const double> modes);
};

// Corrects what is next: winds by -dt grad P, and temperature and pressure by the divergence that is left then. Local;
// reads P one cell to all four sides.
struct WaveCorrection : LinearWaves {
    void operator()(lapwing::Box box, lapwing::View<double> wind_x, lapwing::View<double> wind_y,
                    lapwing::View<double> temperature, lapwing::View<double> pressure,
                    lapwing::View<const double> geopotential, lapwing::View<const double> divergence);
};

// For semi-Lagrangian steps: P of now - old. Local; reads no other column.
struct IncrementGeopotential : LinearWaves {
    void operator()(lapwing::Box box, lapwing::View<double> geopotential, const ConstViews& temperature,
                    const ConstViews& pressure);
};

// Then: dt L (now - old), off what is advected and on what is added at the end, which come in this order in what is
// written; of the winds `old` and `now`. Local; reads P one cell to all four sides, winds one cell behind.
struct IncrementSplit : LinearWaves {
    void operator()(lapwing::Box box, const Views& wind_x, const Views& wind_y, const Views& temperature,
                    const Views& pressure, lapwing::View<const double> geopotential, const ConstViews& winds_x,
                    const ConstViews& winds_y);
};

}  // namespace lapwing_weather
