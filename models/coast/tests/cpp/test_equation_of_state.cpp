// The equation of state against the check values published with it, and buoyancy against densities.
#include <lapwing_coast/layers/equation_of_state.hpp>

#include <catch2/catch.hpp>

#include "column_fields.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;

namespace {

constexpr SeaWater unesco{.equation = EquationOfState::unesco};

struct Water {
    static constexpr Index levels = 7;
    Box box{{0, 0, 0}, {41, 3, 1}};
    Memory temperature{box, levels}, salinity{box, levels}, buoyancy{box, levels, -99.0}, depth{box}, sea_level{box};

    Water() {
        temperature.fill([](Index i, Index j, Index k) { return 25.0 * noise(i, j, k, 1); });
        salinity.fill([](Index i, Index j, Index k) { return 38.0 * noise(i, j, k, 2); });
        depth.fill([](Index i, Index j, Index) { return (i + j) % 5 == 0 ? 0.0 : 10.0 + 90.0 * noise(i, j, 0, 3); });
        sea_level.fill([](Index i, Index j, Index) { return noise(i, j, 0, 4) - 0.5; });
    }
    void find_buoyancy(const Buoyancy& kernel, const Box& cells) {
        kernel(cells, buoyancy.view(), temperature.view(), salinity.view(), sea_level.view(), depth.view());
    }
};

}  // namespace

TEST_CASE("EOS-80 has its published check values") {
    struct Check {
        double salinity, temperature, pressure, density;
    };
    const auto check =
        GENERATE(Check{35, 25, 10000, 1062.53817}, Check{0, 5, 0, 999.96675}, Check{35, 25, 0, 1023.34306},
                 Check{35, 5, 10000, 1069.48914}, Check{35, 5, 0, 1027.67547}, Check{0, 25, 10000, 1037.90204});
    CHECK(density(unesco, check.temperature, check.salinity, check.pressure) ==
          Approx(check.density).margin(6e-6).epsilon(0));
}

TEST_CASE("the linear equation is linear") {
    const SeaWater water{.thermal_expansion = 2e-4, .haline_contraction = 8e-4};
    CHECK(density(water, 10, 35, 0) == 1025.0);
    CHECK(density(water, 11, 35, 500) == Approx(1025.0 * (1 - 2e-4)).epsilon(1e-15));
    CHECK(density(water, 10, 34, 0) == Approx(1025.0 * (1 - 8e-4)).epsilon(1e-15));
}

TEST_CASE("compression alone makes the stratification g2/c2, with the speed of sound") {
    const double n2 = compression_stratification(unesco, 10, 35, 0, 9.81);
    CHECK(9.81 / std::sqrt(n2) == Approx(1490).epsilon(0.01));  // m/s; Fofonoff and Millard: 1489.8 (adiabatic)
    CHECK(compression_stratification({}, 10, 35, 0, 9.81) == 0.0);
}

TEST_CASE("buoyancy follows from density, under pressure or without it, and land keeps its values") {
    const auto in_situ = GENERATE(false, true);
    const SeaWater water{.equation = GENERATE(EquationOfState::linear, EquationOfState::unesco)};
    Water w;
    w.find_buoyancy({.water = water, .in_situ = in_situ, .levels = Water::levels}, w.box);
    for (Index k = 0; k < Water::levels; ++k)
        for (Index j = 0; j < 3; ++j)
            for (Index i = 0; i < 41; ++i) {
                const double below = (w.depth(i, j) + w.sea_level(i, j)) / Water::levels *
                                     (static_cast<double>(Water::levels - k) - 0.5);
                const double pressure = in_situ ? 1025.0 * 9.81 * below * 1e-4 : 0.0;  // dbar
                const double rho = density(water, w.temperature(i, j, k), w.salinity(i, j, k), pressure);
                const double b = w.depth(i, j) > 0 ? -9.81 * (rho - 1025.0) / 1025.0 : -99.0;
                CHECK(w.buoyancy(i, j, k) == Approx(b).margin(1e-11));
            }
}

TEST_CASE("buoyancy does not depend on the box it is computed in") {
    const auto in_situ = GENERATE(false, true);
    const SeaWater water{.equation = GENERATE(EquationOfState::linear, EquationOfState::unesco)};
    Water w;
    const Buoyancy kernel{.water = water, .in_situ = in_situ, .levels = Water::levels};
    w.find_buoyancy(kernel, w.box);
    const auto whole = w.buoyancy.values();
    for (const auto& boxes : cuts(w.box)) {
        std::fill(w.buoyancy.values().begin(), w.buoyancy.values().end(), -99.0);
        for (const Box& box : boxes) w.find_buoyancy(kernel, box);
        CHECK(w.buoyancy.values() == whole);
    }
}
