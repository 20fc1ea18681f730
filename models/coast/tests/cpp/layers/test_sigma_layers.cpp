// The layers of a column: their sum, and the shape that they are given.
#include <lapwing_coast/layers/sigma_layers.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

#include "column_fields.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;

TEST_CASE("layers add up to the water, whatever their shape") {
    constexpr Index levels = 20;
    const Box box{{0, 0, 0}, {9, 7, 1}};
    Memory thickness{box, levels}, over_x{box}, over_y{box}, level{box}, depth{box}, face{box, 1, 30.0};
    level.fill([](Index i, Index j, Index) { return noise(i, j, 0, 1) - 0.5; });
    depth.fill([](Index i, Index j, Index) { return 3.0 + 500.0 * noise(i, j, 0, 2); });
    std::vector<double> relative;
    for (Index k = 0; k < levels; ++k) relative.push_back(std::exp(-0.2 * static_cast<double>(k)));
    const double mean = std::accumulate(relative.begin(), relative.end(), 0.0) / levels;
    for (double& value : relative) value /= mean;
    const bool stretched = GENERATE(false, true);
    const SigmaLayers kernel{levels, {stretched ? relative.data() : nullptr}};
    kernel(box, thickness.view(), over_x.view(), over_y.view(), level.view(), depth.view(), face.view(), face.view());
    for (Index j = 0; j < 7; ++j)
        for (Index i = 0; i < 9; ++i) {
            double sum = 0.0;
            for (Index k = 0; k < levels; ++k) sum += thickness(i, j, k);
            CHECK(std::abs(sum / (depth(i, j) + level(i, j)) - 1.0) < 1e-14);
            CHECK(thickness(i, j, 0) / thickness(i, j, levels - 1) ==
                  Approx(stretched ? std::exp(0.2 * (levels - 1)) : 1.0));
        }
}
