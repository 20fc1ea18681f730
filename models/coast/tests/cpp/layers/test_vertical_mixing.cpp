// Mixing of a tracer and the solver below it, against a dense solution, conservation and invariance.
#include <lapwing_coast/layers/column_solver.hpp>
#include <lapwing_coast/layers/vertical_mixing.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "column_fields.hpp"
#include "dense_solution.hpp"

using namespace lapwing_coast;
using namespace lapwing_coast::testing;

namespace {

struct Sea {
    static constexpr Index levels = 23;
    Box box{{0, 0, 0}, {77, 4, 1}};
    Memory tracer{box, levels}, diffusivity{box, levels}, depth{box}, sea_level{box}, flux{box};
    std::vector<double> work = std::vector<double>(mixing_work(levels));

    Sea() {
        tracer.fill([](Index i, Index j, Index k) { return 30.0 * noise(i, j, k, 1); });
        diffusivity.fill([](Index i, Index j, Index k) { return std::pow(10.0, -7.0 + 6.0 * noise(i, j, k, 2)); });
        depth.fill([](Index i, Index j, Index) { return (i + j) % 4 == 0 ? 0.0 : 3.0 + 40.0 * noise(i, j, 0, 3); });
        sea_level.fill([](Index i, Index j, Index) { return noise(i, j, 0, 4) - 0.5; });
        flux.fill([](Index i, Index j, Index) { return 1e-3 * (noise(i, j, 0, 5) - 0.5); });
    }
    void mix(const Box& cells, const ColumnForcing& surface_flux = {}) {
        const MixTracer kernel{surface_flux, 200.0, levels, work.data()};
        kernel(cells, tracer.view(), diffusivity.view(), depth.view(), sea_level.view());
    }
    double thickness(Index i, Index j) { return (depth(i, j) + sea_level(i, j)) / levels; }
    double content(Index i, Index j) {
        double sum = 0.0;
        for (Index k = 0; k < levels; ++k) sum += tracer(i, j, k);
        return sum;
    }
};

}  // namespace

TEST_CASE("columns get the solution of the implicit system, with drag and flux") {
    constexpr Index levels = 9;
    const Box box{{0, 0, 0}, {5, 1, 1}};
    Memory value(box, levels), ahead(box, levels);
    value.fill([](Index i, Index j, Index k) { return noise(i, j, k, 1) - 0.3; });
    ahead.fill([](Index i, Index j, Index k) { return 0.02 * noise(i, j, k, 2); });
    const std::vector<double> thickness{0.5, 0.7, 1.0, 1.5, 2.0}, drag{0, 1e-3, 2e-3, 0.1, 3.0},
        flux{1e-4, 0, -2e-4, 3e-4, 1e-2};
    std::vector<double> work(diffusion_work(levels));
    const double dt = 100.0;
    const bool stretched = GENERATE(false, true);
    std::vector<double> relative(levels, 1.0);
    for (Index k = 0; k < levels && stretched; ++k) relative[k] = 0.5 + 0.125 * static_cast<double>(k);
    const LayerShape shape{stretched ? relative.data() : nullptr};

    std::vector<std::vector<double>> expected;
    for (Index i = 0; i < 5; ++i) {
        const double h = thickness[i];
        std::vector<std::vector<double>> a(levels, std::vector<double>(levels));
        std::vector<double> b;
        for (Index k = 0; k < levels; ++k) {
            b.push_back(value(i, 0, k));
            a[k][k] += 1.0;
            if (k + 1 == levels) continue;
            const double between = 0.5 * (relative[k] + relative[k + 1]);
            const double number = dt / (h * h * between) * 0.5 * (ahead(i, 0, k) + ahead(i + 1, 0, k));
            a[k][k] += number / relative[k];
            a[k][k + 1] -= number / relative[k];
            a[k + 1][k + 1] += number / relative[k + 1];
            a[k + 1][k] -= number / relative[k + 1];
        }
        a[0][0] += dt * drag[i] / (relative[0] * h);
        b.back() += dt * flux[i] / (relative[levels - 1] * h);
        expected.push_back(dense_solution(a, b));
    }

    diffuse_columns({.columns = 5,
                     .levels = levels,
                     .value = layers_at(value.view(), 0, 0),
                     .diffusivity = layers_at(ahead.view(), 0, 0),
                     .diffusivity_ahead = layers_at(ahead.view(), 1, 0),
                     .thickness = thickness.data(),
                     .bottom_drag = drag.data(),
                     .surface_flux = flux.data(),
                     .time_step = dt,
                     .shape = shape},
                    work.data());
    for (Index i = 0; i < 5; ++i)
        for (Index k = 0; k < levels; ++k) CHECK(value(i, 0, k) == Approx(expected[i][k]).margin(1e-13));
}

TEST_CASE("a cosine decays as the implicit step says") {
    constexpr Index levels = 32;
    const Box box{{0, 0, 0}, {3, 1, 1}};
    Memory value(box, levels), diffusivity(box, levels, 1e-2);
    const double pi = std::acos(-1.0), h = 0.5, dt = 60.0, number = 1e-2 * dt / (h * h);
    const auto wave = [&](Index k) { return std::cos(pi * 3 * (static_cast<double>(k) + 0.5) / levels); };
    value.fill([&](Index, Index, Index k) { return wave(k); });
    const std::vector<double> thickness(3, h);
    std::vector<double> work(diffusion_work(levels));
    const auto columns = layers_at(diffusivity.view(), 0, 0);
    diffuse_columns({.columns = 3,
                     .levels = levels,
                     .value = layers_at(value.view(), 0, 0),
                     .diffusivity = columns,
                     .diffusivity_ahead = columns,
                     .thickness = thickness.data(),
                     .time_step = dt},
                    work.data());
    const double decay = 1.0 / (1.0 + 4.0 * number * std::pow(std::sin(0.5 * pi * 3 / levels), 2));
    for (Index k = 0; k < levels; ++k) CHECK(value(1, 0, k) == Approx(decay * wave(k)).margin(1e-13));
}

TEST_CASE("content changes by the flux through the surface, and by nothing else") {
    Sea sea;
    const bool with_flux = GENERATE(false, true);
    ColumnForcing flux;
    if (with_flux) flux.field = sea.flux.view();
    std::vector<double> before;
    for (Index j = 0; j < 4; ++j)
        for (Index i = 0; i < 77; ++i) before.push_back(sea.content(i, j));
    for (int n = 0; n < 50; ++n) sea.mix(sea.box, flux);
    for (Index j = 0; j < 4; ++j)
        for (Index i = 0; i < 77; ++i) {
            const double old = before[77 * j + i];
            const double gain =
                with_flux && sea.depth(i, j) > 0 ? 50 * 200.0 * sea.flux(i, j) / sea.thickness(i, j) : 0;
            CHECK(std::abs(sea.content(i, j) - (old + gain)) <= 1e-13 * old);
        }
}

TEST_CASE("a constant keeps its bits, and mixing makes no new extreme") {
    Sea sea;
    const double constant = 0.1 + 35.0 / 3.0;
    sea.tracer.fill([&](Index, Index, Index) { return constant; });
    for (int n = 0; n < 20; ++n) sea.mix(sea.box);
    for (const double value : sea.tracer.values()) CHECK(value == constant);

    sea.tracer.fill([](Index, Index, Index k) { return k < 9 ? 1.0 : 2.0; });
    sea.mix(sea.box);
    for (const double value : sea.tracer.values()) CHECK((value >= 1.0 - 1e-15 && value <= 2.0 + 1e-15));
}

TEST_CASE("land keeps its values whatever is stored there") {
    Sea sea;
    const double flux = 1e-3, nothing = std::numeric_limits<double>::quiet_NaN();
    sea.diffusivity.fill([&](Index i, Index j, Index) { return sea.depth(i, j) > 0 ? 1e-2 : nothing; });
    const Memory before = sea.tracer;
    sea.mix(sea.box, {.everywhere = &flux});
    Memory old = before;
    for (Index k = 0; k < Sea::levels; ++k)
        for (Index j = 0; j < 4; ++j)
            for (Index i = 0; i < 77; ++i) {
                CHECK(std::isfinite(sea.tracer(i, j, k)));
                CHECK((sea.tracer(i, j, k) == old(i, j, k)) == (sea.depth(i, j) == 0));
            }
}

TEST_CASE("a column has the bits that it has alone") {
    Sea first;
    for (int n = 0; n < 3; ++n) first.mix(first.box, {.field = first.flux.view()});
    for (const auto& boxes : cuts(first.box)) {
        Sea sea;
        for (int n = 0; n < 3; ++n)
            for (const Box& box : boxes) sea.mix(box, {.field = sea.flux.view()});
        CHECK(sea.tracer.values() == first.tracer.values());
    }
}

TEST_CASE("one layer takes the flux and mixes with nothing") {
    const Box box{{0, 0, 0}, {3, 1, 1}};
    Memory tracer(box, 2, 5.0), diffusivity(box, 2, 1.0), depth(box, 1, 10.0), sea_level(box);
    std::vector<double> work(mixing_work(1));
    const double flux = 1e-2;
    const MixTracer mix{{.everywhere = &flux}, 100.0, 1, work.data()};
    mix(box, tracer.view(), diffusivity.view(), depth.view(), sea_level.view());
    CHECK(tracer(1, 0, 0) == Approx(5.1).epsilon(1e-15));
    CHECK(tracer(1, 0, 1) == 5.0);
}
