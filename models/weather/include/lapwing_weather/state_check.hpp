#pragma once
// Finding the first cell of a state that cannot be, or that the next step would not survive.

#include "lapwing/mpi/bad_cell.hpp"
#include "lapwing/mpi/domain.hpp"

#include "lapwing_weather/weather.hpp"

namespace lapwing_weather {

// Share of the stable limit of the leapfrog that air, external gravity waves and diffusion take in a cell at a wind
// (m/s) and a temperature (K): with filter strength e, c2 = R T / (1 - kappa) and K the coefficient of diffusion,
//   dt (|u|/dx + |v|/dy + 2 c (1/dx2 + 1/dy2)^(1/2) + 16 K (1/dx4 + 1/dy4)) / ((1 - e) / (1 + e))^(1/2).
// The limit of semi-implicit steps without the waves, 2 c (...). Local.
double courant_number(const WeatherSettings& settings, double wind_x, double wind_y, double temperature);

// Throws StateError on all ranks for a value that is not finite, a temperature that is not above 0, a surface pressure
// that is not above `least_surface_pressure`, or a Courant number above 1, naming step, field, global index, rank,
// value and limit of the first such cell (by field, then by layers and rows): the same for any number of ranks.
// Collective; one reduction when all is well.
void check_state(const lapwing::Domain& domain, const WeatherSettings& settings, const Weather& state,
                 lapwing::Index step_number);

}  // namespace lapwing_weather
