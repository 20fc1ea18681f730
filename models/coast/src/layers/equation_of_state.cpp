#include "lapwing_coast/layers/equation_of_state.hpp"

#include <algorithm>
#include <cmath>

#include "lapwing_coast/row_vectors.hpp"

namespace lapwing_coast {

namespace {

// EOS-80 in t (degC), s and p (bar), in the names of its authors: sums of powers of t times 1, s, s^3/2 and s2.
[[gnu::always_inline]] inline double eos80(double t, double salinity, double p) {
    const double s = std::max(salinity, 0.0);
    const double root = std::sqrt(s);  // s^3/2 = root s
    // density at atmospheric pressure, kg/m3
    const double rho_w =
        999.842594 + t * (6.793952e-2 + t * (-9.095290e-3 + t * (1.001685e-4 + t * (-1.120083e-6 + t * 6.536332e-9))));
    const double rho_s = 8.24493e-1 + t * (-4.0899e-3 + t * (7.6438e-5 + t * (-8.2467e-7 + t * 5.3875e-9)));
    const double rho_root = -5.72466e-3 + t * (1.0227e-4 - t * 1.6546e-6);
    const double rho = rho_w + s * (rho_s + root * rho_root + s * 4.8314e-4);
    // secant bulk modulus K = k_0 + p (a + p b), bar
    const double k_w = 19652.21 + t * (148.4206 + t * (-2.327105 + t * (1.360477e-2 - t * 5.155288e-5)));
    const double k_s = 54.6746 + t * (-0.603459 + t * (1.09987e-2 - t * 6.1670e-5));
    const double k_root = 7.944e-2 + t * (1.6483e-2 - t * 5.3009e-4);
    const double k_0 = k_w + s * (k_s + root * k_root);
    const double a_w = 3.239908 + t * (1.43713e-3 + t * (1.16092e-4 - t * 5.77905e-7));
    const double a = a_w + s * (2.2838e-3 - t * (1.0981e-5 + t * 1.6078e-6) + root * 1.91075e-4);
    const double b_w = 8.50935e-5 + t * (-6.12293e-6 + t * 5.2787e-8);
    const double b = b_w + s * (-9.9348e-7 + t * (2.0816e-8 + t * 9.1697e-10));
    const double k = k_0 + p * (a + p * b);
    return rho * k / (k - p);
}

constexpr double bar_per_dbar = 0.1, bar_per_pascal = 1e-5;

// The values of one row of a layer.
struct Row {
    const double *temperature, *salinity, *sea_level, *depth;
    double* buoyancy;
};

// `below` is how far below the surface the layer's centre is, in parts of the depth.
void unesco_row(const Row& row, Index n, const Buoyancy& at, double below) {
    const double factor = -at.gravity / at.water.reference_density;
    const double pressure_share = at.in_situ ? bar_per_pascal * at.water.reference_density * at.gravity * below : 0.0;
    const double rho0 = at.water.reference_density;
    double* __restrict b = row.buoyancy;
    for_vectors(n, [&](Index first, auto count) __attribute__((always_inline)) {
        fetch(first, count, row.temperature, row.salinity, b);
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double pressure = pressure_share * (row.depth[i] + row.sea_level[i]);  // bar
            const double rho = eos80(row.temperature[i], row.salinity[i], pressure);
            b[i] = row.depth[i] > 0.0 ? factor * (rho - rho0) : b[i];
        }
    });
}

void linear_row(const Row& row, Index n, const Buoyancy& at) {
    const double t0 = at.water.reference_temperature, s0 = at.water.reference_salinity;
    const double warm = at.gravity * at.water.thermal_expansion, salty = -at.gravity * at.water.haline_contraction;
    double* __restrict b = row.buoyancy;
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const double value = warm * (row.temperature[i] - t0) + salty * (row.salinity[i] - s0);
        b[i] = row.depth[i] > 0.0 ? value : b[i];
    }
}

}  // namespace

double density(const SeaWater& water, double temperature, double salinity, double pressure) {
    if (water.equation == EquationOfState::unesco) return eos80(temperature, salinity, bar_per_dbar * pressure);
    return water.reference_density * (1.0 - water.thermal_expansion * (temperature - water.reference_temperature) +
                                      water.haline_contraction * (salinity - water.reference_salinity));
}

double compression_stratification(const SeaWater& water, double temperature, double salinity, double pressure,
                                  double gravity) {
    constexpr double step = 1.0, pascal_per_dbar = 1e4;
    const double more = density(water, temperature, salinity, pressure + step),
                 less = density(water, temperature, salinity, pressure - step);
    return gravity * gravity * (more - less) / (2.0 * step * pascal_per_dbar);
}

void Buoyancy::operator()(Box box, View<double> buoyancy, View<const double> temperature, View<const double> salinity,
                          View<const double> sea_level, View<const double> depth) const {
    const Index first = box.lo[0], n = box.size(0);
    for (Index k = 0; k < levels; ++k) {
        const double below = (static_cast<double>(levels - k) - 0.5) / static_cast<double>(levels);
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const Row row{temperature.row(j, k) + first, salinity.row(j, k) + first, sea_level.row(j) + first,
                          depth.row(j) + first, buoyancy.row(j, k) + first};
            if (water.equation == EquationOfState::unesco) {
                unesco_row(row, n, *this, below);
            } else {
                linear_row(row, n, *this);
            }
        }
    }
}

}  // namespace lapwing_coast
