// Messages that are timed arrive; times are those of what is asked for; what cannot be is refused by all ranks.
#include "probe/call_costs.hpp"
#include "probe/link_test.hpp"
#include "probe/mpi_traits.hpp"

#include <catch2/catch.hpp>

#include <chrono>

#include "lapwing/base/error.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::probe;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr Index most = 64 << 10, pool = 1 << 20;  // bytes

Domain domain_of_all(int per_node = 0) {
    Grid grid;
    grid.size = {4 * world_size(), 1, 1};
    return {blocks(grid), MPI_COMM_WORLD, per_node};
}

template <class Visit>
void for_all_works(Visit&& visit) {
    for (const Pattern pattern : {Pattern::ring, Pattern::ping_pong}) {
        for (const Way way : {Way::two_sided, Way::push, Way::pull}) {
            for (const Layout layout : {Layout::contiguous, Layout::strided, Layout::element_wise}) {
                for (const Index bytes : {Index{8}, Index{64}, Index{4088}, most}) {
                    if (layout != Layout::contiguous && bytes > 4088) continue;
                    visit(LinkWork{pattern, way, layout, bytes});
                }
            }
        }
    }
}

// A link with at least two ranks of this run, else none.
struct Tested {
    Domain domain;
    LinkTest test;

    explicit Tested(Link link, int per_node = 0) : domain(domain_of_all(per_node)), test(domain, link, most, pool) {}
    ~Tested() {
        test.close();
        domain.close();
    }
};

}  // namespace

TEST_CASE("messages of every kind arrive within a node, again and again") {
    Tested within(Link::node);
    REQUIRE(within.test.available() == (world_size() > 1));
    if (skipped_unless(within.test.available(), "two ranks on a node")) return;
    REQUIRE(within.test.ranks() == world_size());
    for_all_works([&](const LinkWork& work) {
        CAPTURE(static_cast<int>(work.pattern), static_cast<int>(work.way), static_cast<int>(work.layout), work.bytes);
        for (int n = 0; n < 2; ++n) REQUIRE(within.test.wrong_values(work) == 0);
        const double seconds = within.test.time(work, 3);
        REQUIRE(seconds > 0.0);
        REQUIRE_NOTHROW(require_same(MPI_COMM_WORLD, "time", std::to_string(seconds)));
    });
    REQUIRE(within.test.time({.bytes = 0}, 10) > 0.0);
}

TEST_CASE("between pretended nodes the first rank of each takes part") {
    Tested between(Link::network, 1);
    REQUIRE(between.test.available() == (world_size() > 1));
    if (between.test.available()) {
        for_all_works([&](const LinkWork& work) { REQUIRE(between.test.wrong_values(work) == 0); });
    }
    if (skipped_unless(world_size() == 4, "4 ranks")) return;
    Tested two(Link::network, 2);
    REQUIRE(two.test.ranks() == (world_rank() % 2 == 0 ? 2 : 1));
    for_all_works([&](const LinkWork& work) {
        REQUIRE(two.test.wrong_values(work) == 0);
        REQUIRE(two.test.time(work, 2) > 0.0);
    });
    Tested inside(Link::node, 2);
    REQUIRE(inside.test.ranks() == 2);
    for_all_works([&](const LinkWork& work) { REQUIRE(inside.test.wrong_values(work) == 0); });
}

TEST_CASE("computing during messages takes its time, whole or in pieces") {
    Tested within(Link::node);
    if (skipped_unless(within.test.available(), "two ranks on a node")) return;
    constexpr std::int64_t iterations = 2'000'000;
    const double alone = compute(iterations);
    for (const Way way : {Way::two_sided, Way::push, Way::pull}) {
        const LinkWork work{.way = way, .bytes = most};
        for (const bool communicate : {false, true}) {
            for (const int chunks : {1, 16}) {
                const double seconds = within.test.time_beside(work, {communicate, iterations, chunks}, 2);
                REQUIRE(seconds > 0.3 * alone);
            }
        }
        REQUIRE(within.test.time_left(work, 1e-3) >= 0.0);
        REQUIRE(within.test.wrong_values(work) == 0);  // nothing is left over
    }
}

TEST_CASE("a pause without MPI is as long as it was asked to be") {
    Tested within(Link::node);
    if (skipped_unless(within.test.available(), "two ranks on a node")) return;
    const auto begin = std::chrono::steady_clock::now();
    static_cast<void>(within.test.time_left({.bytes = 8}, 0.05));
    REQUIRE(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= 0.05);
}

TEST_CASE("a send without a receive is told apart, and leaves nothing behind") {
    Tested within(Link::node);
    if (skipped_unless(within.test.available(), "two ranks on a node")) return;
    REQUIRE(within.test.completes_unmatched(8, 0.5));
    REQUIRE_NOTHROW(within.test.completes_unmatched(most, 0.01));
    REQUIRE(within.test.wrong_values({.bytes = most}) == 0);
}

TEST_CASE("what cannot be timed is refused by all ranks") {
    Tested within(Link::node);
    if (!within.test.available()) {
        REQUIRE_THROWS_WITH(within.test.time({}, 1), Contains("start more ranks"));
        return;
    }
    for (const Index bytes : {Index{0}, Index{4}, Index{12}, Index{-8}, 2 * most}) {
        REQUIRE_THROWS_AS(within.test.time({.way = Way::push, .bytes = bytes}, 1), UserError);
    }
    REQUIRE_THROWS_AS(within.test.time({}, 0), UserError);
    REQUIRE_THROWS_AS(within.test.time_beside({}, {true, -1, 1}, 1), UserError);
    REQUIRE_THROWS_AS(within.test.time_beside({}, {true, 1, 0}, 1), UserError);
    REQUIRE_THROWS_AS(within.test.time_beside({.pattern = Pattern::ping_pong}, {}, 1), UserError);
    REQUIRE_THROWS_WITH(LinkTest(within.domain, Link::node, world_rank() == 0 ? most : 2 * most, pool),
                        Contains("on rank 1"));
    REQUIRE_THROWS_AS(LinkTest(within.domain, Link::node, 2 * pool, pool), UserError);
    REQUIRE_THROWS_WITH(way_of("throw"), Contains("two-sided, push, pull"));
}

TEST_CASE("small calls cost something") {
    Domain domain = domain_of_all();
    const auto costs = call_costs(domain, 40);
    REQUIRE((costs.count("barrier") == 1) == (world_size() > 1));
    for (const auto& [name, seconds] : costs) {
        CAPTURE(name);
        REQUIRE(seconds > 0.0);
        REQUIRE(seconds < 1.0);
    }
    REQUIRE_THROWS_AS(call_costs(domain, 0), UserError);
    if (world_size() > 1) REQUIRE_THROWS_AS(call_costs(domain, 1 + world_rank()), UserError);
    domain.close();
}

TEST_CASE("the MPI's traits are known words, the same on all ranks") {
    Domain domain = domain_of_all();
    for (const NeighborGraph graph : {NeighborGraph::cart, NeighborGraph::graph}) {
        for (int ranks = 1; ranks <= world_size(); ++ranks) {
            const std::string found = neighbor_collectives(domain, graph, ranks);
            CAPTURE(ranks, found);
            REQUIRE((found == "right" || (ranks <= 2 && found == "swapped")));
            REQUIRE_NOTHROW(require_same(MPI_COMM_WORLD, "outcome", found));
        }
        REQUIRE_THROWS_AS(neighbor_collectives(domain, graph, 0), UserError);
        REQUIRE_THROWS_AS(neighbor_collectives(domain, graph, world_size() + 1), UserError);
    }
    for (const int axes : {1, 2, 3}) REQUIRE_NOTHROW(cart_reorders(domain, axes));
    REQUIRE((cuda_awareness() == "yes" || cuda_awareness() == "no" || cuda_awareness() == "unknown"));
    REQUIRE(thread_level() == "funneled");  // as the main of these tests asks for
    domain.close();
}
