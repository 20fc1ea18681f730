// Tests work that all ranks do together at the end of a stage, in the middle of a step, by every strategy.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include <vector>

#include "lapwing/base/error.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr Index columns = 24, rows = 10;

// value <- column number times `factor`.
struct Filling {
    View<double> value;
    double factor = 1.0;
};

void fill(void* context, Box box) {
    auto& at = *static_cast<Filling*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) at.value(i, j) = at.factor * static_cast<double>(i);
}

// total <- the sum of `value` at the cells next to each, 0 beyond the grid.
struct Adding {
    View<double> value, total;
};

void add_neighbours(void* context, Box box) {
    auto& at = *static_cast<Adding*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) at.total(i, j) = at.value(i - 1, j) + at.value(i + 1, j);
}

// Takes from each owned value the mean over all ranks, which are integers over a power of two: exact in any order.
struct Centring {
    Domain& domain;
    AnyField& value;
    int calls = 0;

    static void work(void* context) {
        auto& at = *static_cast<Centring*>(context);
        ++at.calls;
        double sum = 0.0;
        at.on_cells([&](double& value) { sum += value; });
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, at.domain.comm());
        const double mean = sum / static_cast<double>(columns * rows);
        at.on_cells([&](double& value) { value -= mean; });
    }

    template <class Work>
    void on_cells(Work&& work_on) {
        for (int b = 0; b < std::ssize(value.blocks()); ++b) {
            const Box& owned = value.blocks()[b].owned;
            const auto view = value.view<double>(b);
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) work_on(view(i, j));
        }
    }
};

AnyField make_field(const Domain& domain, const char* name) {
    FieldSpec spec;
    spec.name = name;
    return {domain.partition(), domain.rank(), spec, Extent::horizontal(1)};
}

}  // namespace

TEST_CASE("a collective runs once a step, after its stage and before what follows, in every strategy") {
    const Grid grid{{columns, rows, 1}};
    for (const char* strategy : {"blocking", "3s", "6s", "edge-first", "dataflow", "deep:2"}) {
        INFO(strategy);
        Domain domain(blocks(grid), MPI_COMM_WORLD);
        AnyField value = make_field(domain, "value"), total = make_field(domain, "total");
        std::vector<Filling> filling;
        std::vector<Adding> adding;
        Centring centring{domain, value};
        for (int b = 0; b < std::ssize(value.blocks()); ++b) {
            filling.push_back({value.view<double>(b), 2.0});
            adding.push_back({value.view<double>(b), total.view<double>(b)});
        }
        Stage first{.name = "fill", .reads = {}, .writes = {&value}, .kernel = fill, .contexts = {}};
        first.collective = {Centring::work, &centring};
        Stage second{.name = "add",
                     .reads = {{&value, Extent::horizontal(1)}},
                     .writes = {&total},
                     .kernel = add_neighbours,
                     .contexts = {}};
        for (auto& one : filling) first.contexts.push_back(&one);
        for (auto& one : adding) second.contexts.push_back(&one);
        {
            Step step(domain, {first, second}, {strategy, "p2p"});
            step.run(3);
        }
        CHECK(centring.calls == 3);
        const double mean = static_cast<double>(columns - 1);  // of 2 i
        for (int b = 0; b < std::ssize(total.blocks()); ++b) {
            const Box& owned = total.blocks()[b].owned;
            const auto view = total.view<double>(b);
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                    double expected = 0.0;
                    for (const Index beside : {i - 1, i + 1})
                        if (beside >= 0 && beside < columns) expected += 2.0 * static_cast<double>(beside) - mean;
                    CHECK(view(i, j) == expected);
                }
        }
        domain.close();
    }
}

TEST_CASE("a check finds a collective that writes what its stage does not declare") {
    Domain domain(blocks(Grid{{columns, rows, 1}}), MPI_COMM_WORLD);
    AnyField value = make_field(domain, "value"), other = make_field(domain, "other");
    std::vector<Filling> filling, others;
    for (int b = 0; b < std::ssize(value.blocks()); ++b) {
        filling.push_back({value.view<double>(b), 2.0});
        others.push_back({other.view<double>(b), 1.0});
    }
    Stage fill_value{.name = "fill", .reads = {}, .writes = {&value}, .kernel = fill, .contexts = {}};
    Stage fill_other{.name = "fill_other", .reads = {}, .writes = {&other}, .kernel = fill, .contexts = {}};
    for (auto& one : filling) fill_value.contexts.push_back(&one);
    for (auto& one : others) fill_other.contexts.push_back(&one);
    for (const bool declared : {true, false}) {
        Centring centring{domain, declared ? value : other};
        fill_value.collective = {Centring::work, &centring};
        Step step(domain, {fill_other, fill_value}, {"blocking", "p2p"});
        step.check(true);
        if (declared) {
            CHECK_NOTHROW(step.run());
        } else {
            CHECK_THROWS_WITH(step.run(), Catch::Matchers::Contains("stage fill: got a write of field other"));
        }
        CHECK(centring.calls == 1);
    }
    domain.close();
}

TEST_CASE("a stage cannot end with a reduction and other work, nor have a rim then") {
    Domain domain(blocks(Grid{{columns, rows, 1}}), MPI_COMM_WORLD);
    AnyField value = make_field(domain, "value");
    Filling filling{};
    double partial = 0, agreed = 0;
    Stage stage{.name = "fill", .reads = {}, .writes = {&value}, .kernel = fill, .contexts = {}};
    for (std::size_t b = 0; b < value.blocks().size(); ++b) stage.contexts.push_back(&filling);
    stage.collective = {nullptr, nullptr};
    CHECK_THROWS_AS(Step(domain, Stages{stage}), UserError);
    stage.collective = {Centring::work, nullptr};
    stage.reduction = {Reduction::Kind::minimum, &partial, &agreed};
    CHECK_THROWS_AS(Step(domain, Stages{stage}), UserError);
    stage.reduction.reset();
    stage.rim_extent = Extent::cross(1);
    CHECK_THROWS_AS(Step(domain, Stages{stage}), UserError);
    domain.close();
}
