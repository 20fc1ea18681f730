// Turbulence in columns: known flows, and one step against the equations written down plainly.
#include <lapwing_coast/layers/turbulence.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "dense_solution.hpp"
#include "water_column.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;
using Constants = TurbulenceConstants;

namespace {

constexpr double kappa = Constants::kappa, c_mu0 = Constants::c_mu0;
constexpr double hour = 3600.0;  // s

// A flow down a slope, long after its beginning. u*2 = force H.
struct Channel {
    static constexpr double friction_velocity = 0.03;  // m/s
    WaterColumn::Settings settings;
    WaterColumn water;

    Channel(Index levels, double depth, double roughness)
        : settings{.levels = levels,
                   .depth = depth,
                   .roughness = roughness,
                   .slope_force = friction_velocity * friction_velocity / depth,
                   .time_step = 20.0},
          water(settings) {
        for (double time = 0.0; time < 60 * hour; time += settings.time_step) water.step();
    }
    [[nodiscard]] double logarithmic(double z) const {
        return friction_velocity / kappa * std::log((z + settings.roughness) / settings.roughness);
    }
    [[nodiscard]] double parabolic_viscosity(double z) const {
        return kappa * friction_velocity * (z + settings.roughness) * (1.0 - z / settings.depth);
    }
};

// The steady k-epsilon equations of a channel (H = 10 m, z0 = z0s = 0.0015 m) solved by collocation with 98,000 nodes,
// outside this program: at z/H = 0.1, 0.2, ... 0.7.
constexpr std::array<double, 7> exact_tke{0.8841, 0.7822, 0.6861, 0.5940, 0.5055, 0.4205, 0.3393};        // u*2/c_mu0^2
constexpr std::array<double, 7> exact_viscosity{0.8932, 0.8416, 0.8119, 0.7983, 0.8002, 0.8209, 0.8681};  // parabola

}  // namespace

TEST_CASE("a channel has the logarithmic profile below, and the k-epsilon model's wake above") {
    struct Case {
        Index levels;
        double depth, roughness;
    };
    const Case c = GENERATE(Case{40, 10.0, 0.0015}, Case{60, 20.0, 0.01}, Case{40, 10.0, 0.01}, Case{60, 20.0, 0.0015});
    Channel channel(c.levels, c.depth, c.roughness);
    WaterColumn& water = channel.water;
    const double stress = channel.friction_velocity * channel.friction_velocity;
    CHECK(water.drag_coefficient() * water.velocity(0) * water.velocity(0) == Approx(stress).epsilon(1e-6));
    for (Index k = 0; k < c.levels; ++k) {
        const double z = water.centre(k);
        CHECK(water.velocity(k) == Approx(channel.logarithmic(z)).epsilon(z < 0.35 * c.depth ? 0.05 : 0.08));
    }
    CHECK(water.tke(0, 0, 0) == Approx(stress / (c_mu0 * c_mu0)).epsilon(0.05));
    for (Index k = 0; water.top(k) < 0.06 * c.depth; ++k)
        CHECK(water.viscosity(0, 0, k) == Approx(channel.parabolic_viscosity(water.top(k))).epsilon(0.11));
    for (std::size_t n = 0; n < exact_tke.size(); ++n) {
        const Index k = static_cast<Index>(n + 1) * c.levels / 10 - 1;
        CHECK(water.tke(0, 0, k) == Approx(exact_tke[n] * stress / (c_mu0 * c_mu0)).epsilon(0.01));
        CHECK(water.viscosity(0, 0, k) ==
              Approx(exact_viscosity[n] * channel.parabolic_viscosity(water.top(k))).epsilon(0.035));
    }
}

TEST_CASE("wind deepens a mixed layer as Kato and Phillips found") {
    const Index levels = GENERATE(50, 100);
    const double time_step = GENERATE(60.0, 300.0);
    const double friction_velocity = 0.01, n0 = 0.01, depth = 50.0;  // m/s, 1/s, m
    WaterColumn water({.levels = levels,
                       .depth = depth,
                       .surface_roughness = 0.02,
                       .surface_stress = friction_velocity * friction_velocity,
                       .time_step = time_step});
    water.buoyancy.fill([&](Index, Index, Index k) { return n0 * n0 * water.centre(k); });
    double time = 0.0;
    for (const double until : {10 * hour, 20 * hour, 30 * hour}) {
        for (; time < until; time += time_step) water.step();
        // J. F. Price: On the scaling of stress-driven entrainment experiments, J. Fluid Mech. 90, 1979
        const double expected = 1.05 * friction_velocity * std::sqrt(time / n0);
        Index turbulent = levels - 1, strongest = 0;
        while (turbulent > 0 && water.tke(0, 0, turbulent - 1) > 1e-5) --turbulent;
        const auto step_above = [&](Index k) { return water.buoyancy(0, 0, k + 1) - water.buoyancy(0, 0, k); };
        for (Index k = 0; k + 1 < levels; ++k)
            if (step_above(k) > step_above(strongest)) strongest = k;
        CHECK(depth - water.top(turbulent) == Approx(expected).epsilon(0.06));
        CHECK(depth - water.top(strongest) == Approx(expected).epsilon(0.06));
    }
}

TEST_CASE("an unstable column becomes uniform, and keeps its buoyancy") {
    WaterColumn water({.levels = 40, .depth = 20.0, .time_step = 30.0});
    water.buoyancy.fill([&](Index, Index, Index k) { return -1e-4 * water.centre(k); });
    const double difference = 1e-4 * 20.0, mean = -1e-4 * 10.0;  // m/s2
    for (double time = 0.0; time < 6 * hour; time += 30.0) water.step();
    for (Index k = 0; k < 40; ++k) CHECK(std::abs(water.buoyancy(0, 0, k) - mean) < 1e-3 * difference);
}

TEST_CASE("stable water without shear calms down") {
    WaterColumn water({.levels = 20, .depth = 20.0, .time_step = 100.0});
    water.tke.fill([](Index, Index, Index) { return 1e-3; });
    water.dissipation.fill([](Index, Index, Index) { return 1e-6; });
    water.buoyancy.fill([&](Index, Index, Index k) { return 1e-4 * water.centre(k); });
    for (double time = 0.0; time < 6 * hour; time += 100.0) water.step();
    for (Index k = 0; k + 1 < 20; ++k) {
        CHECK(water.tke(0, 0, k) < 1e-7);
        CHECK(water.diffusivity(0, 0, k) < 1e-6);
    }
}

namespace {

// A rough sea with land in it, all fields different everywhere.
struct Sea {
    static constexpr Index levels = 13;
    Box box{{0, 0, 0}, {77, 6, 1}};
    Memory tke{box, levels}, dissipation{box, levels}, viscosity{box, levels}, diffusivity{box, levels};
    Memory buoyancy{box, levels}, flow_x{box, levels}, flow_y{box, levels};
    Memory depth{box}, face_depth_x{box}, face_depth_y{box}, sea_level{box}, stress{box};
    std::vector<double> work = std::vector<double>(turbulence_work(levels));

    Sea() {
        const auto power = [](double from, double to, unsigned salt) {
            return [=](Index i, Index j, Index k) { return std::pow(10.0, from + (to - from) * noise(i, j, k, salt)); };
        };
        tke.fill(power(-7, -3, 1));
        dissipation.fill(power(-10, -5, 2));
        viscosity.fill(power(-5, -2, 3));
        diffusivity.fill(power(-5, -2, 4));
        buoyancy.fill(
            [](Index i, Index j, Index k) { return 2e-4 * static_cast<double>(k) + 4e-4 * noise(i, j, k, 5); });
        flow_x.fill([](Index i, Index j, Index k) { return 0.3 * noise(i, j, k, 6); });
        flow_y.fill([](Index i, Index j, Index k) { return 0.3 * noise(i, j, k, 7); });
        depth.fill(
            [](Index i, Index j, Index) { return noise(i, j, 0, 8) < 0.25 ? 0.0 : 5.0 + 40.0 * noise(i, j, 0, 9); });
        sea_level.fill([](Index i, Index j, Index) { return noise(i, j, 0, 10) - 0.5; });
        stress.fill([](Index i, Index j, Index) { return 1e-4 * noise(i, j, 0, 11); });
        const auto face = [&](Index di, Index dj) {
            return [this, di, dj](Index i, Index j, Index) {
                const bool here = i + di <= box.hi[0] && j + dj <= box.hi[1];
                const double a = depth(i, j), b = here ? depth(i + di, j + dj) : 0.0;
                return a > 0 && b > 0 ? 0.5 * (a + b) : 0.0;
            };
        };
        face_depth_x.fill(face(1, 0));
        face_depth_y.fill(face(0, 1));
    }
    Turbulence kernel() {
        return {.surface_stress = {.field = stress.view()},
                .time_step = 150.0,
                .compression = 1e-6,
                .levels = levels,
                .work = work.data()};
    }
    void step(const Box& cells) {
        kernel()(cells, tke.view(), dissipation.view(), viscosity.view(), diffusivity.view(), buoyancy.view(),
                 flow_x.view(), flow_y.view(), face_depth_x.view(), face_depth_y.view(), depth.view(),
                 sea_level.view());
    }
    std::array<Memory*, 4> written() { return {&tke, &dissipation, &viscosity, &diffusivity}; }
};

// One step of column (i, j), one equation after the other.
struct PlainColumn {
    Sea& sea;
    Turbulence c;
    Index i, j;
    double h = (sea.depth(i, j) + sea.sea_level(i, j)) / Sea::levels;  // m

    double face_shear2(Memory& flow, Memory& face_depth, Index fi, Index fj, Index di, Index dj, Index k) const {
        if (face_depth(fi, fj) == 0.0) return 0.0;
        const double face_h =
            (face_depth(fi, fj) + 0.5 * (sea.sea_level(fi, fj) + sea.sea_level(fi + di, fj + dj))) / Sea::levels;
        const double upper = flow(fi, fj, k + 1) / face_h, lower = flow(fi, fj, k) / face_h;  // m/s
        return std::pow((upper - lower) / face_h, 2);
    }
    double shear2(Index k) const {
        return 0.5 * (face_shear2(sea.flow_x, sea.face_depth_x, i - 1, j, 1, 0, k) +
                      face_shear2(sea.flow_x, sea.face_depth_x, i, j, 1, 0, k)) +
               0.5 * (face_shear2(sea.flow_y, sea.face_depth_y, i, j - 1, 0, 1, k) +
                      face_shear2(sea.flow_y, sea.face_depth_y, i, j, 0, 1, k));
    }
    double n2(Index k) const { return (sea.buoyancy(i, j, k + 1) - sea.buoyancy(i, j, k)) / h - c.compression; }

    // new - dt d/dz (nu/sigma d new/dz) + dt loss/old new = old + dt (gain + flux/h)
    template <class Gain, class Loss, class Wall>
    std::vector<double> solved(Memory& old, double sigma, Gain&& gain, Loss&& loss, Wall&& wall) const {
        const std::size_t n = Sea::levels - 1;
        std::vector<std::vector<double>> a(n, std::vector<double>(n));
        std::vector<double> b(n);
        for (Index k = 0; k + 1 < Sea::levels; ++k) {
            a[k][k] += 1.0 + c.time_step * loss(k) / old(i, j, k);
            b[k] = old(i, j, k) + c.time_step * gain(k);
            if (k == 0) b[k] += c.time_step * wall(k, c.bottom_roughness) / h;
            if (k + 2 == Sea::levels) b[k] += c.time_step * wall(k, c.surface_roughness) / h;
            if (k + 1 == n) continue;
            const double nu = 0.5 * (sea.viscosity(i, j, k) + sea.viscosity(i, j, k + 1)) / sigma;
            const double number = c.time_step * nu / (h * h);
            a[k][k] += number;
            a[k + 1][k + 1] += number;
            a[k][k + 1] -= number;
            a[k + 1][k] -= number;
        }
        return dense_solution(a, b);
    }

    std::vector<std::array<double, 4>> step() const {
        const auto p = [&](Index k) { return sea.viscosity(i, j, k) * shear2(k); };
        const auto b = [&](Index k) { return -sea.diffusivity(i, j, k) * n2(k); };
        const auto eps = [&](Index k) { return sea.dissipation(i, j, k); };
        const auto rate = [&](Index k) { return eps(k) / sea.tke(i, j, k); };  // 1/s
        const auto b3 = [&](Index k) { return (n2(k) < 0 ? Constants::c3_unstable : Constants::c3_stable) * b(k); };
        const auto new_tke = solved(
            sea.tke, Constants::sigma_k, [&](Index k) { return p(k) + b(k) > 0 ? p(k) + b(k) : p(k); },
            [&](Index k) { return p(k) + b(k) > 0 ? eps(k) : eps(k) - b(k); }, [](Index, double) { return 0.0; });
        const auto made = [&](Index k) { return Constants::c1 * p(k) + b3(k); };
        const auto new_eps = solved(
            sea.dissipation, Constants::sigma_eps,
            [&](Index k) { return rate(k) * (made(k) > 0 ? made(k) : Constants::c1 * p(k)); },
            [&](Index k) { return rate(k) * (Constants::c2 * eps(k) - (made(k) > 0 ? 0.0 : b3(k))); },
            [&](Index k, double z0) {
                return std::pow(c_mu0, 4) * std::pow(sea.tke(i, j, k), 2) / Constants::sigma_eps *
                       (h / std::pow(z0 + h, 2) + 1 / (z0 + 1.5 * h));
            });
        std::vector<std::array<double, 4>> result;
        for (Index k = 0; k + 1 < Sea::levels; ++k) {
            const double e = std::max(new_tke[k], c.least_tke);
            const double limit = std::pow(c_mu0, 3) * e * std::sqrt(std::max(n2(k), 0.0)) / (std::sqrt(2.0) * 0.53);
            const double d = std::max({new_eps[k], c.least_dissipation, limit});
            const auto f = stability_functions(std::max(e * e / (d * d) * n2(k), Canuto2001::least_buoyancy_number));
            result.push_back({e, d, f.viscosity * e * e / d + c.background_viscosity,
                              f.diffusivity * e * e / d + c.background_diffusivity});
        }
        return result;
    }
};

}  // namespace

TEST_CASE("one step is what the equations say") {
    Sea sea, before;
    sea.step(sea.box);
    int closed = 0, unstable = 0;
    for (Index j = 0; j < sea.box.hi[1]; ++j)
        for (Index i = 0; i < sea.box.hi[0]; ++i) {
            if (before.depth(i, j) == 0.0) continue;
            closed += before.face_depth_x(i, j) == 0.0;
            const PlainColumn column{before, before.kernel(), i, j};
            const auto expected = column.step();
            for (Index k = 0; k + 1 < Sea::levels; ++k) {
                unstable += column.n2(k) < 0.0;
                for (std::size_t n = 0; n < 4; ++n)
                    CHECK((*sea.written()[n])(i, j, k) == Approx(expected[k][n]).epsilon(1e-11).margin(0));
            }
            const double surface = before.stress(i, j), roughness = before.kernel().surface_roughness;
            CHECK(sea.tke(i, j, Sea::levels - 1) == Approx(surface / (c_mu0 * c_mu0)).epsilon(1e-12));
            CHECK(sea.viscosity(i, j, Sea::levels - 1) ==
                  Approx(kappa * std::sqrt(surface) * roughness + before.kernel().background_viscosity).epsilon(1e-12));
        }
    CHECK(closed > 20);
    CHECK(unstable > 100);
}

TEST_CASE("turbulence does not depend on the box it is computed in") {
    Sea whole;
    for (int n = 0; n < 3; ++n) whole.step(whole.box);
    for (const auto& boxes : cuts(whole.box)) {
        Sea sea;
        for (int n = 0; n < 3; ++n)
            for (const Box& box : boxes) sea.step(box);
        for (std::size_t n = 0; n < 4; ++n) CHECK(sea.written()[n]->values() == whole.written()[n]->values());
    }
}

TEST_CASE("turbulence reads the cells that its header names, and no others") {
    Sea sea, fenced;
    const auto outside = [&](Index i, Index j, bool x_behind, bool y_behind) {
        const Box& b = sea.box;
        const bool in_x = i >= b.lo[0] && i < b.hi[0], in_y = j >= b.lo[1] && j < b.hi[1];
        return !(in_x && in_y) && !(x_behind && in_y && i == b.lo[0] - 1) && !(y_behind && in_x && j == b.lo[1] - 1);
    };
    const auto fence = [&](Memory& field, bool x_behind, bool y_behind) {
        Memory copy = field;
        field.fill([&](Index i, Index j, Index k) {
            return outside(i, j, x_behind, y_behind) ? std::numeric_limits<double>::quiet_NaN() : copy(i, j, k);
        });
    };
    for (Memory* field : fenced.written()) fence(*field, false, false);
    for (Memory* field : {&fenced.buoyancy, &fenced.depth, &fenced.stress}) fence(*field, false, false);
    for (Memory* field : {&fenced.flow_x, &fenced.face_depth_x}) fence(*field, true, false);
    for (Memory* field : {&fenced.flow_y, &fenced.face_depth_y}) fence(*field, false, true);
    for (const Index i : {sea.box.lo[0] - 1, sea.box.hi[0]})
        for (const Index j : {sea.box.lo[1] - 1, sea.box.hi[1]})
            fenced.sea_level(i, j) = std::numeric_limits<double>::quiet_NaN();
    for (const auto& boxes : cuts(sea.box)) {
        for (const Box& box : boxes) {
            sea.step(box);
            fenced.step(box);
        }
    }
    for (std::size_t n = 0; n < 4; ++n)
        for (Index k = 0; k < Sea::levels; ++k)
            for (Index j = 0; j < sea.box.hi[1]; ++j)
                for (Index i = 0; i < sea.box.hi[0]; ++i)
                    CHECK((*fenced.written()[n])(i, j, k) == (*sea.written()[n])(i, j, k));
}

TEST_CASE("land and the cells around keep their values") {
    Sea sea, before;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    for (Index k = 0; k < Sea::levels; ++k)
        for (Index j = 0; j < sea.box.hi[1]; ++j)
            for (Index i = 0; i < sea.box.hi[0]; ++i)
                if (sea.depth(i, j) == 0) sea.buoyancy(i, j, k) = nothing;
    for (Memory* field : sea.written())
        for (Index k = 0; k < Sea::levels; ++k)
            for (Index j = 0; j < sea.box.hi[1]; ++j)
                for (Index i = 0; i < sea.box.hi[0]; ++i)
                    if (sea.depth(i, j) == 0) (*field)(i, j, k) = 0.0;
    sea.step(sea.box);
    for (std::size_t n = 0; n < 4; ++n)
        for (Index k = 0; k < Sea::levels; ++k)
            for (Index j = -1; j <= sea.box.hi[1]; ++j)
                for (Index i = -1; i <= sea.box.hi[0]; ++i) {
                    const bool inside = i >= 0 && j >= 0 && i < sea.box.hi[0] && j < sea.box.hi[1];
                    const double value = (*sea.written()[n])(i, j, k);
                    if (!inside) CHECK(value == (*before.written()[n])(i, j, k));
                    if (inside && sea.depth(i, j) == 0) CHECK(value == 0.0);
                    if (inside && sea.depth(i, j) > 0) CHECK((std::isfinite(value) && value > 0.0));
                }
}

TEST_CASE("k and eps stay positive and finite from nothing, for any time step and number of layers") {
    const double time_step = GENERATE(1e-3, 1.0, 1e3, 1e6);
    const Index levels = GENERATE(2, 3, 30);
    WaterColumn water({.levels = levels, .depth = 30.0, .surface_stress = 1e-3, .time_step = time_step});
    water.tke.fill([](Index, Index, Index) { return 0.0; });
    water.dissipation.fill([](Index, Index, Index) { return 0.0; });
    water.buoyancy.fill([&](Index, Index, Index k) { return 1e-2 * noise(0, 0, k, 1); });
    for (int n = 0; n < 200; ++n) {
        water.step();
        for (Index k = 0; k < levels; ++k) {
            CHECK((water.tke(0, 0, k) >= 1e-10 && std::isfinite(water.tke(0, 0, k))));
            CHECK((water.dissipation(0, 0, k) >= 1e-12 && std::isfinite(water.dissipation(0, 0, k))));
            CHECK((water.viscosity(0, 0, k) > 0.0 && std::isfinite(water.viscosity(0, 0, k))));
        }
    }
}
