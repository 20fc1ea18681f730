// Nothing is allocated in the time loop: every operator new of the process is counted.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include "count_allocations.hpp"
#include "lapwing/step/typed_stage.hpp"
#include "programs/threads.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

Partition ring() { return blocks({{9, 8, 1}, {true, true, false}}); }
FieldSpec named(const char* name) { return spec_of(name, Extent::horizontal(1)); }

void move(Box box, View<double> to, View<const double> from) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = 0.25 * (from(i - 1, j) + from(i, j + 1));
}

// Scatters, a loop that ends by what it reduced, a region: all the words that make a step wait, copy or count.
std::vector<Stages> cycle(const Field<double>& a, const Field<double>& b, const Field<double>& sent) {
    const auto largest = [](Box box, View<const double> values, double& most) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) most = values(i, j) > most ? values(i, j) : most;
    };
    const auto send = [](Box box, View<double> to) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i + 1, j) = 1.0;
    };
    const Reduced most = maximum();
    const Stages there{stage("there", move, writes(b), reads(a, behind(x), ahead(y)))};
    const Stages back{stage("back", move, writes(a), reads(b, behind(x), ahead(y)))};
    const Stages halved =
        repeated({stage(
                      "halve", [](Box box, View<double> values) { values(box.lo[0], box.lo[1]) *= 0.5; }, updates(a))
                      .on({{0, 0, 0}, {4, 4, 1}}),
                  stage("largest", largest, reads(a), reduces(most))},
                 while_above(0.5));
    return {in_order(there, back, halved), {stage("send", send, scatters(sent, ahead(x)))}};
}

}  // namespace

TEST_CASE("start, test and wait allocate nothing") {
    Domain domain(ring(), MPI_COMM_WORLD);
    const AnyField a(domain.partition(), domain.rank(), named("a")), b(domain.partition(), domain.rank(), named("b"));
    const AnyField* const both[] = {&a, &b};
    const ExchangeOptions kinds[] = {{},
                                     {.corners = Corners::ordered},
                                     {.direction = Direction::copy_back},
                                     {.corners = Corners::ordered, .direction = Direction::add_back}};
    for (ExchangeOptions options : kinds) {
        options.transport = transport();
        long before = allocations();
        Exchange exchange(domain, both, options);
        REQUIRE(allocations() > before);  // the library's allocations are seen here
        before = allocations();
        for (int n = 0; n < 20; ++n) {
            Pending pending = exchange.start();
            (void)pending.test();
            pending.wait();
        }
        const long made = allocations() - before;
        REQUIRE(made == 0);
    }
    domain.close();
}

TEST_CASE("a step allocates nothing, and not after a write outside either") {
    Domain domain(ring(), MPI_COMM_WORLD);
    AnyField a(domain.partition(), domain.rank(), named("a")), b(domain.partition(), domain.rank(), named("b"));
    int calls = 0;
    const Kernel count = [](void* context, Box) { ++*static_cast<int*>(context); };
    const Extent around = Extent::cross(1);
    const Stage there{"there", {{&a, around}}, {&b}, count, {&calls}, {}};
    const Stage back{"back", {{&b, around}}, {&a}, count, {&calls}, {}};
    Step step(domain, std::vector{Stages{there}, Stages{back}});
    const long before = allocations();
    for (int n = 0; n < 20; ++n) {
        if (n % 5 == 4) a.modified();
        step.run();
    }
    const long made = allocations() - before;
    REQUIRE(made == 0);
    REQUIRE(calls == 20);
    domain.close();
}

TEST_CASE("declared stages allocate nothing under any strategy, however they are run") {
    const std::vector<std::string> strategies{"blocking", "edge-first", "dataflow",     "dataflow:4", "3s",
                                              "deep:2",   "auto",       "deep:2+tiled", "blocking",   "deep:2+tiled"};
    for (std::size_t n = 0; n < strategies.size(); ++n) {
        const std::string& strategy = strategies[n];
        const int threads = n < 8 ? 1 : 3;
        INFO(strategy << ", threads " << threads);
        Domain domain(ring(), MPI_COMM_WORLD);
        const auto team = crowd(domain, threads);
        Field<double> a(domain, "a"), b(domain, "b");
        Field<double> sent(domain, "sent", FieldOptions{.component_extents = {ahead(x)}});
        Step step(domain, cycle(a, b, sent), {.strategy = strategy, .transport = transport(), .threads = threads});
        if (strategy == "auto") step.settle("dataflow");
        step.run(2);
        int called = 0;
        const std::function<void()> count = [&called] { ++called; };
        const long before = allocations();
        step.run(20);
        step.run(20, count);
        for (int run = 0; run < 20; ++run) step.run();
        const long made = allocations() - before;
        REQUIRE(made == 0);
        REQUIRE(called == 20);
        domain.close();
    }
}
