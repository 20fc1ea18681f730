// Stages that name each field once, against plain loops over the whole grid; and what a declaration may not say.
#include "lapwing/step/typed_stage.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "lapwing/base/error.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/step/step.hpp"
#include "run_catch.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr Index nx = 24, ny = 18;

void spread(Box box, View<double> next, View<const double> heat) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            next(i, j) = heat(i, j) + 0.2 * (heat(i - 1, j) + heat(i + 1, j) - 2.0 * heat(i, j)) +
                         0.1 * (heat(i, j - 1) + heat(i, j + 1) - 2.0 * heat(i, j));
}

double first(Index i, Index j) { return std::sin(0.7 * static_cast<double>(3 * i + 5 * j)); }

// The result of the plain loops, x fastest; periodic along both axes.
std::vector<double> plain(int steps, Index cells_x = nx, Index cells_y = ny) {
    std::vector<double> from(cells_x * cells_y), to(cells_x * cells_y);
    const auto at = [&](std::vector<double>& values, Index i, Index j) -> double& {
        return values[static_cast<std::size_t>((j + cells_y) % cells_y * cells_x + (i + cells_x) % cells_x)];
    };
    for (Index j = 0; j < cells_y; ++j)
        for (Index i = 0; i < cells_x; ++i) at(from, i, j) = first(i, j);
    for (int n = 0; n < 2 * steps; ++n) {
        for (Index j = 0; j < cells_y; ++j)
            for (Index i = 0; i < cells_x; ++i)
                at(to, i, j) = at(from, i, j) + 0.2 * (at(from, i - 1, j) + at(from, i + 1, j) - 2.0 * at(from, i, j)) +
                               0.1 * (at(from, i, j - 1) + at(from, i, j + 1) - 2.0 * at(from, i, j));
        from.swap(to);
    }
    return from;
}

// A domain that is closed at the end of a test.
struct Sheet {
    Domain domain{MPI_COMM_WORLD, {nx, ny}, periodic_xy};
    Field<double> a{domain, "a"}, b{domain, "b"};
    ~Sheet() { domain.close(); }
};

// The message of the UserError that making a step of these stages ends with, the same on all ranks.
std::string refused(Domain& domain, const Stages& stages) {
    std::string said;
    try {
        Step step(domain, stages);
    } catch (const UserError& error) {
        said = error.what();
    }
    require_same(MPI_COMM_WORLD, "errors of the ranks", said);
    return said;
}

void leave(Box, View<double>, View<const double>) {}

}  // namespace

TEST_CASE("declared stages have the bits of the plain loop under every strategy, and say no halo") {
    for (const char* strategy : {"blocking", "edge-first", "dataflow", "dataflow:4", "3s", "deep:2", "auto"}) {
        Sheet sheet;
        Step step(sheet.domain,
                  {stage("there", spread, writes(sheet.b), reads(sheet.a, cross(1))),
                   stage("back", spread, writes(sheet.a), reads(sheet.b, cross(1)))},
                  {.strategy = strategy});
        sheet.a.fill([](Index i, Index j, Index) { return first(i, j); });
        step.run(6);
        const std::vector<double> values = sheet.a.gather();
        if (world_rank() == 0) REQUIRE(values == plain(6));
        if (world_rank() != 0) REQUIRE(values.empty());
    }
}

TEST_CASE("words of two axes serve a grid whose other axis has one cell, which is its own neighbour") {
    for (const auto& [cells_x, cells_y] : {std::pair<Index, Index>{11, 1}, {1, 11}}) {
        for (const char* strategy : {"blocking", "edge-first", "dataflow"}) {
            for (const Extent& word : {cross(1), around(1)}) {
                Domain domain(MPI_COMM_WORLD, {cells_x, cells_y}, periodic_xy);
                Field<double> a(domain, "a"), b(domain, "b");
                Step step(domain,
                          {stage("there", spread, writes(b), reads(a, word)),
                           stage("back", spread, writes(a), reads(b, word))},
                          {.strategy = strategy});
                a.fill([](Index i, Index j, Index) { return first(i, j); });
                step.run(3);
                const std::vector<double> values = a.gather();
                if (world_rank() == 0) REQUIRE(values == plain(3, cells_x, cells_y));
                domain.close();
            }
        }
    }
}

// Braces without a constructor would take `.halo = 2` for two cells towards smaller x.
template <class Options>
concept halo_of_a_number = requires { Options{.halo = 2}; };
static_assert(!halo_of_a_number<FieldOptions>);

TEST_CASE("words for extents say what kernels read") {
    REQUIRE(ahead(x) == Extent{{0, 0, 0}, {1, 0, 0}, false});
    REQUIRE(behind(y, 2) == Extent{{0, 2, 0}, {0, 0, 0}, false});
    REQUIRE(cross(ahead(x), behind(y)) == Extent{{0, 1, 0}, {1, 0, 0}, false});
    REQUIRE(around(2) == Extent::horizontal(2));
    REQUIRE(cross() == Extent::cross(1));
    Sheet sheet;
    REQUIRE(reads(sheet.a, ahead(x), behind(y)).use.extent == Extent{{0, 1, 0}, {1, 0, 0}});
    REQUIRE(reads(sheet.a).use.extent == Extent{});
}

TEST_CASE("fields get the halo that the stages need, and none that nobody reads") {
    Sheet sheet;
    const Step step(sheet.domain, {stage("there", leave, writes(sheet.b), reads(sheet.a, ahead(x, 2)))});
    for (const Block& block : sheet.a.memory().blocks()) {
        REQUIRE(block.allocated.hi[0] == block.owned.hi[0] + 2);
        REQUIRE(block.allocated.lo[0] == block.owned.lo[0]);
        REQUIRE(block.allocated.lo[1] == block.owned.lo[1]);
    }
    for (const Block& block : sheet.b.memory().blocks()) REQUIRE(block.allocated == block.owned);
}

TEST_CASE("auto leaves room for deep halos where boxes are wide, which with levels are wider") {
    const auto halo_under_auto = [](int levels) {
        Domain domain(MPI_COMM_WORLD, {nx, ny}, periodic_xy);
        Field<double> a(domain, "a", FieldOptions{.levels = levels}), b(domain, "b", FieldOptions{.levels = levels});
        const Step step(domain,
                        {stage("there", leave, writes(b), reads(a, around(1))),
                         stage("back", leave, writes(a), reads(b, around(1)))},
                        {.strategy = "auto"});
        const Block& block = a.memory().blocks()[0];
        const Index width = block.allocated.hi[1] - block.owned.hi[1];
        domain.close();
        return width;
    };
    REQUIRE(halo_under_auto(0) > 1);
    REQUIRE(halo_under_auto(60) == 1);
}

TEST_CASE("a field that no stage uses gets memory when asked for, and keeps what it has") {
    Sheet sheet;
    sheet.a.allocate();
    for (const Block& block : sheet.a.memory().blocks()) REQUIRE(block.allocated == block.owned);
    sheet.a.fill([](Index i, Index j, Index) { return first(i, j); });
    sheet.a.allocate();
    sheet.a.each([](double value, Index i, Index j, Index) { REQUIRE(value == first(i, j)); });
}

TEST_CASE("declarations that cannot be right are refused on all ranks") {
    Sheet sheet, other;
    const auto copies = [](const Field<double>& to, const Field<double>& from) {
        return stage("copies", leave, writes(to), reads(from));
    };
    REQUIRE_THAT(refused(sheet.domain, {stage("idle", [](Box) {})}), Contains("stage idle") && Contains("no field"));
    REQUIRE_THAT(refused(sheet.domain, {copies(sheet.a, other.a)}), Contains("field a of another domain"));
    REQUIRE_THAT(
        refused(sheet.domain, {stage(
                                  "twice", [](Box, View<double>, View<double>) {}, writes(sheet.a), updates(sheet.a))}),
        Contains("field a named twice"));
    Field<double> unused(sheet.domain, "unused");
    REQUIRE_THROWS_WITH(unused.fill([](Index, Index, Index) { return 0.0; }), Contains("before it has memory"));
}

TEST_CASE("a declaration that is wrong on one rank is refused on all") {
    Sheet sheet;
    const bool last = sheet.domain.rank() == sheet.domain.ranks() - 1;
    const Stage good = stage("copies", leave, writes(sheet.b), reads(sheet.a));
    const Stage empty = stage("idle", [](Box) {});
    REQUIRE_THAT(refused(sheet.domain, {last ? empty : good}), Contains("stage idle") && Contains("no field"));
    const Stage twice = stage("twice", leave, writes(sheet.b), reads(sheet.a));
    REQUIRE_THAT(refused(sheet.domain, {good, last ? empty : twice}), Contains("stage idle"));
}

TEST_CASE("what a kernel throws comes with stage, step, box and rank, and is what it was") {
    Sheet sheet;
    int calls = 0;
    const auto fails = [&](Box, View<double>) {
        if (++calls == 2) throw std::length_error("no such row");
    };
    const auto refuses = [](Box, View<double>) { user_error("depth", -1, "more than 0", "correct it"); };
    Step broken(sheet.domain, {stage("fails", fails, writes(sheet.a))});
    broken.run(1);
    const std::string rank = concat("rank ", sheet.domain.rank(), " of ", sheet.domain.ranks());
    try {
        broken.run(1);
        FAIL("nothing was thrown");
    } catch (const OutsideError& error) {
        REQUIRE_THAT(error.what(), Contains("no such row; in stage fails of step 2, box ") && Contains(rank));
        REQUIRE_THROWS_AS(std::rethrow_if_nested(error), std::length_error);
    }
    Step wrong(sheet.domain, {stage("refuses", refuses, writes(sheet.a))});
    REQUIRE_THROWS_AS(wrong.run(1), UserError);
    REQUIRE_THROWS_WITH(wrong.run(1), Contains("depth: got -1") && Contains("in stage refuses of step 2"));
}

TEST_CASE("stages and lists of stages are put in order") {
    Sheet sheet;
    const Stage one = stage("one", leave, writes(sheet.b), reads(sheet.a));
    const Stage two = stage("two", leave, writes(sheet.a), reads(sheet.b));
    std::string names;
    for (const Stage& each : in_order(two, Stages{one, two}, Stages{}, one)) names += each.name + " ";
    REQUIRE(names == "two one two one ");
}

TEST_CASE("kernels are functions, lambdas with and without a state, and objects that keep one per box") {
    Sheet sheet;
    struct Counts {
        double calls = 0;
        void operator()(Box box, const View<double>& out) { out(box.lo[0], box.lo[1]) = ++calls; }
    };
    const double given = 3.0;
    const auto put = [](Box box, View<double> out) { out(box.lo[0], box.lo[1]) = 2.0; };
    const auto add = [given](Box box, View<double> out) { out(box.lo[0], box.lo[1]) += given; };
    Step lambdas(sheet.domain, {stage("put", put, writes(sheet.a)), stage("add", add, updates(sheet.a))});
    Step objects(sheet.domain, {stage("counts", Counts{}, writes(sheet.b))});
    lambdas.run(2);
    objects.run(2);
    for (const Block& block : sheet.a.memory().blocks()) {
        REQUIRE(sheet.a.memory().view<double>()(block.owned.lo[0], block.owned.lo[1]) == 5.0);
        REQUIRE(sheet.b.memory().view<double>()(block.owned.lo[0], block.owned.lo[1]) == 2.0);
    }
}

TEST_CASE("fields of no step exchange one cell, and those that have memory what they have") {
    Sheet sheet;
    Field<double> wide(sheet.domain, "wide", FieldOptions{.halo = around(2)});
    Exchange halos(sheet.domain, {sheet.a, wide});
    const auto place = [](Index i, Index j, Index) { return first((i + nx) % nx, (j + ny) % ny); };
    sheet.a.fill(place);
    wide.fill(place);
    halos.run();
    for (const auto& [field, width] : {std::pair{sheet.a, 1}, std::pair{wide, 2}}) {
        const Block& block = field.memory().blocks().front();
        const View<double> view = field.memory().view<double>();
        REQUIRE(block.allocated == grow(block.owned, Extent::horizontal(width)));
        for (Index j = block.allocated.lo[1]; j < block.allocated.hi[1]; ++j)
            for (Index i = block.allocated.lo[0]; i < block.allocated.hi[0]; ++i) REQUIRE(view(i, j) == place(i, j, 0));
    }
}

// Counts down from 3 in one cell, which most ranks own nothing of: they loop as long as the others.
TEST_CASE("a loop that begins with a stage of no cells here runs as often as elsewhere") {
    Sheet sheet;
    const Reduced left = maximum();
    const auto one_less = [](Box, View<double> count) { count(0, 0) -= 1.0; };
    const auto see = [](Box box, View<double> rounds, View<const double> count, double& most) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                rounds(i, j) += 1.0, most = std::max(most, i == 0 && j == 0 ? count(i, j) : 0.0);
    };
    Step step(sheet.domain, repeated({stage("one less", one_less, updates(sheet.a)).on({{0, 0, 0}, {1, 1, 1}}),
                                      stage("see", see, updates(sheet.b), reads(sheet.a), reduces(left))},
                                     while_above(0)));
    sheet.a.fill([](Index, Index, Index) { return 3.0; });
    step.run(1);
    sheet.b.each([](double rounds, Index, Index, Index) { REQUIRE(rounds == 3.0); });
    REQUIRE(left.value() == 0.0);
}

TEST_CASE("a number within a loop begins again each time") {
    Sheet sheet;
    const Reduced largest = maximum(), goes_on = maximum();
    std::vector<double> seen;
    const auto measure = [](Box box, View<const double> value, double& most) {
        most = std::max(most, value(box.lo[0], box.lo[1]));
    };
    const auto halve = [&](Box box, View<double> value, double& on) {
        seen.push_back(largest.value());
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) value(i, j) *= 0.5;
        on = std::max(on, value(box.lo[0], box.lo[1]) > 1.0 ? 1.0 : 0.0);
    };
    Step step(sheet.domain, repeated({stage("measure", measure, reads(sheet.a), reduces(largest)),
                                      stage("halve", halve, updates(sheet.a), reduces(goes_on))},
                                     while_above(0)));
    sheet.a.fill([](Index, Index, Index) { return 8.0; });
    step.run(1);
    REQUIRE(seen == std::vector<double>{8.0, 4.0, 2.0});
}

TEST_CASE("a number that is lost in one cell is lost on all ranks") {
    for (const auto& [number, keep] : {std::pair(maximum(), &raise_to), std::pair(minimum(), &lower_to)}) {
        Sheet sheet;
        const auto one_is_lost = [keep](Box box, View<const double> value, double& partial) {
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i) keep(partial, value(i, j));
        };
        Step step(sheet.domain, {stage("number", one_is_lost, reads(sheet.a), reduces(number))});
        sheet.a.fill(
            [](Index i, Index j, Index) { return i == 2 && j == 1 ? std::numeric_limits<double>::quiet_NaN() : 1.0; });
        step.run(1);
        REQUIRE(std::isnan(number.value()));
    }
}

TEST_CASE("an exchange is of fields of its domain, each once") {
    Domain domain(MPI_COMM_WORLD, {12, 10}, {}), other(MPI_COMM_WORLD, {12, 10}, {true, false, false});
    const Field<double> here(domain, "here"), there(other, "there");
    REQUIRE_THROWS_WITH(Exchange(domain, {here, there}), Catch::Contains("field there of another domain"));
    REQUIRE_THROWS_WITH(Exchange(domain, {here, here}), Catch::Contains("field here twice"));
    REQUIRE_NOTHROW(Exchange(domain, {here}));
}
