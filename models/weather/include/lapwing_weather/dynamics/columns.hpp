#pragma once
// What a column of air makes of the flow through its sides: vertical flow, pressure changes, geopotential.

#include "lapwing/base/settings.hpp"
#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_weather/dynamics/hybrid_levels.hpp"

namespace lapwing_weather {

// Columns that a kernel takes at once, along a row. Results do not depend on it.
inline constexpr lapwing::Index chunk_columns = 64;

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

// What the kernel needs on one owned box; x is fastest in memory. Fields without "3D" have no levels.
struct ColumnsContext {
    lapwing::View<double> wind_x, wind_y;         // 3D, at the faces, m/s
    lapwing::View<double> temperature, humidity;  // 3D, K and kg/kg; humidity unset where dry
    lapwing::View<double> pressure;               // of the surface, Pa
    lapwing::View<double> surface_geopotential;   // m2/s2
    lapwing::View<double> geopotential;           // 3D, result, m2/s2
    lapwing::View<double> push;       // 3D, result: what a gradient of ln ps does to the wind, over ps, m2/s2/Pa
    lapwing::View<double> flow_down;  // 3D, result: air through the lower ends of the layers, Pa/s
    lapwing::View<double> heating;    // 3D, result: by change of pressure, K/s
    lapwing::View<double> outflow;    // result: of the whole column, Pa/s
    const HybridLevels* levels = nullptr;
    Air air;
    double over_x = 0, over_y = 0;  // 1 over the spacings, 1/m
    bool moist = false;
    double* work = nullptr;  // room for columns_work(levels) doubles
};

// How many doubles of workspace a context needs. Local.
lapwing::Index columns_work(int levels);

// Computes the results above in the columns of `box`; the context is a ColumnsContext. Local. After Simmons and
// Burridge (1981), with D the flow out of a layer, l = ln(p below / p above), dp = p below - p above, Tv virtual
// temperature:
//
//   flow_down  = b (sum of D over all layers) - sum of D down to this one
//   alpha      = 1 - (p above / dp) l
//   geopotential = that of the surface + R (sum of Tv l over the layers below) + alpha R Tv
//   push       = R Tv c,  c = (b above l + alpha db) / dp
//   heating    = kappa Tv / dp (-l (sum of D above) - alpha D + c (dp v . grad ps))
//
// The last two use the same c, so that what pressure does to the wind is taken from the heat to rounding. At a top of
// 0 Pa alpha is 1, its limit: the pressure gradient of an isothermal atmosphere then is the same in all layers.
// Reads wind_x one cell behind along x, wind_y one behind along y, pressure one cell to all four sides.
void columns(void* context, lapwing::Box box);

// The geopotential alone, from what is in the columns of `box`; the context is a ColumnsContext. Local; reads no other
// column.
void find_heights(void* context, lapwing::Box box);

}  // namespace lapwing_weather
