// Horizontal mixing of momentum: what deforms the water, the viscosity that follows, and the stress that it makes.
#include <lapwing_coast/layers/horizontal_mixing.hpp>

#include <lapwing_coast/barotropic/barotropic.hpp>

#include <catch2/catch.hpp>

#include <cmath>

#include "column_fields.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;

namespace {

constexpr double dx = 100.0, dy = 50.0, thickness = 4.0;  // m

// A flow of one layer, and its mixing in the inner cells.
struct Flow {
    Box all{{0, 0, 0}, {9, 9, 1}}, strained{{1, 1, 0}, {8, 8, 1}}, stressed{{2, 2, 0}, {7, 7, 1}},
        inner{{3, 3, 0}, {6, 6, 1}};
    Memory u{all}, v{all}, over{all, 1, 1.0 / thickness}, heights{all, 1, thickness};
    Memory tension{all}, shear{all}, tension_stress{all}, shear_stress{all}, along_x{all}, along_y{all};

    // Velocities (m/s) at faces, by position in m.
    template <class U, class V>
    Flow(const U& at_x, const V& at_y) {
        u.fill([&](Index i, Index j, Index) { return thickness * at_x(dx * (double(i) + 0.5), dy * double(j)); });
        v.fill([&](Index i, Index j, Index) { return thickness * at_y(dx * double(i), dy * (double(j) + 0.5)); });
    }
    void mix(const HorizontalMixing& mixing, double largest = 1e9) {
        Strain{{1 / dx, 1 / dy}}(strained, tension.view(), shear.view(), u.view(), v.view(), over.view(), over.view());
        MixingStress stress{mixing, largest, dx * dy};
        stress(stressed, tension_stress.view(), tension.view(), shear.view(), heights.view());
        stress.at = lapwing::Location::corner;
        stress(stressed, shear_stress.view(), shear.view(), tension.view(), heights.view());
        const auto diverge = [&](Axis axis, double along, double across, Memory& tendency) {
            const MixMomentum kernel{axis, 1 / along, 1 / across};
            kernel(inner, tendency.view(), tension_stress.view(), shear_stress.view(), over.view());
        };
        diverge(lapwing::x, dx, dy, along_x);
        diverge(lapwing::y, dy, dx, along_y);
    }
};

}  // namespace

TEST_CASE("water that turns as a whole is not mixed") {
    Flow flow([](double, double y) { return -1e-3 * y; }, [](double x, double) { return 1e-3 * x; });
    flow.mix({.viscosity = 10, .smagorinsky = 0.2});
    CHECK(flow.tension(4, 4) == Approx(0.0).margin(1e-15));
    CHECK(flow.shear(4, 4) == Approx(0.0).margin(1e-15));
    CHECK(flow.along_x(4, 4) == Approx(0.0).margin(1e-13));
    CHECK(flow.along_y(4, 4) == Approx(0.0).margin(1e-13));
}

TEST_CASE("constant viscosity gives the Laplacian") {
    const auto u = [](double x, double y) { return 1e-6 * (3 * x * x + 2 * y * y); };
    const auto v = [](double x, double y) { return 1e-6 * (5 * x * x - 4 * y * y); };
    Flow flow(u, v);
    flow.mix({.viscosity = 10});
    CHECK(flow.along_x(4, 4) == Approx(thickness * 10 * 1e-6 * (6 + 4)));
    CHECK(flow.along_y(4, 4) == Approx(thickness * 10 * 1e-6 * (10 - 8)));
}

TEST_CASE("Smagorinsky's viscosity follows the strain, up to a limit") {
    Flow flow([](double, double y) { return 1e-3 * y; }, [](double, double) { return 0.0; });
    const double expected = 0.2 * 0.2 * dx * dy * 1e-3;  // m2/s
    flow.mix({.smagorinsky = 0.2});
    CHECK(flow.shear_stress(4, 4) == Approx(thickness * expected * 1e-3));
    flow.mix({.smagorinsky = 0.2}, 0.5 * expected);
    CHECK(flow.shear_stress(4, 4) == Approx(thickness * 0.5 * expected * 1e-3));
    Flow pure([](double x, double) { return 1e-3 * x; }, [](double, double y) { return -1e-3 * y; });
    pure.mix({.smagorinsky = 0.2});
    CHECK(pure.tension_stress(4, 4) == Approx(thickness * 2 * expected * 2e-3));
}

TEST_CASE("coasts do not hold the water") {
    Flow flow([](double, double) { return 1.0; }, [](double, double) { return 0.0; });
    for (Index i = -1; i <= 9; ++i) flow.over(i, 2) = flow.u(i, 2) = 0.0;  // a row of land
    flow.mix({.viscosity = 10});
    CHECK(flow.shear(4, 2) == 0.0);
    CHECK(flow.along_x(4, 3) == 0.0);
}

TEST_CASE("the limits are those of a checkerboard") {
    CoastSettings settings;
    settings.spacing_x = dx;
    settings.spacing_y = dy;
    const double most = largest_diffusivity(settings, {}, 10.0);
    CHECK(most == Approx(0.5 / (10.0 * (1 / (dx * dx) + 1 / (dy * dy)))));
    CHECK_NOTHROW(check_mixing({.viscosity = 0.5 * most, .diffusivity = most}, most));
    CHECK_THROWS_WITH(check_mixing({.viscosity = 0.51 * most}, most), Catch::Matchers::Contains("viscosity"));
    CHECK_THROWS_WITH(check_mixing({.diffusivity = 1.01 * most}, most), Catch::Matchers::Contains("diffusivity"));
    CHECK_THROWS_WITH(check_mixing({.smagorinsky = -1}, most), Catch::Matchers::Contains("Smagorinsky"));
    CHECK_THROWS_WITH(check_mixing({.viscosity = std::nan("")}, most), Catch::Matchers::Contains("viscosity"));
}
