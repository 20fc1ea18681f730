// Heights of layers: of air at rest in closed form, and with vapour.
#include <lapwing_weather/dynamics/columns.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace lapwing_weather;
using lapwing::Index;

namespace {

constexpr Index levels = 4;

// A column of memory with this many values.
lapwing::Block column(std::vector<double>& values) {
    lapwing::Block block;
    block.owned = block.allocated = {{0, 0, 0}, {1, 1, static_cast<Index>(values.size())}};
    block.data = reinterpret_cast<std::byte*>(values.data());
    constexpr Index bytes = sizeof(double);
    block.strides = {bytes, bytes, bytes, bytes * block.allocated.volume()};
    return block;
}

// Geopotential of the layers, m2/s2.
std::vector<double> heights(double temperature, double humidity) {
    const HybridLevels sigma{{0, 0, 0, 0, 0}, {0, 0.25, 0.5, 0.75, 1}};
    std::vector<double> made(levels), warm(levels, temperature), damp(levels, humidity), pressure{1e5}, ground{500};
    const ConstViews vapour = humidity > 0 ? ConstViews{lapwing::View<const double>(column(damp))} : ConstViews{};
    const LayerHeights kernel{&sigma, {}};
    kernel({{0, 0, 0}, {1, 1, 1}}, lapwing::View<double>(column(made)), lapwing::View<const double>(column(warm)),
           lapwing::View<const double>(column(pressure)), lapwing::View<const double>(column(ground)), vapour);
    return made;
}

}  // namespace

TEST_CASE("layers of one temperature lie as the hydrostatic equation says") {
    const Air air;
    const std::vector<double> found = heights(280, 0);
    double end = 500;  // lower one of the layer
    for (Index k = levels - 1; k >= 0; --k) {
        const double upper = 0.25 * static_cast<double>(k), log = upper > 0 ? std::log((upper + 0.25) / upper) : 0;
        CHECK(found[k] == Approx(end + (1 - upper / 0.25 * log) * air.gas_constant * 280));
        end += log * air.gas_constant * 280;
    }
}

TEST_CASE("vapour makes air light: layers are as thick as those of warmer dry air") {
    const Air air;
    const std::vector<double> moist = heights(280, 0.02), dry = heights(280 * (1 + air.virtual_excess * 0.02), 0);
    for (Index k = 0; k < levels; ++k) {
        CHECK(moist[k] == Approx(dry[k]).epsilon(1e-14));
        CHECK(moist[k] > heights(280, 0)[k]);
    }
}
