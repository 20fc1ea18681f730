#pragma once
// Density of sea water, and the buoyancy that follows.

#include "lapwing/base/settings.hpp"

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

enum class EquationOfState {
    linear,  // in temperature and salinity; incompressible
    unesco,  // the international equation of state of 1980, EOS-80
};

inline constexpr lapwing::Names<EquationOfState, 2> equations{
    {{EquationOfState::linear, "linear"}, {EquationOfState::unesco, "unesco"}}};
constexpr const auto& names_of(EquationOfState) { return equations; }

// The choice of the equation, and the constants of the linear one; `reference_density` belongs to the Boussinesq
// approximation too.
struct SeaWater {
    EquationOfState equation = EquationOfState::linear;
    double reference_density = 1025.0;
    double thermal_expansion = 1.7e-4;
    double haline_contraction = 7.6e-4;
    double reference_temperature = 10.0;
    double reference_salinity = 35.0;

    static constexpr std::tuple declared{
        lapwing::Setting{"equation", &SeaWater::equation, "of state"},
        lapwing::Setting{"reference_density", &SeaWater::reference_density,
                         "at the reference temperature and salinity, kg/m3"},
        lapwing::Setting{"thermal_expansion", &SeaWater::thermal_expansion, "1/K"},
        lapwing::Setting{"haline_contraction", &SeaWater::haline_contraction, "kg/g"},
        lapwing::Setting{"reference_temperature", &SeaWater::reference_temperature, "degC"},
        lapwing::Setting{"reference_salinity", &SeaWater::reference_salinity, "g/kg"}};
};

// Density (kg/m3) of water of `temperature` (degC), `salinity` (practical, g/kg; below 0 as 0) under `pressure` (dbar
// above the air's).
//
//   linear:  rho0 (1 - alpha (T - T0) + beta (S - S0))
//   unesco:  rho(S, T, 0) / (1 - p / K(S, T, p)),  K the secant bulk modulus
//
// N. P. Fofonoff, R. C. Millard: Algorithms for computation of fundamental properties of seawater. Unesco technical
// papers in marine science 44, 1983; for -2 < T < 40 degC (IPTS-68), 0 < S < 42, 0 < p < 10000 dbar. Local.
double density(const SeaWater& water, double temperature, double salinity, double pressure);

// N2 (1/s2) that compression alone makes of water of one temperature and salinity: g2 d(rho)/dp, if buoyancy is
// computed from the density in situ. 0 for the linear equation. Arguments as above, gravity in m/s2. Local.
double compression_stratification(const SeaWater& water, double temperature, double salinity, double pressure,
                                  double gravity);

// Computes the buoyancy (3D, m/s2) in the columns of a box, of temperature (3D, degC) and salinity (3D, g/kg):
//
//   b = -g (rho - rho0) / rho0
//
// Out of the box the pressure is 0 everywhere: buoyancy then belongs to the potential density, its differences tell if
// water is stable, and in shallow seas the pressure gradient loses nothing by it. With `in_situ` the pressure is
// reference_density g times the distance of the layer's centre from the surface, and mixing by stability must subtract
// `compression_stratification`, which is as large as in a strong thermocline.
//
// Land, whose depth is 0, keeps its values. Reads the cells of the box only. Local.
struct Buoyancy {
    SeaWater water;
    double gravity = 9.81;  // m/s2
    bool in_situ = false;   // density under the pressure of the water above
    Index levels = 1;       // layers, equally thick in a column

    void operator()(Box box, View<double> buoyancy, View<const double> temperature, View<const double> salinity,
                    View<const double> sea_level, View<const double> depth) const;
};

}  // namespace lapwing_coast
