#pragma once
// The diagnostics of a column of air from the flow through its sides: vertical flow, pressure changes, geopotential.

#include <vector>

#include "lapwing/base/settings.hpp"

#include "lapwing_weather/dynamics/hybrid_levels.hpp"
#include "lapwing_weather/points.hpp"

namespace lapwing_weather {

// Constants of the air.
struct Air {
    double gas_constant = 287.04;
    double kappa = 2.0 / 7.0;
    double virtual_excess = 0.608;

    static constexpr std::tuple declared{
        lapwing::Setting{"gas_constant", &Air::gas_constant, "of dry air, J/(kg K)"},
        lapwing::Setting{"kappa", &Air::kappa, "gas constant over specific heat at constant pressure, 1"},
        lapwing::Setting{"virtual_excess", &Air::virtual_excess, "virtual temperature is T (1 + this q), 1"}};
};

// Room for a value of each layer in a piece of a row. Local.
std::vector<double> columns_work(const HybridLevels& levels);

// The diagnostics of columns from the state now, after Simmons and Burridge (1981), with D the flow out of a layer,
// l = ln(p below / p above), dp = p below - p above, Tv virtual temperature:
//
//   vertical velocity = b (sum of D over all layers) - sum of D down to this one, through the lower end, Pa/s
//   alpha             = 1 - (p above / dp) l
//   geopotential = geopotential of the surface + R (sum of Tv l over the layers below) + alpha R Tv, m2/s2
//   gradient factor   = R Tv c,  c = (b above l + alpha db) / dp: with the gradient of ps the pressure gradient,
//   m2/s2/Pa heating           = kappa Tv / dp (-l (sum of D above) - alpha D + c (dp v . grad ps)), by change of
//   pressure, K/s outflow           = sum of D over all layers, Pa/s
//
// The last two but one use the same c, so that what pressure does to the wind is taken from the heat to rounding. At a
// top of 0 Pa alpha is 1, its limit: the pressure gradient of an isothermal atmosphere then is the same in all layers.
// Local. Reads wind_x one cell behind along x, wind_y one behind along y, pressure one cell to all four sides.
struct ColumnFlow {
    const HybridLevels* levels;
    Air air;
    double over_x, over_y;  // 1 over the spacings, 1/m
    std::vector<double> work = columns_work(*levels);

    void operator()(lapwing::Box box, lapwing::View<double> geopotential, lapwing::View<double> gradient_factor,
                    lapwing::View<double> vertical_velocity, lapwing::View<double> heating,
                    lapwing::View<double> outflow, lapwing::View<const double> wind_x,
                    lapwing::View<const double> wind_y, lapwing::View<const double> temperature,
                    lapwing::View<const double> pressure, lapwing::View<const double> surface_geopotential,
                    const ConstViews& humidity);
};

// The geopotential alone. Local; reads no other column.
struct LayerHeights {
    const HybridLevels* levels;
    Air air;

    void operator()(lapwing::Box box, lapwing::View<double> geopotential, lapwing::View<const double> temperature,
                    lapwing::View<const double> pressure, lapwing::View<const double> surface_geopotential,
                    const ConstViews& humidity) const;
};

}  // namespace lapwing_weather
