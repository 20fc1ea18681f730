// The words of declared stages beyond reading and writing: several fields alike, kernels per box, scattering, halos on
// demand, what all ranks do together, and room for other strategies.
#include "lapwing/step/typed_stage.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "lapwing/step/step.hpp"
#include "run_catch.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr Index nx = 24, ny = 18;

// A domain that is closed at the end of a test.
struct Sheet {
    Domain domain{MPI_COMM_WORLD, {nx, ny}, periodic_xy};
    Field<double> a{domain, "a"}, b{domain, "b"};
    ~Sheet() { domain.close(); }
};

double place(Index i, Index j) { return static_cast<double>((i + nx) % nx + 100 * ((j + ny) % ny)); }
double here(Index i, Index j, Index) { return place(i, j); }

template <class Use>
void each_cell(const Box& box, const Use& use) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(i, j);
}

int width(const Field<double>& field) {
    int least = 1000;
    for (const Block& block : field.memory().blocks())
        least = std::min(least, static_cast<int>(block.owned.lo[0] - block.allocated.lo[0]));
    return least;
}

}  // namespace

TEST_CASE("several fields alike are views in their order") {
    Sheet sheet;
    const std::vector<Field<double>> both{sheet.a, sheet.b};
    Field<double> sum(sheet.domain, "sum");
    const auto add = [](Box box, View<double> total, const std::vector<View<const double>>& parts) {
        each_cell(box, [&](Index i, Index j) { total(i, j) = parts[0](i - 1, j) + 2.0 * parts[1](i - 1, j); });
    };
    const auto grow = [](Box box, std::vector<View<double>>& parts) {
        each_cell(box, [&](Index i, Index j) { parts[1](i, j) += parts[0](i, j); });
    };
    Step step(sheet.domain,
              {stage("grow", grow, updates(both)), stage("add", add, writes(sum), reads(both, behind(x)))},
              {.strategy = "dataflow"});
    sheet.a.fill(here);
    sheet.b.fill(here);
    step.run(1);
    sum.each([](double value, Index i, Index j, Index) { REQUIRE(value == 5.0 * place(i - 1, j)); });
}

TEST_CASE("a kernel of each box is made once fields have memory") {
    Sheet sheet;
    std::vector<int> made;
    const auto make = [&](int box) {
        made.push_back(box);
        REQUIRE(sheet.a.memory().has_memory());
        return [box](Box cells, View<double> value) { each_cell(cells, [&](Index i, Index j) { value(i, j) = box; }); };
    };
    Step step(sheet.domain, {stage("number", for_each_box(make), writes(sheet.a))});
    const auto before = made.size();
    step.run(3);
    REQUIRE(made.size() == before);  // none per call
    sheet.a.each([](double value, Index, Index, Index) { REQUIRE(value == 0.0); });
}

TEST_CASE("all ranks work together once a stage is done") {
    Sheet sheet;
    double total = 0;
    const auto put = [](Box box, View<double> value) { each_cell(box, [&](Index i, Index j) { value(i, j) = 1.0; }); };
    const auto use = [&](Box box, View<double> value) {
        each_cell(box, [&](Index i, Index j) { value(i, j) = total; });
    };
    const auto count = [&] {
        double cells = 0;
        sheet.a.each([&](double value, Index, Index, Index) { cells += value; });
        total = reduced(sheet.domain.comm(), cells, MPI_SUM, "cells");
    };
    for (const char* strategy : {"blocking", "dataflow"}) {
        Step step(sheet.domain, {stage("put", put, writes(sheet.a)).then(count), stage("use", use, updates(sheet.b))},
                  {.strategy = strategy});
        step.run(2);
        sheet.b.each([](double value, Index, Index, Index) { REQUIRE(value == static_cast<double>(nx * ny)); });
    }
}

// Each cell sends its place two ways; what was sent to a cell is there afterwards, whoever owned the sender.
TEST_CASE("what a kernel scatters comes to the owners") {
    Sheet sheet;
    const FieldOptions both_ways{.components = 2, .component_extents = {ahead(x), behind(y, 2)}};
    Field<double> sent(sheet.domain, "sent", both_ways);
    const auto send = [](Box box, View<double> out, View<const double> from) {
        each_cell(box, [&](Index i, Index j) {
            out(i + 1, j, 0, 0) = from(i, j);
            out(i, j - 2, 0, 1) = from(i, j);
        });
    };
    for (const char* strategy : {"blocking", "dataflow", "edge-first"}) {
        Step step(sheet.domain, {stage("send", send, scatters(sent), reads(sheet.a))}, {.strategy = strategy});
        sheet.a.fill(here);
        step.run(2);
        for (std::size_t b = 0; b < sent.memory().blocks().size(); ++b) {
            const auto view = sent.memory().view<double>(static_cast<int>(b));
            each_cell(sent.memory().blocks()[b].owned, [&](Index i, Index j) {
                REQUIRE(view(i, j, 0, 0) == place(i - 1, j));
                REQUIRE(view(i, j, 0, 1) == place(i, j + 2));
            });
        }
    }
}

// Halos of the first stage's field hold some components only: it has no rim, and what it writes travels.
TEST_CASE("what was scattered is read on owned cells alone, however wide stages compute") {
    Sheet sheet;
    const FieldOptions both_ways{.components = 2, .component_extents = {ahead(x), behind(x)}};
    Field<double> sent(sheet.domain, "sent", both_ways);
    const auto send = [](Box box, View<double> out, View<const double> from) {
        each_cell(box, [&](Index i, Index j) {
            out(i + 1, j, 0, 0) = from(i, j);
            out(i - 1, j, 0, 1) = from(i, j);
        });
    };
    const auto add = [](Box box, View<double> sum, View<const double> parts) {
        each_cell(box, [&](Index i, Index j) { sum(i, j) = parts(i, j, 0, 0) + 1000.0 * parts(i, j, 0, 1); });
    };
    const auto look = [](Box box, View<double> next, View<const double> sum) {
        each_cell(box, [&](Index i, Index j) { next(i, j) = sum(i - 1, j) + 0.5 * sum(i + 1, j); });
    };
    Field<double> next(sheet.domain, "next");
    Step step(sheet.domain,
              {stage("send", send, scatters(sent), reads(sheet.a)), stage("add", add, writes(sheet.b), reads(sent)),
               stage("look", look, writes(next), reads(sheet.b, behind(x), ahead(x)))},
              {.strategy = "deep:1"});
    sheet.a.fill(here);
    step.run(2);
    const auto sum = [](Index i, Index j) { return place(i - 1, j) + 1000.0 * place(i + 1, j); };
    next.each([&](double value, Index i, Index j, Index) { REQUIRE(value == sum(i - 1, j) + 0.5 * sum(i + 1, j)); });
}

TEST_CASE("what is scattered may leave values as the kernel left them") {
    Sheet sheet;
    Field<double> sent(sheet.domain, "sent", FieldOptions{.components = 2, .component_extents = {ahead(x), {}}});
    const auto send = [](Box box, View<double> out) {
        each_cell(box, [&](Index i, Index j) { out(i + 1, j, 0, 0) = 1.0; });
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) out(box.lo[0], j, 0, 0) = 7.0;
    };
    const auto first_columns = [&] {
        std::vector<std::byte*> values;
        for (const Block& block : sent.memory().blocks())
            for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
                values.push_back(block.at({block.owned.lo[0], j, 0}, 0));
        return values;
    };
    Step step(sheet.domain, {stage("send", send, scatters(sent).but_keeps(first_columns))});
    step.run(1);
    for (std::size_t b = 0; b < sent.memory().blocks().size(); ++b) {
        const auto view = sent.memory().view<double>(static_cast<int>(b));
        const Box& owned = sent.memory().blocks()[b].owned;
        each_cell(owned, [&](Index i, Index j) { REQUIRE(view(i, j, 0, 0) == (i == owned.lo[0] ? 7.0 : 1.0)); });
    }
}

TEST_CASE("a halo is as wide as a number asks for") {
    for (const double asked : {1.0, 2.0, 4.0}) {
        Sheet sheet;
        const Reduced reach = maximum();
        const auto ask = [asked](Box, View<const double>, double& cells) { cells = asked; };
        const auto look = [reach](Box box, View<double> sum, View<const double> value) {
            const auto r = static_cast<Index>(reach.value());
            each_cell(box, [&](Index i, Index j) { sum(i, j) = value(i - r, j) + 3.0 * value(i, j + r); });
        };
        Step step(sheet.domain,
                  {stage("ask", ask, reads(sheet.a), reduces(reach)),
                   stage("look", look, writes(sheet.b), reads(sheet.a, around(4)).as_wide_as(reach, {1, 2, 4}))});
        sheet.a.fill(here);
        step.run(1);
        const auto r = static_cast<Index>(asked);
        sheet.b.each(
            [&](double sum, Index i, Index j, Index) { REQUIRE(sum == place(i - r, j) + 3.0 * place(i, j + r)); });
    }
}

TEST_CASE("fields have room for the strategies of other steps") {
    const auto spread = [](Box box, View<double> next, View<const double> old) {
        each_cell(box, [&](Index i, Index j) { next(i, j) = old(i - 1, j) + old(i + 1, j); });
    };
    Sheet sheet;
    const Stages both{stage("there", spread, writes(sheet.b), reads(sheet.a, cross(1))),
                      stage("back", spread, writes(sheet.a), reads(sheet.b, cross(1)))};
    const Step first(sheet.domain, both, {.room_for = {"deep:2"}});
    REQUIRE(width(sheet.a) == 4);
    const Step second(sheet.domain, both, {.strategy = "deep:2"});
    REQUIRE_THROWS_WITH(Step(sheet.domain, both, {.strategy = "deep:3"}), Contains("strategy deep:3 reads"));
}

TEST_CASE("listed exchanges travel whether anybody needs them or not") {
    Sheet sheet;
    const auto put = [](Box box, View<double> value) { each_cell(box, [&](Index i, Index j) { value(i, j) = 1.0; }); };
    const Stages one{stage("put", put, writes(sheet.a))};
    REQUIRE(Step(sheet.domain, one, {.room_for = {}, .listed = {{"put", "a"}}, .listed_halo = around(2)})
                .report()
                .volume()
                .exchanges == 1.0);
    REQUIRE_THROWS_WITH(Step(sheet.domain, one, {.listed = {{"take", "a"}}}), Contains("no stage of this name"));
}

TEST_CASE("fields that no node has the memory for are refused before it is touched") {
    Sheet sheet;
    const FieldOptions deep{.levels = 2'000'000'000};
    Field<double> huge(sheet.domain, "huge", deep);
    const auto put = [](Box, View<double>) {};
    REQUIRE_THROWS_WITH(Step(sheet.domain, {stage("put", put, writes(huge))}),
                        Contains("memory") && Contains("bytes for the fields of its"));
    REQUIRE_FALSE(huge.memory().has_memory());
}

TEST_CASE("checking knows what declared stages read") {
    Sheet sheet;
    const auto adds = [](Box box, View<double> value) {
        each_cell(box, [&](Index i, Index j) { value(i, j) += 1.0; });
    };
    Step good(sheet.domain, {stage("adds", adds, updates(sheet.a))});
    good.check();
    good.run(2);
    const auto leans = [](Box box, View<double> next, View<const double> old) {
        each_cell(box, [&](Index i, Index j) { next(i, j) = old(i - 1, j); });
    };
    Field<double> from(sheet.domain, "from");
    const Step wide(sheet.domain, {stage("leans", leans, writes(sheet.b), reads(from, around(1)))});
    Step bad(sheet.domain, {stage("leans", leans, writes(sheet.b), reads(from, behind(y)))});
    bad.check();
    from.fill(here);
    REQUIRE_THROWS_WITH(bad.run(1), Contains("leans") && Contains("field from") && Contains("behind(x)"));
}

TEST_CASE("a region of two axes has all of z, and one beyond the grid is refused") {
    Sheet sheet;
    Field<double> tall(sheet.domain, "tall", FieldOptions{.levels = 3});
    const auto put = [](Box box, View<double> value) {
        each_cell(box, [&](Index i, Index j) { value(i, j, 0) = value(i, j, 2) = 1.0; });
    };
    Step step(sheet.domain, {stage("put", put, updates(tall)).on(Box{{2, 3}, {5, 6}})});
    step.run(1);
    tall.each([](double value, Index i, Index j, Index k) {
        REQUIRE(value == (k != 1 && i >= 2 && i < 5 && j >= 3 && j < 6 ? 1.0 : 0.0));
    });
    REQUIRE_THROWS_WITH(Step(sheet.domain, {stage("put", put, updates(tall)).on(Box{{nx, 0}, {nx + 2, ny}})}),
                        Contains("region of stage put") && Contains("cells of the grid"));
}

TEST_CASE("fields are filled by a number, or by a function of two or three indices") {
    Sheet sheet;
    const Step step(sheet.domain, {stage("idle", [](Box, View<double>) {}, writes(sheet.a))});
    sheet.a.fill(2);
    sheet.a.each([](double value, Index, Index, Index) { REQUIRE(value == 2.0); });
    sheet.a.fill([](Index i, Index j) { return static_cast<double>(i * j); });
    sheet.a.each([](double value, Index i, Index j, Index) { REQUIRE(value == static_cast<double>(i * j)); });
}

TEST_CASE("a stage that reads around what it writes is told by the names") {
    Sheet sheet;
    const auto both = [](Box, View<double>, View<const double>) {};
    REQUIRE_THROWS_WITH(Step(sheet.domain, {stage("both", both, updates(sheet.a), reads(sheet.a, around(1)))}),
                        Contains("stage both") && Contains("field a read with extent") && Contains("in_any_order"));
}

// Memory has no more halo than declared: without extra room it would read another row.
TEST_CASE("with LAPWING_CHECK=1 a read beyond the halo is named rightly") {
    ::setenv("LAPWING_CHECK", "1", 1);
    Sheet sheet;
    const auto leans = [](Box box, View<double> next, View<const double> old) {
        each_cell(box, [&](Index i, Index j) { next(i, j) = old(i + 1, j) + old(i, j + 1); });
    };
    Step step(sheet.domain, {stage("leans", leans, writes(sheet.b), reads(sheet.a, ahead(y)))});
    ::unsetenv("LAPWING_CHECK");
    sheet.a.fill(here);
    REQUIRE_THROWS_WITH(step.run(1), Contains("stage leans") && Contains("field a") && Contains("ahead(x)"));
}

// The last block has no owner: it is land, whose values are no part of the result.
TEST_CASE("a number does not fold what nobody owns, however wide stages compute") {
    const Grid grid{{nx, ny, 1}, {true, true, false}};
    const Partition whole = block_partition(grid, {world_size() + 1, 1, 1});
    std::vector<Subdomain> sea(whole.subdomains().begin(), whole.subdomains().end() - 1);
    for (const char* strategy : {"blocking", "deep:2", "dataflow"}) {
        Domain domain(Partition(grid, world_size(), sea), MPI_COMM_WORLD);
        Field<double> a(domain, "a"), b(domain, "b");
        const Reduced least = minimum();
        const auto measure = [](Box box, View<double> next, View<const double> old, double& smallest) {
            each_cell(box, [&](Index i, Index j) {
                next(i, j) = 0.5 * (old(i - 1, j) + old(i + 1, j)) + 8.0;
                smallest = std::min(smallest, old(i, j));
            });
        };
        const auto back = [](Box box, View<double> next, View<const double> old) {
            each_cell(box, [&](Index i, Index j) { next(i, j) = 0.5 * (old(i - 1, j) + old(i + 1, j)) + 8.0; });
        };
        Step step(domain,
                  {stage("measure", measure, writes(b), reads(a, cross(1)), reduces(least)),
                   stage("back", back, writes(a), reads(b, cross(1)))},
                  {.strategy = strategy});
        a.fill([](Index, Index, Index) { return 5.0; });
        step.run(4);
        REQUIRE(least.value() >= 5.0);  // land is 0
        domain.close();
    }
}

TEST_CASE("a stage that reduces has no rim") {
    Sheet sheet;
    const auto see = [](Box, View<double>, double&) {};
    REQUIRE_THROWS_WITH(Step(sheet.domain, {stage("see", see, writes(sheet.a), reduces(maximum())).rim(around(1))}),
                        Contains("a reduction at its end and a rim"));
}

TEST_CASE("a rim below zero is refused") {
    Sheet sheet;
    Stage inwards = stage("set", [](Box, View<double>) {}, writes(sheet.a));
    inwards.rim_extent = around(-1);
    REQUIRE_THROWS_WITH(Step(sheet.domain, {inwards}), Contains("stage set: got a rim of behind(x, -1)"));
}

TEST_CASE("what one step writes, another one knows to be stale") {
    Sheet sheet;
    Field<double> a(sheet.domain, "a", FieldOptions{.halo = around(1)}),
        b(sheet.domain, "b", FieldOptions{.halo = around(1)});
    const auto spread = [](Box box, View<double> next, View<const double> old) {
        each_cell(box, [&](Index i, Index j) { next(i, j) = old(i - 1, j) + old(i, j + 1); });
    };
    Step there(sheet.domain, {stage("there", spread, writes(b), reads(a, behind(x), ahead(y)))});
    Step back(sheet.domain, {stage("back", spread, writes(a), reads(b, behind(x), ahead(y)))});
    a.fill([](Index i, Index j) { return static_cast<double>((3 * i + 7 * j) % 11); });
    for (int n = 0; n < 4; ++n) {
        there.run(1);
        back.run(1);
    }
    Field<double> c(sheet.domain, "c"), d(sheet.domain, "d");
    Step both(sheet.domain, {stage("there", spread, writes(d), reads(c, behind(x), ahead(y))),
                             stage("back", spread, writes(c), reads(d, behind(x), ahead(y)))});
    c.fill([](Index i, Index j) { return static_cast<double>((3 * i + 7 * j) % 11); });
    both.run(4);
    REQUIRE(a.gather() == c.gather());
}
