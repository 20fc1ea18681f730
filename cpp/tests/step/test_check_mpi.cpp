// Checked steps: what kernels do that their stages do not say.
#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "lapwing/base/error.hpp"
#include "lapwing/step/step.hpp"
#include "run_catch.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

struct Sheet {
    Domain domain{MPI_COMM_WORLD, {24, 18}, {true, true, false}};
    Field<double> a{domain, "a"}, b{domain, "b"};
    ~Sheet() { domain.close(); }
};

double here(Index i, Index j) { return static_cast<double>(i + 100 * j); }

template <class Use>
void each_cell(const Box& box, const Use& use) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(i, j);
}

// Runs a step of one stage, checked.
void run_checked(Sheet& sheet, const Stage& stage) {
    Step step(sheet.domain, {stage});
    sheet.a.allocate();
    sheet.a.fill(here);
    sheet.b.allocate();
    sheet.b.fill(0.0);
    step.check();
    step.run(2);
}

}  // namespace

TEST_CASE("a kernel that computes more than its box is found") {
    Sheet sheet;
    const Box all =
        sheet.domain.partition().subdomain(sheet.domain.partition().subdomains_of(sheet.domain.rank())[0]).box;
    const auto ignores = [all](Box, View<double> out, View<const double> in) {
        each_cell(all, [&](Index i, Index j) { out(i, j) = in(i, j); });
    };
    REQUIRE_THROWS_WITH(
        run_checked(sheet, stage("ignores", ignores, writes(sheet.b), reads(sheet.a))),
        Contains("stage ignores: got a write of field b at cell (") && Contains("expected writes within the box"));
}

TEST_CASE("a kernel that writes into the halo is found; one that scatters there says so") {
    Sheet sheet;
    Field<double> wide(sheet.domain, "wide", FieldOptions{.halo = around(1)});
    const auto spills = [](Box box, View<double> out) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = out(i + 1, j) = 1.0; });
    };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("spills", spills, writes(wide))),
                        Contains("stage spills: got a write of field wide at cell ("));
    Field<double> sent(sheet.domain, "sent", FieldOptions{.component_extents = {ahead(x)}});
    const auto sends = [](Box box, View<double> out, View<const double> in) {
        each_cell(box, [&](Index i, Index j) { out(i + 1, j) = in(i, j); });
    };
    REQUIRE_NOTHROW(run_checked(sheet, stage("sends", sends, scatters(sent), reads(sheet.a))));
}

TEST_CASE("a write beyond the box is found where it leaves the value as it was") {
    Sheet sheet;
    Field<double> wide(sheet.domain, "wide", FieldOptions{.halo = around(1)});  // of zeros
    const auto clears = [](Box box, View<double> out) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = out(i + 1, j) = 0.0; });
    };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("clears", clears, writes(wide))),
                        Contains("stage clears: got a write of field wide at cell ("));
    const auto resets = [](Box box, View<double> out, View<const double> in) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = in(i, j); });
        const_cast<double&>(in(box.lo[0], box.lo[1])) = here(box.lo[0], box.lo[1]);  // what was there
    };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("resets", resets, writes(sheet.b), reads(sheet.a))),
                        Contains("stage resets: got a write of field a, which it does not declare"));
}

TEST_CASE("a kernel with a state of its own is told apart from one that reads too far") {
    Sheet sheet;
    double calls = 0.0;
    const auto counts = [&calls](Box box, View<double> out) {
        calls += 1.0;
        each_cell(box, [&](Index i, Index j) { out(i, j) = calls; });
    };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("counts", counts, writes(sheet.b))),
                        Contains("stage counts: got other values when it runs again on the same ones"));
}

TEST_CASE("a kernel that reads what it says it only writes is found; one that leaves cells alone is not") {
    Sheet sheet;
    const auto adds = [](Box box, View<double> out) { each_cell(box, [&](Index i, Index j) { out(i, j) += 1.0; }); };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("adds", adds, writes(sheet.b))),
                        Contains("stage adds: got a read of field b, whose old values it does not declare to read"));
    REQUIRE_NOTHROW(run_checked(sheet, stage("adds", adds, updates(sheet.b))));
    const auto leaves = [](Box box, View<double> out) {
        each_cell(box, [&](Index i, Index j) {
            if ((i + j) % 3 == 0) out(i, j) = 1.0;
        });
    };
    REQUIRE_NOTHROW(run_checked(sheet, stage("leaves", leaves, writes(sheet.b))));
    // values that the check puts into memory itself
    Field<std::int32_t> mask(sheet.domain, "mask");
    const auto marks = [](Box box, View<std::int32_t> out) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = 1; });
    };
    REQUIRE_NOTHROW(run_checked(sheet, stage("marks", marks, writes(mask))));
    for (const double value : {1.5, std::numeric_limits<double>::quiet_NaN()}) {
        const auto sets = [value](Box box, View<double> out) {
            each_cell(box, [&](Index i, Index j) { out(i, j) = value; });
        };
        REQUIRE_NOTHROW(run_checked(sheet, stage("sets", sets, writes(sheet.b))));
    }
}

TEST_CASE("a kernel that uses a field of no stage is found") {
    Sheet sheet;
    Field<double> hidden(sheet.domain, "hidden");
    hidden.allocate();
    const auto peeks = [hidden](Box box, View<double> out) {
        const View<double> secret = hidden.memory().view<double>();
        each_cell(box, [&](Index i, Index j) { out(i, j) = secret(i, j); });
    };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("peeks", peeks, writes(sheet.b))),
                        Contains("stage peeks: got a read of field hidden, which it does not declare"));
    const auto spoils = [hidden](Box box, View<double> out) {
        const View<double> secret = hidden.memory().view<double>();
        each_cell(box, [&](Index i, Index j) { out(i, j) = secret(i, j) = 1.0; });
    };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("spoils", spoils, writes(sheet.b))),
                        Contains("stage spoils: got a write of field hidden, which it does not declare"));
}

TEST_CASE("an offset to the side that is not declared is found") {
    Sheet sheet;
    const auto leans = [](Box box, View<double> out, View<const double> in) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = in(i + 1, j) - in(i, j); });
    };
    Field<double> wide(sheet.domain, "wide", FieldOptions{.halo = around(2)});
    REQUIRE_THROWS_WITH(
        run_checked(sheet, stage("leans", leans, writes(sheet.b), reads(wide, behind(x)))),
        Contains("stage leans: got a read of field wide beyond what the stage declares; expected reads: "
                 "wide with extent behind(x), ahead(x)"));
}

TEST_CASE("a kernel that throws on one rank while it is checked ends the step on all") {
    Sheet sheet;
    const bool last = sheet.domain.rank() == sheet.domain.ranks() - 1;
    const auto fails = [last](Box, View<double>) {
        if (last) throw std::runtime_error("no such depth");
    };
    REQUIRE_THROWS_WITH(run_checked(sheet, stage("fails", fails, writes(sheet.b))), Contains("no such depth"));
}

TEST_CASE("ranks that differ in LAPWING_CHECK are told so") {
    Sheet sheet;
    const auto put = [](Box, View<double>) {};
    const Stages stages{stage("put", put, writes(sheet.b))};
    if (sheet.domain.rank() == 0) setenv("LAPWING_CHECK", "1", 1);
    std::string problem;
    try {
        const Step step(sheet.domain, stages);
    } catch (const UserError& error) {
        problem = error.what();
    }
    unsetenv("LAPWING_CHECK");
    if (world_size() > 1) REQUIRE_THAT(problem, Contains("LAPWING_CHECK"));
    if (world_size() == 1) REQUIRE(problem.empty());
}

TEST_CASE("a strategy that a step refuses to settle for leaves it as it was") {
    Sheet sheet;
    const auto smooth = [](Box box, View<double> out, View<const double> in) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = in(i - 1, j) + in(i + 1, j); });
    };
    const auto back = [](Box box, View<double> out, View<const double> in) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = in(i, j); });
    };
    Step step(sheet.domain, {stage("smooth", smooth, writes(sheet.b), reads(sheet.a, around(1))),
                             stage("back", back, writes(sheet.a), reads(sheet.b))});
    sheet.a.fill(1.0);
    step.run(1);
    REQUIRE_THROWS_WITH(step.settle("deep:5"), Contains("memory of field a"));
    REQUIRE(step.report().strategy() == "blocking");
    step.run(1);
    sheet.a.each([](double value, Index, Index, Index) { REQUIRE(value == 4.0); });
}

TEST_CASE("what is scattered has an offset of its own, whatever room other stages and strategies want") {
    Sheet sheet;
    const auto push = [](Box box, View<double> out) {
        each_cell(box, [&](Index i, Index j) { out(i + 1, j) = here(i, j); });
    };
    const auto look = [](Box box, View<double> out, View<const double> from) {
        each_cell(box, [&](Index i, Index j) { out(i, j) = from(i + 2, j); });
    };
    REQUIRE_THROWS_WITH(Step(sheet.domain, {stage("push", push, scatters(sheet.a, ahead(x)))}),
                        Contains("field a, which stage push scatters: got no offset"));
    for (const std::string strategy : {"blocking", "deep:2", "auto"}) {
        INFO(strategy);
        Field<double> sent(sheet.domain, "sent", FieldOptions{.component_extents = {ahead(x)}});
        Step step(sheet.domain,
                  {stage("push", push, scatters(sent)), stage("look", look, writes(sheet.b), reads(sent, ahead(x, 2)))},
                  {.strategy = strategy});
        step.run(3);
        sent.each([](double value, Index i, Index j, Index) { REQUIRE(value == here((i + 23) % 24, j)); });
    }
}

TEST_CASE("numbers of steps and kernels that cannot be are refused") {
    Sheet sheet;
    const auto keep = [](Box, View<double>) {};
    void (*const none)(Box, View<double>) = nullptr;
    Step step(sheet.domain, {stage("keep", keep, updates(sheet.a))});
    REQUIRE_THROWS_WITH(step.run(-1), Contains("steps to run: got -1"));
    REQUIRE_NOTHROW(step.run(0));
    REQUIRE_THROWS_WITH(repeated(std::vector{stage("keep", keep, updates(sheet.a))}, 0),
                        Contains("times that stages are repeated: got 0"));
    REQUIRE_THROWS_WITH(stage("none", none, updates(sheet.a)), Contains("stage none: got a null pointer"));
    const auto look = [](Box, View<double>, View<const double>) {};
    for (const std::string strategy : {"blocking", "deep:2"}) {
        const auto least = std::numeric_limits<int>::min();
        REQUIRE_THROWS_WITH(
            Step(sheet.domain, {stage("look", look, writes(sheet.b), reads(sheet.a, Extent{{0, least, 0}, {1, 0, 0}}))},
                 {.strategy = strategy}),
            Contains("stage look, field a: got a read of"));
    }
    REQUIRE_THROWS_WITH(Domain(MPI_COMM_NULL, {24, 18}), Contains("communicator: got MPI_COMM_NULL"));
}

TEST_CASE("a stage ends with one thing: values that come home, a number, or other work") {
    Sheet sheet;
    const FieldOptions options{.component_extents = {ahead(x)}};
    Field<double> one(sheet.domain, "one", options), two(sheet.domain, "two", options);
    const auto both = [](Box, View<double>, View<double>) {};
    const auto single = [](Box, View<double>) {};
    REQUIRE_THROWS_WITH(Step(sheet.domain, {stage("both", both, scatters(one), scatters(two))}),
                        Contains("stage both: got 2 fields that it scatters"));
    REQUIRE_THROWS_WITH(Step(sheet.domain, {stage("single", single, scatters(one)).then([] {})}),
                        Contains("stage single: got a field that it scatters, and work"));
}
