// Every stage of the weather gives the bits of the whole box however it is cut, step after step of a limited area.
#include <lapwing_weather/smoothing/relaxation.hpp>
#include <lapwing_weather/weather.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>

#include "one_process.hpp"

using namespace lapwing_weather;
using lapwing::Box;
using lapwing::Index;
using lapwing::Stage;

namespace {

constexpr Index nx = 73, ny = 29;  // more than a chunk of columns along x

WeatherSettings small_area() {
    WeatherSettings settings;
    settings.time_step = 60;
    settings.spacing_x = settings.spacing_y = 1e5;
    settings.beta = 1.5e-11;
    settings.diffusion = 1e16;
    settings.relaxation = 5;
    settings.moist = true;
    settings.levels = {{2000, 12000, 15000, 9000, 0}, {0, 0.05, 0.3, 0.7, 1}};
    return settings;
}

// The same under an open top, its gravity waves implicit by made-up modes.
WeatherSettings implicit_area() {
    WeatherSettings settings = small_area();
    settings.levels.a[0] = 0;
    const std::size_t layers = settings.levels.levels();
    VerticalModes& modes = settings.modes;
    for (std::size_t n = 0; n < layers * layers; ++n) {
        const auto number = static_cast<double>(n);
        modes.gamma.push_back(100 + number);
        modes.tau.push_back(0.1 * number);
        modes.to_modes.push_back(std::sin(number));
        modes.from_modes.push_back(std::cos(number));
    }
    modes.push.assign(layers, 8e4);
    modes.nu.assign(layers, 0.25);
    modes.speeds = {300, 150, 60, 20};
    return settings;
}

// The stage with trajectories of the air: short ones, as noise would blow up in a long step.
WeatherSettings semi_lagrangian_area() {
    WeatherSettings settings = implicit_area();
    settings.semi_lagrangian = true;
    return settings;
}

// Weather of noise in all states.
struct Noise {
    lapwing::Domain domain;
    WeatherModel model;

    Noise(const lapwing::testing::OneProcess& process, const WeatherSettings& settings)
        : domain(lapwing::block_partition({{nx, ny, 1}, {}}, {1, 1, 1}), process.comm()),
          model(domain, settings, "blocking", "p2p") {
        std::mt19937 random(7);
        for (Weather& state : model.states) fill(state, random);
        fill(model.given[0], random);
    }
    ~Noise() { domain.close(); }

    static void fill(const Weather& state, std::mt19937& random) {
        put(state.wind[0], -10, 10, random);
        put(state.wind[1], -10, 10, random);
        put(state.temperature, 250, 290, random);
        put(state.pressure, 9.5e4, 1.02e5, random);
        put(state.humidity[0], 0, 0.01, random);
    }

    static void put(const DoubleField& field, double least, double most, std::mt19937& random) {
        std::uniform_real_distribution<double> value(least, most);
        const auto view = field.memory().view<double>();
        const Box& owned = field.memory().blocks()[0].owned;
        const bool x_wall = field.spec().location == lapwing::Location::xface;
        const bool y_wall = field.spec().location == lapwing::Location::yface;
        for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
            for (Index j = 0; j < ny - (y_wall ? 1 : 0); ++j)
                for (Index i = 0; i < nx - (x_wall ? 1 : 0); ++i) view(i, j, k) = value(random);
    }
};

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const lapwing::AnyField& field) {
    const lapwing::Block& block = field.blocks()[0];
    Index values = 1;
    for (int axis = 0; axis < 3; ++axis) values *= block.allocated.size(axis);
    return {block.data, block.data + values * sizeof(double)};
}

std::vector<Bytes> saved(const Stage& stage) {
    std::vector<Bytes> all;
    for (const lapwing::AnyField* field : stage.writes) all.push_back(bytes_of(*field));
    return all;
}

void restore(const Stage& stage, const std::vector<Bytes>& values) {
    for (std::size_t n = 0; n < values.size(); ++n)
        std::memcpy(stage.writes[n]->blocks()[0].data, values[n].data(), values[n].size());
}

Box region_of(const Stage& stage) { return stage.region.value_or(Box{{0, 0, 0}, {nx, ny, 1}}); }

void set(const Fields& fields, double value) {
    for (DoubleField field : fields) field.fill([value](Index, Index, Index) { return value; });
}

// A box cut at random along both axes, its parts in random order.
std::vector<Box> cut(const Box& box, std::mt19937& random) {
    std::vector<Box> parts;
    const auto pieces = [&](int axis) {
        std::vector<Index> cuts{box.lo[axis]};
        while (cuts.back() < box.hi[axis])
            cuts.push_back(std::min<Index>(box.hi[axis], cuts.back() + 1 + static_cast<Index>(random() % 19)));
        return cuts;
    };
    const std::vector<Index> x = pieces(0), y = pieces(1);
    for (std::size_t b = 0; b + 1 < y.size(); ++b)
        for (std::size_t a = 0; a + 1 < x.size(); ++a) parts.push_back({{x[a], y[b], 0}, {x[a + 1], y[b + 1], 1}});
    std::ranges::shuffle(parts, random);
    return parts;
}

// Stages give the bits of the whole box however it is cut.
void check_cuts(Noise& noise) {
    std::mt19937 random(11);
    const auto& cycle = noise.model.step().report().cycle();
    for (int step = 0; step < 7; ++step) {
        noise.model.tick();
        for (const Stage& stage : cycle[step % 3]) {
            const std::vector<Bytes> before = saved(stage);
            stage.kernel(stage.contexts[0], region_of(stage));
            const std::vector<Bytes> whole = saved(stage);
            INFO(stage.name << " in step " << step);
            const bool changed = whole != before, filter_off = step < 2 && stage.name == "time_filter";
            CHECK(changed != filter_off);
            restore(stage, before);
            for (const Box& part : cut(region_of(stage), random)) stage.kernel(stage.contexts[0], part);
            const bool same = saved(stage) == whole;
            CHECK(same);
        }
    }
    for (const DoubleField& field : fields_of(noise.model.states[noise.model.newest()])) {
        const auto view = field.memory().view<double>();
        CHECK(std::isfinite(view(nx / 2, ny / 2)));
    }
}

// The frame draws winds, temperature and pressure alike at opposite sides.
void check_frame(Noise& noise) {
    const Weather& next = noise.model.states[0];
    set(fields_of(next), 0.0);
    set(fields_of(noise.model.given[0]), 1.0);
    const auto& cycle = noise.model.step().report().cycle();
    for (const Stage& stage : std::span(cycle[0]).last(4)) {  // after a solver, and not those before it
        CHECK(stage.name == "relaxation");
        stage.kernel(stage.contexts[0], region_of(stage));
    }
    for (const DoubleField& field : fields_of(next)) {
        INFO(field.name());
        const auto view = field.memory().view<double>();
        const Index points_x = nx - (field.spec().location == lapwing::Location::xface ? 1 : 0);
        const Index points_y = ny - (field.spec().location == lapwing::Location::yface ? 1 : 0);
        int wrong = 0;
        for (Index j = 0; j < points_y; ++j)
            for (Index i = 0; i < points_x; ++i) {
                const Index from = std::min({i, j, points_x - 1 - i, points_y - 1 - j});
                wrong += view(i, j) != relaxation_weight(from, 5);
            }
        CHECK(wrong == 0);
    }
}

}  // namespace

// One case, as MPI can be started once in a process.
TEST_CASE("stages of the weather do not depend on how boxes are cut, nor the frame on the side") {
    const lapwing::testing::OneProcess process;
    for (const WeatherSettings& settings : {small_area(), implicit_area(), semi_lagrangian_area()}) {
        INFO(settings.modes.speeds.size()
             << " vertical modes" << (settings.semi_lagrangian ? ", semi-Lagrangian" : ""));
        Noise noise(process, settings);
        check_cuts(noise);
        check_frame(noise);
    }
}
