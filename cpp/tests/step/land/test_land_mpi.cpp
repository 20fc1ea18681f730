// Steps that do not compute land have the bits of those that do, and compute less.
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "lapwing/plan/wet_plan.hpp"
#include "lapwing/schedule/strategy.hpp"
#include "lapwing/step/step.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr Index nx = 200, ny = 40;

// A wide continent with a lake, a coast along the south, and small islands.
std::shared_ptr<const Mask> continent() {
    std::vector<std::uint8_t> wet(nx * ny, 1);
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) {
            const bool inland = i > 30 && i < 170 && j > 8 + i / 40 && j < 33,
                       lake = i > 75 && i < 115 && j > 17 && j < 27;
            const bool coast = j < 4 + i / 50, island = i % 37 < 2 && j % 11 == 0;
            if ((inland && !lake) || coast || island) wet[i + nx * j] = 0;
        }
    }
    return std::make_shared<const Mask>(nx, ny, wet);
}

Index wet_cells(const Mask& mask) { return mask.count({{0, 0, 0}, {nx, ny, 1}}); }

double number(Index i, Index j) { return std::sin(0.7 * static_cast<double>(3 * i + 5 * j)); }

template <class Use>
void each_cell(const Box& box, const Use& use) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(i, j);
}

// A level and a flow that keep their land, where each cell has a value of its own that kernels read; the slope, which
// no message ever carries under `deep`; and a tracer that changes everywhere.
class Sea {
  public:
    explicit Sea(bool leaves_land) {
        if (leaves_land) set_land(domain, mask, WetForm::off);
    }
    ~Sea() { domain.close(); }

    std::shared_ptr<const Mask> mask = continent();
    Domain domain{MPI_COMM_WORLD, {nx, ny}, {true, false, false}};
    Field<double> level{domain, "level", FieldOptions{.constant_on_land = true}};
    Field<double> slope{domain, "slope", {.location = Location::xface, .constant_on_land = true}};
    Field<double> flow{domain, "flow", {.location = Location::xface, .constant_on_land = true}};
    Field<double> tracer{domain, "tracer"}, next{domain, "next"};
    Index computed = 0;  // cells, by stages that leave land out
    Index of_tracer = 0;

    void fill() {
        level.fill([&](Index i, Index j, Index) { return number(i, j); });
        slope.fill([&](Index i, Index j, Index) { return number(j, i); });
        flow.fill([&](Index i, Index j, Index) { return number(i, i + j); });
        tracer.fill([&](Index i, Index j, Index) { return number(j, j + i); });
    }
    [[nodiscard]] bool is_wet(Location place, Index i, Index j) const { return touches_water(*mask, i, j, place); }

    Stages stages() {
        const auto tilt = [this](Box box, View<double> s, View<const double> h) {
            computed += box.volume();
            each_cell(box, [&](Index i, Index j) {
                s(i, j) = is_wet(Location::xface, i, j) ? h(i + 1, j) - 0.3 * h(i, j) : number(j, (i + nx) % nx);
            });
        };
        const auto push = [this](Box box, View<double> q, View<const double> s) {
            computed += box.volume();
            each_cell(box, [&](Index i, Index j) {
                if (is_wet(Location::xface, i, j)) q(i, j) = 0.8 * q(i, j) + 0.1 * (s(i - 1, j + 1) - s(i + 1, j - 1));
            });
        };
        const auto rise = [this](Box box, View<double> h, View<const double> q) {
            computed += box.volume();
            each_cell(box, [&](Index i, Index j) {
                if (is_wet(Location::center, i, j)) h(i, j) = 0.9 * h(i, j) + 0.2 * (q(i, j) - q(i - 1, j));
            });
        };
        const auto stir = [this](Box box, View<double> b, View<const double> a, View<const double> h) {
            of_tracer += box.volume();
            each_cell(box, [&](Index i, Index j) { b(i, j) = 0.4 * a(i - 1, j) + 0.5 * a(i, j + 1) + 0.01 * h(i, j); });
        };
        const auto take = [](Box box, View<double> a, View<const double> b) {
            each_cell(box, [&](Index i, Index j) { a(i, j) = b(i, j); });
        };
        return {stage("tilt", tilt, writes(slope), reads(level, ahead(x))).on(inside()),
                stage("push", push, updates(flow), reads(slope, around(1))).on(inside()),
                stage("rise", rise, updates(level), reads(flow, behind(x))).on(inside()),
                stage("stir", stir, writes(next), reads(tracer, behind(x), ahead(y)), reads(level)).on(inside()),
                stage("take", take, writes(tracer), reads(next)).on(inside())};
    }
    static Box inside() { return {{0, 2, 0}, {nx, ny - 2, 1}}; }

    [[nodiscard]] std::vector<double> state() const {
        std::vector<double> all;
        for (const auto* field : {&level, &slope, &flow, &tracer})
            for (const double value : field->gather()) all.push_back(value);
        return all;
    }
    // Of all ranks, by all three stages, since the last call.
    [[nodiscard]] Index take_computed() { return sum(std::exchange(computed, 0)); }
    [[nodiscard]] static Index sum(Index mine) {
        return static_cast<Index>(
            reduced(MPI_COMM_WORLD, std::vector<double>{static_cast<double>(mine)}, MPI_SUM, "cells")[0]);
    }
};

std::vector<double> result(bool leaves_land, const std::string& strategy) {
    Sea sea(leaves_land);
    Step step(sea.domain, sea.stages(), {.strategy = strategy, .transport = "p2p"});
    sea.fill();
    step.run(3);
    sea.level.modified();
    step.run(strategy == "auto" ? 40 : 8);
    step.run();
    return sea.state();
}

std::string refused(const std::function<void()>& work) {
    try {
        work();
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("steps without land have the bits of those with it, by every strategy") {
    std::vector<std::string> names = strategy_names();
    for (const char* more : {"tiled:5", "deep:2+tiled:7", "deep:2+dataflow:4", "deep:3+edge-first"})
        names.emplace_back(more);
    const std::vector<double> whole = result(false, "blocking");
    for (const std::string& strategy : names) {
        INFO(strategy);
        REQUIRE((result(true, strategy) == (strategy == "auto" ? result(false, strategy) : whole)));
    }
}

TEST_CASE("stages compute little more than the water, once land has been computed, and other stages everything") {
    Sea sea(true);
    Step step(sea.domain, sea.stages(), {.transport = "p2p"});
    const Index all = nx * (ny - 4);
    sea.fill();
    step.run();
    REQUIRE(sea.take_computed() == 3 * all);
    step.run(2);
    static_cast<void>(sea.take_computed());
    step.run(10);
    const Index each = sea.take_computed() / 30;
    REQUIRE(each >= wet_cells(*sea.mask) - 4 * nx);
    REQUIRE(static_cast<double>(each) < (world_size() == 1 ? 1.15 : 1.5) * static_cast<double>(wet_cells(*sea.mask)));
    REQUIRE(Sea::sum(sea.of_tracer) == 13 * all);
    sea.flow.modified();
    step.run();
    REQUIRE(sea.take_computed() == 3 * all);
    sea.tracer.modified();  // it has no land of its own
    step.run();
    REQUIRE(sea.take_computed() < 3 * all);
}

TEST_CASE("a number that a stage reduces comes from its land too") {
    Sea sea(true);
    Reduced largest = maximum();
    const auto look = [](Box box, View<double> q, View<const double> h, double& most) {
        each_cell(box, [&](Index i, Index j) {
            q(i, j) += 0.0;
            raise_to(most, h(i, j));
        });
    };
    Step step(sea.domain, {stage("look", look, updates(sea.flow), reads(sea.level), reduces(largest))});
    sea.level.fill([&](Index i, Index j, Index) { return i == 100 && j == 14 ? 5.0 : 0.0; });
    REQUIRE_FALSE(sea.mask->wet(100, 14));
    step.run(3);
    REQUIRE(largest.value() == 5.0);
}

TEST_CASE("checked steps name the stage, the field and the cell where land changes, with whole messages too") {
    Sea sea(true);
    const auto everywhere = [](Box box, View<double> h, View<const double> a) {
        each_cell(box, [&](Index i, Index j) { h(i, j) += a(i, j); });
    };
    Step right(sea.domain, sea.stages());
    Step wrong(sea.domain, {stage("everywhere", everywhere, updates(sea.level), reads(sea.tracer))});
    sea.fill();
    right.check();
    right.run(2);
    wrong.check();
    const std::string said = refused([&] { wrong.run(1); });
    require_same(MPI_COMM_WORLD, "errors of the ranks", said);
    REQUIRE_THAT(said, Contains("stage everywhere: got another value of field level at cell (") &&
                           Contains("which is land") && Contains("constant on land"));
}

TEST_CASE("ranks with different masks are refused") {
    if (world_size() == 1) return;
    Sea sea(false);
    std::vector<std::uint8_t> wet(nx * ny, 1);
    wet[world_rank()] = 0;
    set_land(sea.domain, std::make_shared<const Mask>(nx, ny, wet), WetForm::off);
    const std::string said = refused([&] { const Step step(sea.domain, sea.stages()); });
    require_same(MPI_COMM_WORLD, "errors of the ranks", said.substr(0, 16));
    REQUIRE_THAT(said, Contains("land of the step"));
}
