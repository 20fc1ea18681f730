// Internal pressure over a sloping bottom, and of fronts.
#include <lapwing_coast/layers/internal_pressure.hpp>

#include <catch2/catch.hpp>

#include <cmath>

#include "column_fields.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;

namespace {

constexpr Index levels = 8;
constexpr double spacing = 500;  // m

// Layers that are thin at the bottom, or all alike.
struct Sea {
    explicit Sea(bool stretched = false) {
        if (stretched) relative = {0.2, 0.4, 0.6, 0.8, 1.2, 1.4, 1.6, 1.8};
    }
    std::vector<double> relative;
    [[nodiscard]] LayerShape shape() const { return {relative.empty() ? nullptr : relative.data()}; }
    Box box{{0, 0, 0}, {11, 7, 1}};
    Memory tendency{box, levels}, buoyancy{box, levels}, sea_level{box}, depth{box}, face_depth{box};

    // The height of the centre of a layer, m.
    double centre(Index i, Index j, Index k) {
        const double water = depth(i, j) + sea_level(i, j);
        double layers = 0.5 * shape().relative(k);
        for (Index m = 0; m < k; ++m) layers += shape().relative(m);
        return -depth(i, j) + water * layers / levels;
    }
    // With the depth of every face between two cells along the axis.
    void run(Axis axis) {
        const Index di = axis == lapwing::x ? 1 : 0, dj = 1 - di;
        for (Index j = 0; j < 7; ++j)
            for (Index i = 0; i < 11; ++i) face_depth(i, j) = 0.5 * (depth(i, j) + depth(i + di, j + dj));
        const InternalPressure kernel{axis, 1 / spacing, 0, levels, shape()};
        kernel(box, tendency.view(), buoyancy.view(), sea_level.view(), depth.view(), face_depth.view());
    }
    // P of a layer, m/s2.
    double pressure(Axis axis, Index k) {
        const Index di = axis == lapwing::x ? 1 : 0, dj = 1 - di;
        const double water = face_depth(5, 3) + 0.5 * (sea_level(5, 3) + sea_level(5 + di, 3 + dj));
        return tendency(5, 3, k) / (shape().relative(k) * water / levels);
    }
};

}  // namespace

TEST_CASE("a buoyancy that grows evenly with the height drives no layer against another over a slope") {
    const bool stretched = GENERATE(false, true);
    for (const Axis axis : {lapwing::x, lapwing::y}) {
        Sea sea(stretched);
        sea.depth.fill([](Index i, Index j, Index) { return 40.0 + static_cast<double>(3 * i + 2 * j); });
        sea.sea_level.fill([](Index i, Index j, Index) { return 0.05 * static_cast<double>(2 * i - j); });
        sea.buoyancy.fill([&](Index i, Index j, Index k) { return 1e-3 * sea.centre(i, j, k); });
        sea.run(axis);
        for (Index k = 0; k < levels - 1; ++k)
            CHECK(sea.pressure(axis, k) == Approx(sea.pressure(axis, levels - 1)).margin(1e-12));
    }
}

TEST_CASE("lighter water ahead pushes more the deeper a layer lies") {
    for (const Axis axis : {lapwing::x, lapwing::y}) {
        Sea sea;
        sea.depth.fill([](Index, Index, Index) { return 40.0; });
        sea.buoyancy.fill(
            [&](Index i, Index j, Index) { return 1e-4 * static_cast<double>(axis == lapwing::x ? i : j); });
        sea.run(axis);
        for (Index k = 0; k < levels; ++k) {
            const double below = 40.0 * (levels - static_cast<double>(k) - 0.5) / levels;  // of the surface, m
            CHECK(sea.pressure(axis, k) == Approx(below * 1e-4 / spacing));
        }
    }
}
