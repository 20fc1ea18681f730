// Nothing is allocated in the time loop: every operator new of the process is counted.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include "count_allocations.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

Partition ring() { return blocks({{9, 8, 1}, {true, true, false}}); }
FieldSpec named(const char* name) { return spec_of(name, Extent::horizontal(1)); }

}  // namespace

TEST_CASE("start, test and wait allocate nothing") {
    Domain domain(ring(), MPI_COMM_WORLD);
    const AnyField a(domain.partition(), domain.rank(), named("a")), b(domain.partition(), domain.rank(), named("b"));
    const AnyField* const both[] = {&a, &b};
    const ExchangeOptions kinds[] = {{},
                                     {.corners = Corners::ordered},
                                     {.reverse = true},
                                     {.corners = Corners::ordered, .reverse = true, .arrival = Arrival::add}};
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
    Step step(domain, {{{"there", {{&a, around}}, {&b}, count, {&calls}, {}}},
                       {{"back", {{&b, around}}, {&a}, count, {&calls}, {}}}});
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
