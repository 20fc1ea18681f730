// Momentum on a sphere: what turning axes do to it, against the terms of longitude and latitude.
#include <lapwing_coast/layers/momentum_advection.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

#include "column_fields.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;

namespace {

constexpr double radius = 6.371e6, thickness = 10.0, step = std::numbers::pi / 180.0;  // m, m, rad

// Latitude of the centre of row j, rad.
double latitude(double j) { return (30.0 + j) * step; }

double length_x(double j) { return radius * std::cos(latitude(j)) * step; }  // m
constexpr double length_y = radius * step;                                   // m

// The tendency (m2/s2) that advection gives flows which depend on latitude alone.
struct Sphere {
    Box box{{0, 0, 0}, {6, 9, 1}};
    Memory along{box}, across{box}, vertical{box}, over{box, 1, 1.0 / thickness}, tendency{box};
    Memory width{box}, width_across{box}, over_area{box}, widening_along{box}, widening_across{box};

    void run(Axis axis) {
        const bool is_x = axis == lapwing::x;
        const double half = is_x ? 0.0 : 0.5;  // from the centre of a row to the face
        width.fill([&](Index, Index j, Index) { return is_x ? length_y : length_x(static_cast<double>(j) + 0.5); });
        width_across.fill(
            [&](Index, Index j, Index) { return is_x ? length_x(static_cast<double>(j) + 0.5) : length_y; });
        over_area.fill(
            [&](Index, Index j, Index) { return 1.0 / (length_x(static_cast<double>(j) + half) * length_y); });
        const auto shrinking = [&](Index, Index j, Index) {
            return -std::tan(latitude(static_cast<double>(j) + half)) / radius;
        };
        (is_x ? widening_across : widening_along).fill(shrinking);
        const MomentumAdvection kernel{axis};
        kernel(box, tendency.view(), along.view(), across.view(), vertical.view(), over.view(), {width.view()},
               {width_across.view()}, {over_area.view()}, {widening_along.view()}, {widening_across.view()});
    }
};

}  // namespace

TEST_CASE("a flow to the east is driven off the axis of the earth") {
    Sphere sphere;
    sphere.across.fill([](Index, Index, Index) { return thickness * 2.0; });  // 2 m/s
    sphere.run(lapwing::y);
    const double expected = -thickness * 2.0 * 2.0 * std::tan(latitude(4.5)) / radius;
    CHECK(sphere.tendency(3, 4) == Approx(expected));
}

TEST_CASE("a flow to the north carries angular momentum") {
    Sphere sphere;
    const auto over_cosine = [](double j) { return 1.0 / std::cos(latitude(j)); };
    sphere.along.fill([&](Index, Index j, Index) { return thickness * over_cosine(static_cast<double>(j)); });
    sphere.across.fill([&](Index, Index j, Index) { return thickness * over_cosine(static_cast<double>(j) + 0.5); });
    sphere.run(lapwing::x);
    const double u = over_cosine(4), term = thickness * u * u * std::tan(latitude(4)) / radius;  // m/s, m2/s2
    CHECK(std::abs(sphere.tendency(3, 4)) < 0.05 * term);  // both terms cancel, to first order
}
