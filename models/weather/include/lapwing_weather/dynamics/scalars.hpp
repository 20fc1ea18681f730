#pragma once
// What the air carries, temperature and humidity, and the pressure of the surface.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_weather/dynamics/hybrid_levels.hpp"
#include "lapwing_weather/smoothing/diffusion.hpp"

namespace lapwing_weather {

// One carried quantity at the centres of cells: 3D, now, before and after the step.
struct Carried {
    lapwing::View<double> now, old, stepped;
    lapwing::View<double> on_paths;  // with semi-Lagrangian steps
    Diffusion diffusion;             // of `old`
};

// What the kernel needs on one owned box; x is fastest in memory. "3D" fields have levels.
struct ScalarsContext {
    Carried temperature, humidity;                                   // K, kg/kg
    lapwing::View<double> wind_x, wind_y;                            // 3D, now, m/s
    lapwing::View<double> pressure, old_pressure, stepped_pressure;  // of the surface, Pa
    lapwing::View<double> pressure_on_paths;                         // with semi-Lagrangian steps, Pa
    lapwing::View<double> flow_down, heating, outflow;               // as `columns` makes them; the first two 3D
    const HybridLevels* levels = nullptr;
    double over_x = 0, over_y = 0;  // 1 over the spacings, 1/m
    bool moist = false, diffuses = false, semi_lagrangian = false;
    const double* time_step = nullptr;  // from old to stepped, s; semi-Lagrangian: half of it
};

// Steps temperature, humidity and surface pressure in the cells of `box`; the context is a ScalarsContext. Local.
//
//   stepped = old + dt (-A / dp + heating + diffusion),     stepped ps = old ps - dt outflow
//
// A is transport with centred means, which carries the square of each quantity about without making any; humidity is
// not heated. Reads winds one cell behind, pressure and what is carried one cell to all four sides, `old` two with
// diffusion.
//
// Semi-Lagrangian: `stepped` is dt times the change, with no transport along the layers: none in A, and what the mean
// wind carries of the pressure is taken out of its outflow. Old and stepped together are `on_paths`.
void scalars(void* context, lapwing::Box box);

}  // namespace lapwing_weather
