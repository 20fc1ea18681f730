// The candidates of a k-section and the search through them.
#include "lapwing/partition/partition_search.hpp"

#include <algorithm>
#include <limits>

#include <catch2/catch.hpp>

#include "coasts.hpp"
#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double price(const KSection& ksection, Index number) {
    const Cutter& cutter = ksection.cutter();
    return partition_cost(leaves(cutter.grid(), ksection.candidate(number)), cutter.mask(), ksection.model()).cost;
}

// Numbers of candidates: all of few, else some.
std::vector<Index> some_of(Index count, Index most) {
    std::vector<Index> numbers;
    for (Index n = 0; n < std::min(count, most); ++n)
        numbers.push_back(count <= most ? n : n * (count - 1) / (most - 1));
    return numbers;
}

// A sea of 40 x 30 with a ragged coast.
Coast ragged_sea() {
    return coast("ragged", 40, 30,
                 [](Index i, Index j) { return i * i / 20 + (j * 7 + i * 3) % 11 < 60 && i + j > 8; });
}

}  // namespace

TEST_CASE("candidates give every wet point to one rank, and every rank a wet point") {
    for (const Coast& coast : coasts()) {
        for (int ranks = 1; ranks <= coast.wet(); ranks += 1 + ranks / 8) {
            for (const int ranks_per_node : {1, 4}) {
                for (const bool nodes_first : {false, true}) {
                    const KSection ksection(coast.grid, coast.mask, ranks, on_nodes(ranks_per_node), nodes_first);
                    for (const Index number : some_of(ksection.count(), 9)) {
                        CAPTURE(coast.name, ranks, ranks_per_node, nodes_first, number);
                        REQUIRE(fault_of(coast, ksection.candidate(number), ranks) == "");
                    }
                }
            }
        }
    }
}

TEST_CASE("the first cuts of a candidate are those of its order") {
    const Coast sea = open_sea(60, 60);
    const KSection ksection(sea.grid, sea.mask, 12);
    const CutOrders orders(12);
    REQUIRE(ksection.count() == 3 * 8);
    std::vector<CutTree> distinct;
    for (Index n = 0; n < ksection.count(); ++n) {
        const std::vector<Cut> cuts = orders.at(n);
        const CutTree tree = ksection.candidate(n);
        CAPTURE(n);
        REQUIRE(tree[0].axis == cuts[0].axis);
        REQUIRE(tree[0].left == (cuts[0].parts == 2 ? 6 : 4));  // a cut into three is one into 1 and 2, and one more
        REQUIRE(tree[0].line == (cuts[0].parts == 2 ? 30 : 20));
        if (cuts[0].parts == 3) REQUIRE(tree[tree[0].above].line == 40);
        for (const CutNode& leaf : leaf_nodes(tree)) REQUIRE(wet_points(sea, leaf.box) == 300);
        if (std::ranges::find(distinct, tree) == distinct.end()) distinct.push_back(tree);
    }
    REQUIRE(distinct.size() == 24);
}

TEST_CASE("with nodes first each node's ranks fill a box of their own") {
    const Coast sea = ragged_sea();
    for (const auto& [ranks, ranks_per_node] : {std::pair{12, 4},
                                                {13, 4},
                                                {14, 7},
                                                {24, 24},
                                                {25, 24},
                                                {29, 3},
                                                {48, 24},
                                                {50, 24},
                                                {53, 8},
                                                {60, 6},
                                                {7, 24},
                                                {97, 10}}) {
        const KSection ksection(sea.grid, sea.mask, ranks, on_nodes(ranks_per_node));
        for (const Index number : some_of(ksection.count(), 25)) {
            CAPTURE(ranks, ranks_per_node, number);
            const CutTree tree = ksection.candidate(number);
            REQUIRE(fault_of(sea, tree, ranks) == "");
            REQUIRE(nodes_are_boxes(tree, ranks_per_node));
        }
    }
}

TEST_CASE("where halves do not spare the nodes of the machine, other numbers of nodes do") {
    // no line leaves 8 or 10 of the 22 points on one side: a column of two, and four points next to it
    const Coast sea = coast("a bay", 8, 9, [](Index i, Index j) { return i > 5 || (i < 4 && j == 3); });
    for (const int ranks : {19, 20}) {
        const KSection ksection(sea.grid, sea.mask, ranks, on_nodes(4));
        for (Index number = 0; number < ksection.count(); ++number) {
            CAPTURE(ranks, number);
            const CutTree tree = ksection.candidate(number);
            REQUIRE(fault_of(sea, tree, ranks) == "");
            REQUIRE(nodes_are_boxes(tree, 4));
        }
    }
}

TEST_CASE("the number of candidates is that of the nodes times that of the ranks of a node") {
    const Coast sea = open_sea(40, 40);
    const auto count = [&](int ranks, int ranks_per_node, bool nodes_first) {
        return KSection(sea.grid, sea.mask, ranks, on_nodes(ranks_per_node), nodes_first).count();
    };
    REQUIRE(count(24, 1, true) == CutOrders(24).count());
    REQUIRE(count(24, 6, true) == CutOrders(4).count() * CutOrders(6).count());
    REQUIRE(count(24, 6, false) == CutOrders(24).count());
    REQUIRE(count(50, 24, true) == CutOrders(3).count() * CutOrders(24).count());
    REQUIRE(count(5, 24, true) == CutOrders(5).count());
    REQUIRE(count(97, 1, true) == 1);
}

TEST_CASE("primes are cut, unequally but fairly") {
    const Coast sea = open_sea(120, 100);
    for (const int ranks : {2, 3, 5, 7, 11, 13, 97, 101}) {
        const KSection ksection(sea.grid, sea.mask, ranks);
        const BestCandidate best = search_candidates(ksection, 100);
        const CutTree tree = ksection.candidate(best.number);
        CAPTURE(ranks);
        REQUIRE(fault_of(sea, tree, ranks) == "");
        REQUIRE(partition_cost(leaves(sea.grid, tree), sea.mask, {}).imbalance < 1.2);
        if (ranks < 11) continue;
        for (const CutNode& leaf : leaf_nodes(tree)) REQUIRE(leaf.box.size(0) < 4 * leaf.box.size(1));
    }
}

TEST_CASE("the cost of a candidate is that of its partition, or infinite above the bound") {
    Random random(31);
    for (const Coast& given : coasts()) {
        for (int n = 0; n < 300; ++n) {
            Coast coast = given;
            coast.grid.periodic = {random.coin(), random.coin(), false};
            const int ranks = random.between(1, std::min(coast.wet(), 60));
            CostModel model = on_nodes(random.between(1, 5));
            model.width = random.between(0, 3);
            model.coefficients.latency = random.between(0, 1) * 2.5;
            if (random.coin()) {
                for (int rank = 0; rank < ranks; ++rank) model.speeds.push_back(1.0 + 0.5 * random.between(0, 2));
            }
            const bool nodes_first = random.coin();
            const KSection ksection(coast.grid, coast.mask, ranks, model, nodes_first);
            const Index number = random.between(0, static_cast<int>(ksection.count()) - 1);
            CAPTURE(coast.name, to_string(coast.grid), ranks, model.ranks_per_node, model.width, nodes_first, number);
            const double cost = price(ksection, number);
            REQUIRE(ksection.cost(number, kInfinity) == Approx(cost));
            REQUIRE(ksection.cost(number, cost * 1.0001) == Approx(cost));
            REQUIRE(ksection.cost(number, cost * 0.9999) > cost * 0.9999);  // known to be, or not
        }
    }
}

TEST_CASE("the search finds the cheapest of all candidates, the lowest of equal ones, with any threads and turns") {
    const Coast sea = ragged_sea();
    for (const int ranks : {1, 7, 12, 30, 48}) {
        for (const auto& [ranks_per_node, latency] : {std::pair{1, 0.0}, {6, 0.0}, {6, 8.0}}) {
            CostModel model = on_nodes(ranks_per_node);
            model.coefficients.latency = latency;
            const KSection ksection(sea.grid, sea.mask, ranks, model);
            CAPTURE(ranks, ranks_per_node, latency);
            Index cheapest = 0;
            double least = kInfinity;
            for (Index n = 0; n < ksection.count(); ++n) {
                const double cost = ksection.cost(n, kInfinity);
                REQUIRE(cost == Approx(price(ksection, n)));
                if (cost < least) cheapest = n, least = cost;
            }
            for (const int threads : {1, 2, 3}) {
                const BestCandidate best = search_candidates(ksection, ksection.count(), 0, 1, threads);
                REQUIRE(best.number == cheapest);
                REQUIRE(best.cost == least);
                REQUIRE(best.searched == ksection.count());
            }
            for (const Index turns : {2, 5}) {
                BestCandidate best;
                best.cost = kInfinity;
                Index searched = 0;
                for (Index turn = 0; turn < turns; ++turn) {
                    const BestCandidate found = search_candidates(ksection, ksection.count(), turn, turns, 2);
                    searched += found.searched;
                    if (found.number < 0) continue;
                    if (std::pair(found.cost, found.number) < std::pair(best.cost, best.number)) best = found;
                }
                REQUIRE(searched == ksection.count());
                REQUIRE(best.number == cheapest);
                REQUIRE(best.cost == least);
            }
        }
    }
}

TEST_CASE("of too many candidates an even sample is searched") {
    const Coast sea = ragged_sea();
    const KSection ksection(sea.grid, sea.mask, 60);
    const Index count = ksection.count();
    REQUIRE(count == 12 * 16);
    for (const Index most : {1, 7, 50, 191}) {
        Index cheapest = -1;
        double least = kInfinity;
        for (Index turn = 0; turn < most; ++turn) {
            const double cost = ksection.cost(count * turn / most, kInfinity);
            if (cost < least) cheapest = count * turn / most, least = cost;
        }
        for (const int threads : {1, 3}) {
            const BestCandidate best = search_candidates(ksection, most, 0, 1, threads);
            REQUIRE(best.number == cheapest);
            REQUIRE(best.cost == least);
            REQUIRE(best.searched == most);
        }
    }
    REQUIRE(search_candidates(ksection, 5, 5, 6).number == -1);
    REQUIRE(search_candidates(ksection, 5, 5, 6).cost == kInfinity);
}

TEST_CASE("thousands of ranks have more candidates than are worth their time") {
    const Coast sea = open_sea(260, 260);
    const KSection ksection(sea.grid, sea.mask, 16384);
    REQUIRE(ksection.count() == 16384);
    REQUIRE(worthwhile_candidates(ksection) * 16384 < 40'000'000);
    REQUIRE(worthwhile_candidates(ksection) >= 64);
    const BestCandidate best = search_candidates(ksection, 3, 0, 1, 2);
    REQUIRE(best.searched == 3);
    REQUIRE(leaf_nodes(ksection.candidate(best.number)).size() == 16384);
}

TEST_CASE("the accepted imbalance is one and a half rows of a square box, between 1.02 and 1.05, or five points") {
    REQUIRE(accepted_imbalance(2500 * 64, 64) == Approx(1.03));
    REQUIRE(accepted_imbalance(400 * 64, 64) == Approx(1.05));
    REQUIRE(accepted_imbalance(25 * 64, 64) == Approx(1.20));
    REQUIRE(accepted_imbalance(1'000'000, 1) == Approx(1.02));
    REQUIRE(accepted_imbalance(5, 5) == Approx(6));
    REQUIRE(accepted_imbalance(400 * 3001, 3001) == Approx(1.075));  // where the search only glances
}

TEST_CASE("a k-section refuses what cannot be cut") {
    const Coast sea = coast("three points", 5, 2, [](Index i, Index j) { return i > 1 && j == 1; });
    REQUIRE_THROWS_WITH(KSection(sea.grid, sea.mask, 4), Catch::StartsWith("ranks: got 4; expected 1 to 3"));
    REQUIRE_THROWS_AS(KSection(sea.grid, sea.mask, 0), UserError);
    REQUIRE_THROWS_AS(KSection({.size = {5, 3, 1}}, sea.mask, 2), UserError);
    REQUIRE_THROWS_WITH(KSection(sea.grid, sea.mask, 3, with_speeds({1, 2})),
                        Catch::StartsWith("speeds: got 2 numbers"));
    REQUIRE_THROWS_WITH(KSection(sea.grid, sea.mask, 3, on_nodes(0)), Catch::StartsWith("ranks per node: got 0"));
    const KSection ksection(sea.grid, sea.mask, 3);
    REQUIRE(ksection.count() == 2);
    REQUIRE_THROWS_AS(ksection.candidate(2), UserError);
    REQUIRE_THROWS_AS(ksection.candidate(-1), UserError);
}
