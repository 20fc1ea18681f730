// Blocks without the dry ones, assigned blocks, and ranks numbered by node, against trying all ways.
#include "lapwing/partition/node_order.hpp"
#include "lapwing/partition/weighted_blocks.hpp"
#include "lapwing/partition/wet_blocks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include <catch2/catch.hpp>

#include "coasts.hpp"
#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double price(const Coast& coast, const Partition& partition, const CostModel& model) {
    return partition_cost(partition, coast.mask, model).cost;
}

// The boxes of blocks with water, one by one.
std::vector<Box> boxes_with_water(const Coast& coast, const Index3& blocks) {
    std::vector<Box> wet;
    const Partition all = block_partition(coast.grid, blocks);
    for (const Subdomain& block : all.subdomains()) {
        if (wet_points(coast, block.box) > 0) wet.push_back(bounds_of_wet(coast, block.box));
    }
    return wet;
}

std::vector<Box> boxes_of(const Partition& partition) {
    std::vector<Box> boxes;
    for (const Subdomain& one : partition.subdomains()) boxes.push_back(one.box);
    return boxes;
}

// The cheapest of all shapes.
double cheapest_blocks(const Coast& coast, int ranks, const CostModel& model) {
    double least = kInfinity;
    for (Index n = 1; n <= coast.grid.size[1]; ++n) {
        for (Index m = 1; m <= coast.grid.size[0]; ++m) {
            const Partition blocks = wet_block_partition(coast.grid, coast.mask, {m, n, 1});
            if (blocks.ranks() <= ranks) least = std::min(least, price(coast, blocks, model));
        }
    }
    return least;
}

// Wet points of every rank.
std::vector<Index> loads(const Coast& coast, const Partition& partition) {
    std::vector<Index> wet(partition.ranks());
    for (const Subdomain& one : partition.subdomains()) {
        wet[one.rank] += wet_points(coast, one.box);
    }
    return wet;
}

// The lightest heaviest of all ways to cut `weights` from `first` on into at most `runs`.
Index lightest(const std::vector<Index>& weights, std::size_t first, int runs) {
    if (first == weights.size()) return 0;
    if (runs == 0) return std::numeric_limits<Index>::max();
    Index best = std::numeric_limits<Index>::max(), sum = 0;
    for (std::size_t end = first; end < weights.size(); ++end) {
        sum += weights[end];
        best = std::min(best, std::max(sum, lightest(weights, end + 1, runs - 1)));
    }
    return best;
}

CostModel random_model(Random& random) {
    CostModel model = on_nodes(random.between(1, 4));
    model.width = random.between(0, 2);
    model.coefficients.latency = random.between(0, 1) * 3.0;
    return model;
}

Index halo_off(const Coast& coast, const Partition& partition, int ranks_per_node) {
    return partition_cost(partition, coast.mask, on_nodes(ranks_per_node)).halo_off;
}

}  // namespace

TEST_CASE("blocks without water are dropped, the others trimmed and numbered row by row") {
    Random random(3);
    std::vector<Coast> all = coasts();
    for (int n = 0; n < 20; ++n) all.push_back(random_coast(random, random.between(1, 20), random.between(1, 20), 6));
    for (const Coast& coast : all) {
        for (const Index m : {1, 2, 5, 9}) {
            for (const Index n : {1, 3, 4, 10}) {
                if (m > coast.grid.size[0] || n > coast.grid.size[1]) continue;
                CAPTURE(coast.name, m, n);
                const Partition found = wet_block_partition(coast.grid, coast.mask, {m, n, 1});
                const std::vector<Box> boxes = boxes_with_water(coast, {m, n, 1});
                REQUIRE(fault_of(coast, found, static_cast<int>(boxes.size())) == "");
                REQUIRE(boxes_of(found) == boxes);
                for (int rank = 0; rank < found.ranks(); ++rank) REQUIRE(found.subdomain(rank).rank == rank);
            }
        }
    }
}

TEST_CASE("the search for blocks uses no more ranks than asked for, and its own shape") {
    Random random(4);
    std::vector<Coast> all = coasts();
    for (int n = 0; n < 40; ++n) {
        all.push_back(random_coast(random, random.between(1, 30), random.between(1, 30), random.between(1, 9)));
    }
    for (const Coast& coast : all) {
        for (const int ranks : {1, 2, 3, 7, 12, 100}) {
            CAPTURE(coast.name, to_string(coast.grid), ranks);
            const FoundBlocks found = find_wet_blocks(coast.grid, coast.mask, ranks, random_model(random));
            REQUIRE(found.partition.ranks() <= ranks);
            REQUIRE(fault_of(coast, found.partition, found.partition.ranks()) == "");
            REQUIRE(found.partition == wet_block_partition(coast.grid, coast.mask, found.blocks));
            REQUIRE(found.searched >= 1);
        }
    }
}

TEST_CASE("the search for blocks against all shapes") {
    Random random(6);
    for (int n = 0; n < 150; ++n) {
        Coast coast = random_coast(random, random.between(1, 26), random.between(1, 26), random.between(1, 6));
        coast.grid.periodic = {random.coin(), random.coin(), false};
        const int ranks = random.between(1, 14);
        const CostModel model = random_model(random);
        const double least = cheapest_blocks(coast, ranks, model);
        CAPTURE(n, to_string(coast.grid), coast.wet(), ranks);
        const double cost = price(coast, find_wet_blocks(coast.grid, coast.mask, ranks, model).partition, model);
        REQUIRE(cost <= least * (1 + 1e-12));
    }
}

TEST_CASE("one row or one column is cut along itself") {
    for (const Coast& coast : {open_sea(1000, 1), open_sea(1, 1000), open_sea(900, 2)}) {
        CAPTURE(to_string(coast.grid));
        const FoundBlocks found = find_wet_blocks(coast.grid, coast.mask, 4);
        REQUIRE(found.partition.ranks() == 4);
        REQUIRE(std::ranges::max(found.blocks) == 4);
    }
}

TEST_CASE("blocks are assigned in runs: every wet point has a rank, every rank a wet point") {
    Random random(14);
    std::vector<Coast> all = coasts();
    for (int n = 0; n < 30; ++n) {
        all.push_back(random_coast(random, random.between(1, 30), random.between(1, 30), random.between(1, 9)));
    }
    for (Coast& coast : all) {
        coast.grid.periodic = {random.coin(), random.coin(), false};
        for (const int ranks : {1, 2, 3, 4, 7, 12, coast.wet()}) {
            if (ranks > coast.wet()) continue;
            CAPTURE(coast.name, to_string(coast.grid), coast.wet(), ranks);
            const FoundBlocks found = find_assigned_blocks(coast.grid, coast.mask, ranks, random_model(random));
            REQUIRE(fault_of(coast, found.partition, ranks) == "");
            std::vector<Box> boxes = boxes_of(found.partition), wet = boxes_with_water(coast, found.blocks);
            const auto place = [](const Box& box) { return std::pair(box.lo, box.hi); };
            std::ranges::sort(boxes, {}, place);
            std::ranges::sort(wet, {}, place);
            REQUIRE(boxes == wet);
        }
    }
}

TEST_CASE("of more ranks than wet points as many are used as there are points") {
    for (const Coast& coast : coasts()) {
        const FoundBlocks found = find_assigned_blocks(coast.grid, coast.mask, coast.wet() + 3);
        CAPTURE(coast.name);
        REQUIRE(fault_of(coast, found.partition, coast.wet()) == "");
    }
}

TEST_CASE("the ranks follow the curve, and the heaviest run is as light as it can be") {
    Random random(15);
    for (int n = 0; n < 40; ++n) {
        const Coast coast = random_coast(random, random.between(2, 12), random.between(2, 12), random.between(1, 4));
        const int ranks = random.between(1, std::min(4, coast.wet()));
        CAPTURE(to_string(coast.grid), ranks);
        const Partition found = find_assigned_blocks(coast.grid, coast.mask, ranks).partition;
        std::vector<Index> weights;
        int rank = 0;
        for (const Subdomain& one : found.subdomains()) {
            REQUIRE((one.rank == rank || one.rank == rank + 1));
            rank = one.rank;
            weights.push_back(wet_points(coast, one.box));
        }
        if (weights.size() > 18) continue;  // too many ways
        REQUIRE(std::ranges::max(loads(coast, found)) == lightest(weights, 0, ranks));
    }
}

TEST_CASE("along the curve the next block is a neighbour") {
    // 8 x 8 blocks of one point each, where none is dry
    const Coast sea = open_sea(8, 8);
    const FoundBlocks found = find_assigned_blocks(sea.grid, sea.mask, 64);
    REQUIRE(found.blocks == Index3{8, 8, 1});
    for (std::size_t n = 1; n < 64; ++n) {
        const Box &one = found.partition.subdomains()[n - 1].box, &next = found.partition.subdomains()[n].box;
        REQUIRE(std::abs(one.lo[0] - next.lo[0]) + std::abs(one.lo[1] - next.lo[1]) == 1);
    }
}

TEST_CASE("numbered by node: the same boxes, each rank's together") {
    Random random(16);
    for (const Coast& coast : coasts()) {
        for (const int per_node : {1, 2, 3, 4, 7, 100}) {
            const Partition rows = find_wet_blocks(coast.grid, coast.mask, 13).partition;
            const Partition assigned = find_assigned_blocks(coast.grid, coast.mask, 5).partition;
            for (const Partition& before : {rows, assigned}) {
                CAPTURE(coast.name, per_node);
                const Partition after = node_ordered(before, per_node);
                REQUIRE(fault_of(coast, after, before.ranks()) == "");
                std::multiset<std::string> old, now;
                const auto add = [](const Partition& partition, std::multiset<std::string>& shares) {
                    for (int rank = 0; rank < partition.ranks(); ++rank) {
                        std::string share;
                        for (const int number : partition.subdomains_of(rank)) {
                            share += to_string(partition.subdomain(number).box);
                        }
                        shares.insert(share);
                    }
                };
                add(before, old);
                add(after, now);
                REQUIRE(now == old);
            }
        }
    }
}

TEST_CASE("nodes of an open sea are compact") {
    const Coast sea = open_sea(64, 64);
    const Partition rows = wet_block_partition(sea.grid, sea.mask, {8, 8, 1});
    const Partition nodes = node_ordered(rows, 4);
    // 2 x 2 blocks each
    for (int node = 0; node < 16; ++node) {
        Box box;
        for (int rank = 4 * node; rank < 4 * node + 4; ++rank) box = hull(box, nodes.subdomain(rank).box);
        REQUIRE(box.size(0) == 16);
        REQUIRE(box.size(1) == 16);
    }
    REQUIRE(halo_off(sea, nodes, 4) < halo_off(sea, rows, 4));
    for (const int per_node : {2, 6, 8, 24}) {
        CAPTURE(per_node);
        REQUIRE(halo_off(sea, node_ordered(rows, per_node), per_node) <= halo_off(sea, rows, per_node));
    }
}

TEST_CASE("ranks without boxes keep a number") {
    const Coast sea = open_sea(8, 8);
    const Partition holes(sea.grid, 4, {{1, {{0, 0, 0}, {8, 4, 1}}}, {3, {{0, 4, 0}, {8, 8, 1}}}});
    const Partition after = node_ordered(holes, 2);
    REQUIRE(after.ranks() == 4);
    REQUIRE(after.subdomains().size() == 2);
}

TEST_CASE("searches for blocks refuse what makes no sense") {
    const Coast sea = open_sea(6, 4);
    const Grid other{.size = {6, 5, 1}};
    for (const int ranks : {0, -1}) {
        REQUIRE_THROWS_WITH(find_wet_blocks(sea.grid, sea.mask, ranks), Catch::StartsWith("ranks: got"));
        REQUIRE_THROWS_WITH(find_assigned_blocks(sea.grid, sea.mask, ranks), Catch::StartsWith("ranks: got"));
    }
    REQUIRE_THROWS_WITH(find_wet_blocks(other, sea.mask, 2), Catch::StartsWith("mask: got"));
    REQUIRE_THROWS_WITH(find_assigned_blocks(other, sea.mask, 2), Catch::StartsWith("mask: got"));
    REQUIRE_THROWS_WITH(wet_block_partition(other, sea.mask, {1, 1, 1}), Catch::StartsWith("mask: got"));
    REQUIRE_THROWS_AS(wet_block_partition(sea.grid, sea.mask, {7, 1, 1}), UserError);
    REQUIRE_THROWS_AS(wet_block_partition(sea.grid, sea.mask, {1, 0, 1}), UserError);
    REQUIRE_THROWS_AS(find_wet_blocks(sea.grid, sea.mask, 2, with_speeds({1})), UserError);
    REQUIRE_THROWS_AS(find_assigned_blocks(sea.grid, sea.mask, 2, with_width(-1)), UserError);
    REQUIRE_THROWS_WITH(node_ordered(block_partition(sea.grid, {2, 1, 1}), 0),
                        Catch::StartsWith("ranks per node: got 0; expected at least 1"));
}

TEST_CASE("nodes get rectangles where these tile the blocks") {
    const Grid grid{.size = {240, 240, 1}};
    const Partition nodes = node_ordered(block_partition(grid, {6, 10, 1}), 4);
    for (int rank = 0; rank < nodes.ranks(); rank += 4) {
        const Box first = nodes.subdomain(rank).box, last = nodes.subdomain(rank + 3).box;
        CHECK(last.lo == Index3{first.lo[0] + 40, first.lo[1] + 24, 0});
    }
}

TEST_CASE("fast ranks get wider rows and columns of blocks") {
    const Grid grid{.size = {90, 40, 1}};
    const Partition blocks = block_partition(grid, {3, 2, 1});
    // the first column three times as fast as the others
    const Partition weighted = weighted_blocks(blocks, std::vector<double>{3, 1, 1, 3, 1, 1});
    CHECK(weighted.aligned());
    CHECK(weighted.subdomain(0).box == Box{{0, 0, 0}, {54, 20, 1}});
    CHECK(weighted.subdomain(1).box == Box{{54, 0, 0}, {72, 20, 1}});
    CHECK(weighted.subdomain(5).box == Box{{72, 20, 0}, {90, 40, 1}});
    // however slow, a rank has cells
    const Partition least = weighted_blocks(blocks, std::vector<double>{1, 1e-9, 1, 1, 1e-9, 1});
    CHECK(least.subdomain(1).box.size(0) == 1);
    CHECK_THROWS_WITH(weighted_blocks(blocks, std::vector<double>{1, 1}), Catch::StartsWith("speeds of ranks: got 2"));
    CHECK_THROWS_WITH(weighted_blocks(blocks, std::vector<double>{1, 1, 1, 1, 1, 0}), Catch::Contains("above 0"));
}
