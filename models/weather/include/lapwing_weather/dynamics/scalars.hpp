#pragma once
// The scalars: temperature and humidity, which the air carries, and the pressure of the surface.

#include <optional>

#include "lapwing_weather/dynamics/hybrid_levels.hpp"
#include "lapwing_weather/points.hpp"
#include "lapwing_weather/smoothing/diffusion.hpp"

namespace lapwing_weather {

// Steps temperature, any humidity (in this order in what is several) and surface pressure in cells:
//
//   stepped = old + dt (-A / dp + heating + diffusion),     stepped ps = old ps - dt outflow
//
// A is transport with centred means, which carries the square of each quantity about without making any; humidity is
// not heated. Reads winds one cell behind, pressure and what is carried one cell to all four sides, `old` two with
// diffusion.
//
// Semi-Lagrangian, which has `advected`: `stepped` is dt times the change, with no transport along the layers: none in
// A, and what the mean wind carries of the pressure is taken out of its outflow. advected = old + stepped.
struct Scalars {
    const HybridLevels* levels;
    double over_x, over_y;               // 1 over the spacings, 1/m
    const double* time_step;             // from `old` to `stepped`, s; semi-Lagrangian: half of it
    std::optional<Diffusion> diffusion;  // of `old`

    void operator()(lapwing::Box box, const Views& stepped, lapwing::View<double> stepped_pressure,
                    const Views& advected, const Views& advected_pressure, lapwing::View<const double> wind_x,
                    lapwing::View<const double> wind_y, lapwing::View<const double> pressure, const ConstViews& now,
                    const ConstViews& old, lapwing::View<const double> old_pressure,
                    lapwing::View<const double> vertical_velocity, lapwing::View<const double> heating,
                    lapwing::View<const double> outflow) const;
};

}  // namespace lapwing_weather
