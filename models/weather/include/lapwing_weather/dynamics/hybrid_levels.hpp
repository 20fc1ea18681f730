#pragma once
// The vertical coordinate: layers between half levels of pressure p = a + b ps, numbered from the top (0) downwards.

#include <string>
#include <vector>

#include "lapwing/base/settings.hpp"

namespace lapwing_weather {

// The mass of a layer: dp = da + db ps, Pa.
struct Thickness {
    double da, db;
    double operator()(double surface_pressure) const { return da + db * surface_pressure; }
};

// One number per half level, from the top of layer 0 to the surface; `a` in Pa. Sigma layers have a = 0, a rigid top at
// pressure p has a = p, b = 0 there.
struct HybridLevels {
    std::vector<double> a, b;

    static constexpr std::tuple declared{lapwing::Setting{"a", &HybridLevels::a, "Pa"},
                                         lapwing::Setting{"b", &HybridLevels::b, "1"}};

    [[nodiscard]] int levels() const { return static_cast<int>(a.size()) - 1; }
    [[nodiscard]] Thickness thickness(int layer) const {
        const std::size_t upper = layer, lower = upper + 1;
        return {a[lower] - a[upper], b[lower] - b[upper]};
    }
};

// Surface pressures (Pa) that the layers of a model must be layers at: high ground, and a strong high.
inline constexpr double least_surface_pressure = 5e4, largest_surface_pressure = 1.2e5;

// Throws UserError unless there is a layer, the lowest half level is the surface (a = 0, b = 1), none above moves at
// the top (b = 0) and pressure grows downwards at `least` and `largest` surface pressure (Pa). Local.
void check(const HybridLevels& levels, double least, double largest);

}  // namespace lapwing_weather
