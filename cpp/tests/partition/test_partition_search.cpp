// Results of the search for a partition: valid, never costlier than the candidates, the same for any number of threads.
#include "lapwing/partition/partition_search.hpp"

#include <map>

#include <catch2/catch.hpp>

#include "coasts.hpp"
#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

double price(const Coast& coast, const Partition& partition, const CostModel& model) {
    return partition_cost(partition, coast.mask, model).cost;
}

BestCandidate best_candidate(const KSection& ksection) {
    return search_candidates(ksection, worthwhile_candidates(ksection));
}

Partition found_for(const Coast& coast, int ranks, const CostModel& model = {}, const SearchOptions& options = {}) {
    return find_partition(coast.grid, coast.mask, ranks, model, options).partition;
}

// One rank, as many as there are wet points, and some in between.
std::vector<int> rank_counts(const Coast& coast) {
    std::vector<int> counts;
    for (const int ranks : {1, 2, 7, 12, coast.wet() - 1, coast.wet()}) {
        if (ranks >= 1 && ranks <= std::min(coast.wet(), 12)) counts.push_back(ranks);
    }
    return counts;
}

// True if the boxes around what the ranks of each node own have nothing in common.
bool nodes_are_apart(const Partition& partition, int ranks_per_node) {
    std::map<int, Box> boxes;
    for (const Subdomain& one : partition.subdomains()) {
        Box& box = boxes[one.rank / ranks_per_node];
        box = hull(box, one.box);
    }
    for (const auto& [one, box] : boxes) {
        for (const auto& [other, theirs] : boxes) {
            if (one < other && !intersect(box, theirs).empty()) return false;
        }
    }
    return true;
}

Coast bays() {
    return coast("bays", 40, 30, [](Index i, Index j) { return i * i / 20 + (j * 7 + i * 3) % 11 < 60 && i + j > 8; });
}

}  // namespace

TEST_CASE("what is found is valid and never costlier than the best candidate") {
    for (const Coast& coast : coasts()) {
        for (const int ranks : rank_counts(coast)) {
            for (const int ranks_per_node : {1, 4}) {
                CAPTURE(coast.name, ranks, ranks_per_node);
                const CostModel model = on_nodes(ranks_per_node);
                const FoundPartition found = find_partition(coast.grid, coast.mask, ranks, model);
                REQUIRE(fault_of(coast, found.partition, ranks) == "");
                for (const Subdomain& one : found.partition.subdomains()) {
                    REQUIRE(found.partition.subdomains_of(one.rank).size() == 1);
                }
                const KSection ksection(coast.grid, coast.mask, ranks, model);
                const BestCandidate best = best_candidate(ksection);
                REQUIRE(price(coast, found.partition, model) <= best.cost * (1 + 1e-12));
                REQUIRE(found.candidates == ksection.count());
                REQUIRE(found.searched >= best.searched);
            }
        }
    }
}

TEST_CASE("random seas, periodic or not, with random models") {
    Random random(5);
    for (int n = 0; n < 9; ++n) {
        Coast coast = random_coast(random, random.between(1, 20), random.between(1, 20), random.between(1, 5));
        coast.grid.periodic = {random.coin(), random.coin(), false};
        const int ranks = random.between(1, std::min(coast.wet(), 16));
        CostModel model = on_nodes(random.between(1, 5));
        model.width = random.between(0, 3);
        model.coefficients.latency = random.between(0, 1) * 3.0;
        for (int rank = 0; rank < ranks && n % 3 == 0; ++rank) model.speeds.push_back(random.between(1, 4) / 2.0);
        CAPTURE(n, to_string(coast.grid), coast.wet(), ranks, model.ranks_per_node, model.width);
        const Partition found = found_for(coast, ranks, model);
        REQUIRE(fault_of(coast, found, ranks) == "");
        const KSection ksection(coast.grid, coast.mask, ranks, model);
        REQUIRE(price(coast, found, model) <= best_candidate(ksection).cost * (1 + 1e-12));
        REQUIRE(fault_of(coast, found_for(coast, ranks, model, {.nodes_first = true}), ranks) == "");
    }
}

TEST_CASE("any number of threads and any run find the same") {
    Random random(8);
    for (const Coast& coast : {bays(), random_coast(random, 20, 20, 2)}) {
        for (const int ranks : {7}) {
            for (const bool nodes_first : {false, true}) {
                CAPTURE(coast.name, ranks, nodes_first);
                const CostModel model = on_nodes(nodes_first ? 6 : 1);
                const FoundPartition once =
                    find_partition(coast.grid, coast.mask, ranks, model, {.nodes_first = nodes_first});
                for (const int threads : {1, 2, 3}) {
                    const FoundPartition again = find_partition(coast.grid, coast.mask, ranks, model,
                                                                {.nodes_first = nodes_first, .threads = threads});
                    REQUIRE(again.partition == once.partition);
                    REQUIRE(again.candidates == once.candidates);
                    REQUIRE(again.searched == once.searched);
                }
            }
        }
    }
}

TEST_CASE("without wider trees and refinement the best candidate is found") {
    for (const Coast& coast : coasts()) {
        for (const int ranks : rank_counts(coast)) {
            CAPTURE(coast.name, ranks);
            const KSection ksection(coast.grid, coast.mask, ranks, on_nodes(3));
            const Partition best = leaves(coast.grid, ksection.candidate(best_candidate(ksection).number));
            REQUIRE(found_for(coast, ranks, on_nodes(3), {.wider = false, .refine = false}) == best);
        }
    }
}

TEST_CASE("every further stage of the search is no costlier") {
    const Coast sea = bays();
    for (const int ranks : {5, 13}) {
        CAPTURE(ranks);
        const double candidate = price(sea, found_for(sea, ranks, {}, {.wider = false, .refine = false}), {});
        const double refined = price(sea, found_for(sea, ranks, {}, {.wider = false}), {});
        const double wider = price(sea, found_for(sea, ranks, {}, {.refine = false}), {});
        REQUIRE(refined <= candidate);
        REQUIRE(wider <= candidate);
        REQUIRE(price(sea, found_for(sea, ranks), {}) <= wider * (1 + 1e-12));
    }
}

TEST_CASE("nodes stay apart, and nodes first has little water between them") {
    for (const Coast& sea : {open_sea(32, 32), open_sea(40, 20)}) {
        for (const auto& [ranks, ranks_per_node] : {std::pair{16, 4}, {22, 6}}) {
            CAPTURE(to_string(sea.grid), ranks, ranks_per_node);
            const CostModel model = on_nodes(ranks_per_node);
            const Partition plain = found_for(sea, ranks, model);
            const Partition nodes = found_for(sea, ranks, model, {.nodes_first = true});
            REQUIRE(fault_of(sea, nodes, ranks) == "");
            REQUIRE(nodes_are_apart(plain, ranks_per_node));
            REQUIRE(nodes_are_apart(nodes, ranks_per_node));
            // the slowest node counts, not the sum over all: on a long sea two by two nodes beat strips
            const Index least = partition_cost(plain, sea.mask, model).halo_off;
            const Index most = sea.grid.size[0] == sea.grid.size[1] ? least : least * 6 / 5;
            REQUIRE(partition_cost(nodes, sea.mask, model).halo_off <= most);
        }
    }
}

TEST_CASE("nodes first on hard coasts: every rank of a node gets water") {
    for (const Coast& coast : coasts()) {
        for (const int ranks : rank_counts(coast)) {
            for (const int ranks_per_node : {2, 5}) {
                CAPTURE(coast.name, ranks, ranks_per_node);
                const Partition found = found_for(coast, ranks, on_nodes(ranks_per_node), {.nodes_first = true});
                REQUIRE(fault_of(coast, found, ranks) == "");
            }
        }
    }
}

TEST_CASE("faster ranks get more water") {
    const Coast sea = open_sea(40, 30);
    const CostModel model = with_speeds({1, 1, 2, 4});
    const PartitionCost cost = partition_cost(found_for(sea, 4, model), sea.mask, model);
    REQUIRE(cost.imbalance < 1.1);
    REQUIRE(cost.ranks[3].wet > 3 * cost.ranks[0].wet);
    REQUIRE(cost.ranks[2].wet < cost.ranks[3].wet);
}

TEST_CASE("as many ranks as wet points: one each") {
    for (const Coast& coast : coasts()) {
        if (coast.wet() > 24) continue;
        CAPTURE(coast.name);
        const Partition found = found_for(coast, coast.wet());
        REQUIRE(fault_of(coast, found, coast.wet()) == "");
        for (const Subdomain& one : found.subdomains()) REQUIRE(one.box.volume() == 1);
    }
}

TEST_CASE("a search refuses what makes no sense") {
    const Coast sea = coast("three points", 5, 2, [](Index i, Index j) { return i > 1 && j == 1; });
    REQUIRE_THROWS_WITH(found_for(sea, 4), Catch::StartsWith("ranks: got 4; expected 1 to 3"));
    REQUIRE_THROWS_AS(found_for(sea, 0), UserError);
    for (const int threads : {0, -1}) {
        REQUIRE_THROWS_WITH(found_for(sea, 2, {}, {.threads = threads}),
                            Catch::StartsWith("threads of the search: got " + std::to_string(threads)));
    }
    REQUIRE_THROWS_WITH(find_partition({.size = {5, 3, 1}}, sea.mask, 2), Catch::StartsWith("mask: got 5 x 2"));
    REQUIRE_THROWS_WITH(found_for(sea, 3, with_speeds({1, 2})), Catch::StartsWith("speeds: got 2 numbers"));
    REQUIRE_THROWS_AS(found_for(sea, 3, with_speeds({1, 2, 0})), UserError);
    REQUIRE_THROWS_AS(found_for(sea, 3, with_width(-1)), UserError);
    REQUIRE_THROWS_AS(found_for(sea, 3, on_nodes(0)), UserError);
}

TEST_CASE("a node may have room for any number of ranks") {
    const Coast sea = open_sea(8, 6);
    const Partition all = found_for(sea, 9, on_nodes(9), {.nodes_first = true, .wider = true});
    const Partition more = found_for(sea, 9, on_nodes(2147483647), {.nodes_first = true, .wider = true});
    for (int n = 0; n < 9; ++n) REQUIRE(more.subdomain(n).box == all.subdomain(n).box);
}

TEST_CASE("ranks may be a billion times slower than others") {
    const Coast sea = open_sea(8, 6);
    for (const double slow : {1e-6, 1e-9, 1e-12}) {
        std::vector<double> speeds(10, slow);
        speeds[1] = 1;
        const Partition partition = found_for(sea, 10, with_speeds(speeds), {.wider = true});
        REQUIRE(partition.ranks() == 10);
        Index owned = 0;
        for (const Subdomain& one : partition.subdomains()) owned += sea.mask.count(one.box);
        REQUIRE(owned == sea.wet());
    }
}
