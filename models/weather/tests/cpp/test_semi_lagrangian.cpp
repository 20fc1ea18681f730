// Trajectories of the air: a cubic is fetched as it is, from as far as the wind blows, and from within the grid.
#include <lapwing_weather/dynamics/semi_lagrangian.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace lapwing_weather;
using lapwing::Block;
using lapwing::Box;
using lapwing::Index;
using lapwing::View;

namespace {

constexpr Index nx = 80, ny = 30;  // more than a chunk of columns along x
const Box grid{{0, 0, 0}, {nx, ny, 1}};

// Values of a box and a halo around it; beyond the grid nothing that could be meant.
class Values {
  public:
    explicit Values(Index levels = 1, double beyond = 1e30) : room_(grid), memory_() {
        for (std::size_t axis = 0; axis < 2; ++axis) {
            room_.lo[axis] -= departure_halo;
            room_.hi[axis] += departure_halo;
        }
        room_.hi[2] = levels;
        memory_.assign(room_.size(0) * room_.size(1) * levels, beyond);
    }
    [[nodiscard]] View<double> view() { return View<double>(block()); }
    [[nodiscard]] View<const double> read() { return View<const double>(block()); }
    template <class Function>
    void set(Function&& function) {
        const auto values = view();
        for (Index k = 0; k < room_.hi[2]; ++k)
            for (Index j = 0; j < ny; ++j)
                for (Index i = 0; i < nx; ++i)
                    values(i, j, k) = function(static_cast<double>(i), static_cast<double>(j));
    }

  private:
    [[nodiscard]] Block block() {
        constexpr Index value = sizeof(double);
        const Index row = room_.size(0) * value;
        return {0, grid, room_, reinterpret_cast<std::byte*>(memory_.data()), {value, row, row * room_.size(1), 0}};
    }

    Box room_;
    std::vector<double> memory_;
};

double cubic(double x, double y) {
    const double a = (x - 30.0) / 30.0, b = (y - 12.0) / 12.0;
    return 1.0 + a * a * a - 2.0 * a * a * b * b * b + b * b - 0.5 * a;
}

}  // namespace

TEST_CASE("a cubic arrives as it was where the air came from") {
    for (const auto& [east, north] :
         {std::pair{0.0, 0.0}, std::pair{0.3, -0.8}, std::pair{3.3, -2.7}, std::pair{-7.9, 7.5}, std::pair{2.0, 4.0}}) {
        for (const int axis : {-1, 0, 1}) {
            CAPTURE(east, north, axis);
            Values along_x(2), along_y(2), advected, stepped;
            along_x.set([east = east](double, double) { return east; });
            along_y.set([north = north](double, double) { return north; });
            advected.set(cubic);
            stepped.set([](double, double) { return 0.25; });
            // on no layers: by the second level of the displacements
            const Arrival arrival{{{axis, 0}}, 1, Walls(lapwing::Grid{{nx, ny, 1}, {}})};
            arrival(grid, {stepped.view()}, {advected.read()}, {along_x.read(), along_y.read()});
            const auto found = stepped.view();
            double worst = 0.0;
            for (Index j = 0; j < ny - (axis == 1 ? 1 : 0); ++j)
                for (Index i = 0; i < nx - (axis == 0 ? 1 : 0); ++i) {
                    const double x = std::min(std::max(static_cast<double>(i) - east, 0.0), nx - 1.0);
                    const double y = std::min(std::max(static_cast<double>(j) - north, 0.0), ny - 1.0);
                    worst = std::max(worst, std::abs(found(i, j) - 0.25 - cubic(x, y)));
                }
            CHECK(worst < 1e-13);
            if (axis == 0) CHECK(found(nx - 1, 3) == 0.25);  // a wall
        }
    }
}

TEST_CASE("a trajectory follows the wind at its middle, in wind that grows along it") {
    Values along_x(2), along_y(2), advected, stepped;
    constexpr double growth = 0.05;  // of the displacement per cell
    along_x.set([](double x, double) { return growth * x; });
    along_y.set([](double, double) { return 0.0; });
    advected.set([](double x, double) { return x; });
    stepped.set([](double, double) { return 0.0; });
    const Arrival arrival{{{-1, 1}}, 1, Walls(lapwing::Grid{{nx, ny, 1}, {}})};
    arrival(grid, {stepped.view()}, {advected.read()}, {along_x.read(), along_y.read()});
    // d = growth (x - d / 2), which two iterations after the first guess solve except for (growth / 2)^3
    const double x = 40.0, d = growth * x / (1.0 + 0.5 * growth);
    CHECK(std::abs(stepped.view()(40, 10) - (x - d)) < 1.1 * d * std::pow(0.5 * growth, 3));
    CHECK(std::abs(stepped.view()(40, 10) - (x - d)) > 0.0);
}

TEST_CASE("the halo that departure points need grows with the wind, and winds that are no numbers lead nowhere") {
    for (const auto& [wind, cells] :
         {std::pair{0.0, 3.0}, std::pair{1.9, 3.0}, std::pair{2.0, 4.0}, std::pair{7.5, 9.0}, std::pair{8.0, 10.0},
          std::pair{500.0, 10.0}, std::pair{std::nan(""), 3.0}}) {
        CAPTURE(wind);
        Values u(2, 0.0), v(2, 0.0), along_x(3), along_y(3), advected, stepped;
        double widest = -INFINITY;
        const double length = 2.0;
        u.set([wind = wind](double, double) { return 0.5 * wind; });
        v.set([](double, double) { return 0.0; });
        const Displacements displace{{0.25, 0.75}, 1.0, 1.0, &length};
        displace(grid, {along_x.view(), along_y.view()}, u.read(), v.read(), widest);
        CHECK(widest == cells);
        advected.set(cubic);
        stepped.set([](double, double) { return 0.0; });
        const Arrival arrival{{{-1, 0}}, 2, Walls(lapwing::Grid{{nx, ny, 1}, {true, true, false}})};
        const Box within{{10, 10, 0}, {nx - 10, ny - 10, 1}};  // its halo, whatever the wind
        arrival(within, {stepped.view()}, {advected.read()}, {along_x.read(), along_y.read()});
        if (std::isfinite(wind)) CHECK(std::isfinite(stepped.view()(40, 15)));
    }
}
