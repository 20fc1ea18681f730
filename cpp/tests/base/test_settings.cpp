// Structs that list their settings: names of choices, and texts that are equal where all values are.
#include "lapwing/base/settings.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace {

enum class Shape { flat, steep };
constexpr lapwing::Names<Shape, 2> shapes{{{Shape::flat, "flat"}, {Shape::steep, "steep"}}};
constexpr const auto& names_of(Shape) { return shapes; }

struct Water {
    double density = 1025.0;

    static constexpr std::tuple declared{lapwing::Setting{"density", &Water::density, "kg/m3"}};
};

struct Sea {
    double depth = 60.0;
    Shape shape = Shape::flat;
    std::array<double, 2> wind{};
    std::vector<double> times;
    std::vector<lapwing::Box> open;
    Water water;

    static constexpr std::tuple declared{
        lapwing::Setting{"depth", &Sea::depth, "m"},   lapwing::Setting{"shape", &Sea::shape, "of the bottom"},
        lapwing::Setting{"wind", &Sea::wind, "m/s"},   lapwing::Setting{"times", &Sea::times, "s"},
        lapwing::Setting{"open", &Sea::open, "cells"}, lapwing::Setting{"water", &Sea::water, ""}};
};

}  // namespace

TEST_CASE("every setting changes the text, to the last bit") {
    Sea sea;
    sea.times = {0, 1};
    sea.open = {{{0, 0, 0}, {2, 1, 1}}};
    CHECK(lapwing::text_of(sea) == lapwing::text_of(Sea(sea)));
    std::vector<Sea> others(6, sea);
    others[0].depth = std::nextafter(sea.depth, 100.0);
    others[1].shape = Shape::steep;
    others[2].wind[1] = 1e-300;
    others[3].times[1] = std::nextafter(1.0, 2.0);
    others[4].open[0].hi[0] = 3;
    others[5].water.density = 1026;
    for (const Sea& other : others) CHECK(lapwing::text_of(other) != lapwing::text_of(sea));
}

TEST_CASE("a choice is found by its name") {
    CHECK(lapwing::name_of(Shape::steep) == "steep");
    CHECK(lapwing::value_of<Shape>("shape", "steep") == Shape::steep);
    CHECK_THROWS_WITH(lapwing::value_of<Shape>("shape", "round"),
                      "shape: got round; expected flat or steep; choose one of these");
}
