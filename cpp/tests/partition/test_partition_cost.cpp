// The cost of a partition, against counting cell by cell and against the messages of its halo plans.
#include "lapwing/partition/cuts/ksection.hpp"
#include "lapwing/partition/partition_cost.hpp"
#include "lapwing/partition/partition_search.hpp"
#include "lapwing/partition/wet_blocks.hpp"
#include "lapwing/plan/halo_plan.hpp"
#include "partition/box_cost.hpp"

#include <limits>
#include <set>

#include <catch2/catch.hpp>

#include "coasts.hpp"
#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

// Boxes between random lines, each given to some rank, or to none.
Partition random_boxes(Random& random, const Grid& grid, int ranks) {
    std::array<std::vector<Index>, 2> lines;
    for (int axis = 0; axis < 2; ++axis) {
        lines[axis] = {0, grid.size[axis]};
        for (Index line = 1; line < grid.size[axis]; ++line) {
            if (random.between(0, 3) == 0) lines[axis].insert(lines[axis].end() - 1, line);
        }
    }
    std::vector<Subdomain> subdomains;
    for (std::size_t j = 1; j < lines[1].size(); ++j) {
        for (std::size_t i = 1; i < lines[0].size(); ++i) {
            const int rank = random.between(-1, ranks - 1);
            if (rank < 0) continue;
            subdomains.push_back({rank, {{lines[0][i - 1], lines[1][j - 1], 0}, {lines[0][i], lines[1][j], 1}}});
        }
    }
    return {grid, ranks, std::move(subdomains)};
}

CostModel random_model(Random& random, int ranks) {
    CostModel model = on_nodes(random.between(1, 3));
    model.width = random.between(0, 3);
    model.coefficients = {.wet = 2, .dry = 0.25, .off = 4, .on = 1.5, .latency = random.between(0, 3) * 1.0};
    if (random.coin()) return model;
    for (int rank = 0; rank < ranks; ++rank) model.speeds.push_back(random.between(1, 4) / 2.0);
    return model;
}

// The rank that owns each column, -1 where none does.
std::vector<int> owners(const Partition& partition) {
    const auto [nx, ny, nz] = partition.grid().size;
    std::vector<int> owner(nx * ny, -1);
    for (const auto& [rank, box] : partition.subdomains()) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) owner[j * nx + i] = rank;
        }
    }
    return owner;
}

// One rank's share, cell by cell; without its cost.
RankCost counted(const Partition& partition, const Coast& coast, const CostModel& model, int rank) {
    const Grid& grid = partition.grid();
    const std::vector<int> owner = owners(partition);
    RankCost share;
    std::set<int> neighbors;
    const auto visit = [&](Index i, Index j) {
        if (grid.periodic[0]) i = (i + 99 * grid.size[0]) % grid.size[0];
        if (grid.periodic[1]) j = (j + 99 * grid.size[1]) % grid.size[1];
        if (i < 0 || i >= grid.size[0] || j < 0 || j >= grid.size[1] || !coast.mask.wet(i, j)) return;
        const int other = owner[j * grid.size[0] + i];
        if (other < 0 || other == rank) return;
        (other / model.ranks_per_node == rank / model.ranks_per_node ? share.halo_on : share.halo_off) += 1;
        neighbors.insert(other);
    };
    for (const int number : partition.subdomains_of(rank)) {
        const Box& box = partition.subdomain(number).box;
        for (Index j = box.lo[1] - model.width; j < box.hi[1] + model.width; ++j) {
            for (Index i = box.lo[0] - model.width; i < box.hi[0] + model.width; ++i) visit(i, j);
        }
        share.wet += wet_points(coast, box);
        share.dry += box.volume() - wet_points(coast, box);
    }
    share.messages = static_cast<int>(neighbors.size());
    return share;
}

double cost_of(const RankCost& share, const CostModel& model, double speed) {
    const CostCoefficients& c = model.coefficients;
    return (c.wet * static_cast<double>(share.wet) + c.dry * static_cast<double>(share.dry)) / speed +
           c.off * static_cast<double>(share.halo_off) + c.on * static_cast<double>(share.halo_on) +
           c.latency * share.messages;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 1 : sum / static_cast<double>(values.size());
}

// Random seas, closed and periodic, narrower than their halos too.
Coast random_sea(Random& random) {
    Coast sea = random_coast(random, random.between(1, 12), random.between(1, 12), random.between(1, 4));
    sea.grid.periodic = {random.coin(), random.coin(), false};
    return sea;
}

}  // namespace

TEST_CASE("costs are those of counting cells, several boxes per rank and periodic axes included") {
    Random random(21);
    for (int n = 0; n < 200; ++n) {
        const Coast sea = random_sea(random);
        const int ranks = random.between(1, 6);
        const Partition partition = random_boxes(random, sea.grid, ranks);
        const CostModel model = random_model(random, ranks);
        const PartitionCost cost = partition_cost(partition, sea.mask, model);
        REQUIRE(std::ssize(cost.ranks) == ranks);
        double slowest = 0, busiest = 0, wet = 0;
        RankCost sum;
        for (int rank = 0; rank < ranks; ++rank) {
            CAPTURE(n, rank, to_string(sea.grid), model.width, model.ranks_per_node);
            const RankCost want = counted(partition, sea, model, rank);
            const RankCost& got = cost.ranks[rank];
            REQUIRE(got.wet == want.wet);
            REQUIRE(got.dry == want.dry);
            REQUIRE(got.halo_off == want.halo_off);
            REQUIRE(got.halo_on == want.halo_on);
            REQUIRE(got.messages == want.messages);
            const double speed = model.speed(rank) / mean(model.speeds);
            REQUIRE(got.cost == Approx(cost_of(want, model, speed)));
            slowest = std::max(slowest, got.cost);
            busiest = std::max(busiest, static_cast<double>(want.wet) / speed);
            wet += static_cast<double>(want.wet);
            sum.halo_off += want.halo_off;
            sum.halo_on += want.halo_on;
            sum.messages += want.messages;
        }
        REQUIRE(cost.cost == slowest);
        REQUIRE(cost.halo_off == sum.halo_off);
        REQUIRE(cost.halo_on == sum.halo_on);
        REQUIRE(cost.messages == sum.messages);
        REQUIRE(cost.imbalance == Approx(wet > 0 ? busiest * ranks / wet : 1));
    }
}

TEST_CASE("halo points and messages are those that a halo plan receives") {
    Random random(22);
    for (int n = 0; n < 100; ++n) {
        const Coast sea = random_sea(random);
        const int ranks = random.between(1, 5);
        const Partition partition = random_boxes(random, sea.grid, ranks);
        CostModel model = on_nodes(random.between(1, 3));
        // plans refuse halos wider than the grid
        model.width = random.between(1, static_cast<int>(std::min({Index{3}, sea.grid.size[0], sea.grid.size[1]})));
        const PartitionCost cost = partition_cost(partition, sea.mask, model);
        FieldSpec field;
        field.name = "height";
        field.extents = {Extent::horizontal(model.width)};
        for (int rank = 0; rank < ranks; ++rank) {
            CAPTURE(n, rank, to_string(sea.grid), model.width, model.ranks_per_node);
            const MessagePlan plan = halo_plan(partition, rank, std::span(&field, 1), Corners::direct);
            Index off = 0, on = 0;
            int messages = 0;
            for (const Message& message : plan.phases.at(0).receives) {
                Index points = 0;
                for (const Piece& piece : message.pieces) points += wet_points(sea, piece.source_box);
                (model.node(message.peer) == model.node(rank) ? on : off) += points;
                messages += points > 0;
            }
            REQUIRE(cost.ranks[rank].halo_off == off);
            REQUIRE(cost.ranks[rank].halo_on == on);
            REQUIRE(cost.ranks[rank].messages == messages);
        }
    }
}

TEST_CASE("the default coefficients are 1, 0.05, 5, 1 and no latency") {
    // two ranks on two nodes, a row of six and a row of six with two dry points; no halo but the row between
    const Coast sea = coast("two rows", 6, 2, [](Index i, Index j) { return j == 0 || i > 1; });
    const Partition partition(sea.grid, 2, {{0, {{0, 0, 0}, {6, 1, 1}}}, {1, {{0, 1, 0}, {6, 2, 1}}}});
    const PartitionCost apart = partition_cost(partition, sea.mask, {});
    REQUIRE(apart.ranks[0].cost == Approx(6 + 5 * 4));
    REQUIRE(apart.ranks[1].cost == Approx(4 + 2 * 0.05 + 5 * 6));
    const PartitionCost together = partition_cost(partition, sea.mask, on_nodes(2));
    REQUIRE(together.ranks[0].cost == Approx(6 + 4));
    REQUIRE(together.ranks[1].cost == Approx(4 + 2 * 0.05 + 6));
    REQUIRE(together.imbalance == Approx(6 / 5.0));
}

TEST_CASE("speeds count relative to their mean") {
    const Coast sea = open_sea(9, 4);
    const Partition partition(sea.grid, 2, {{0, {{0, 0, 0}, {3, 4, 1}}}, {1, {{3, 0, 0}, {9, 4, 1}}}});
    for (const double unit : {0.5, 1.0, 700.0}) {
        CostModel model = with_speeds({unit, 2 * unit});
        model.width = 0;
        const PartitionCost cost = partition_cost(partition, sea.mask, model);
        REQUIRE(cost.imbalance == Approx(1));
        REQUIRE(cost.ranks[0].cost == Approx(18));
        REQUIRE(cost.ranks[1].cost == Approx(18));
    }
}

TEST_CASE("the cost of a box is that of its rank in trees whose nodes are boxes") {
    Random random(23);
    for (int n = 0; n < 150; ++n) {
        Coast sea = open_sea(random.between(4, 14), random.between(4, 14));
        sea.grid.periodic = {random.coin(), random.coin(), false};
        const int ranks = random.between(1, 16);
        CostModel model = random_model(random, ranks);
        model.coefficients.latency = 0;
        const KSection ksection(sea.grid, sea.mask, ranks, model);
        const Index number = random.between(0, static_cast<int>(ksection.count()) - 1);
        const CutTree tree = ksection.candidate(number);
        CAPTURE(to_string(sea.grid), ranks, model.width, model.ranks_per_node, number);
        if (!nodes_are_boxes(tree, model.ranks_per_node)) continue;
        const PartitionCost cost = partition_cost(leaves(sea.grid, tree), sea.mask, model);
        const BoxCost box_cost(sea.grid, sea.mask, checked(model, sea.grid, ranks));
        auto nodes = machine_nodes(tree, model.ranks_per_node);
        for (const CutNode& leaf : leaf_nodes(tree)) {
            const Box& node = nodes[leaf.first / model.ranks_per_node];
            const double want = cost.ranks[leaf.first].cost;
            REQUIRE(box_cost(leaf.box, leaf.first, node) == Approx(want));
            REQUIRE(box_cost.at_least(leaf.box, leaf.first) <= want * (1 + 1e-12));
        }
    }
}

TEST_CASE("no neighbours make a box cheaper than the least it can cost") {
    Random random(24);
    for (const Coast& coast : coasts()) {
        for (int n = 0; n < 20; ++n) {
            const int ranks = random.between(1, coast.wet());
            const CostModel model = random_model(random, ranks);
            const KSection ksection(coast.grid, coast.mask, ranks, model, false);
            const CutTree tree = ksection.candidate(ksection.count() - 1);
            const PartitionCost cost = partition_cost(leaves(coast.grid, tree), coast.mask, model);
            const BoxCost box_cost(coast.grid, coast.mask, checked(model, coast.grid, ranks));
            double largest = 0;
            for (const CutNode& leaf : leaf_nodes(tree)) {
                CAPTURE(coast.name, ranks, leaf.first, to_string(leaf.box));
                const double least = box_cost.at_least(leaf.box, leaf.first);
                REQUIRE(least <= cost.ranks[leaf.first].cost * (1 + 1e-12));
                REQUIRE(least >= model.coefficients.wet / checked(model, coast.grid, ranks).speed(leaf.first));
                largest = std::max(largest, least);
            }
            // tight where all is off the node and messages cost nothing
            if (model.ranks_per_node == 1 && model.coefficients.latency == 0) REQUIRE(largest == Approx(cost.cost));
        }
    }
}

TEST_CASE("a halo that a periodic grid lies in millions of times is refused before anything is searched") {
    Coast sea = open_sea(4, 4);
    sea.grid.periodic = {true, true, false};
    const auto refused = Catch::StartsWith("width of the halo: got 1073741824; expected 0 to 16 on this grid");
    const CostModel wide = with_width(1 << 30);
    REQUIRE_THROWS_WITH(KSection(sea.grid, sea.mask, 2, wide), refused);
    REQUIRE_THROWS_WITH(find_partition(sea.grid, sea.mask, 2, wide), refused);
    REQUIRE_THROWS_WITH(find_wet_blocks(sea.grid, sea.mask, 2, wide), refused);
    REQUIRE_THROWS_WITH(find_assigned_blocks(sea.grid, sea.mask, 2, wide), refused);
    REQUIRE_NOTHROW(find_partition(sea.grid, sea.mask, 2, with_width(16)));
    REQUIRE_THROWS_WITH(find_partition(sea.grid, sea.mask, 2, with_width(17)), Catch::StartsWith("width of the halo"));
}

TEST_CASE("models that make no sense are refused, with what is wrong about them") {
    const Coast sea = open_sea(4, 4);
    const Partition partition = block_partition(sea.grid, {2, 1, 1});
    const auto price = [&](const CostModel& model) { return partition_cost(partition, sea.mask, model).cost; };
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    REQUIRE(price(with_width(0)) == 8);
    REQUIRE_THROWS_WITH(price(with_width(-1)), Catch::StartsWith("width of the halo: got -1"));
    REQUIRE_THROWS_WITH(price(with_width(1 << 30)), Catch::StartsWith("width of the halo: got 1073741824"));
    REQUIRE_THROWS_WITH(price(on_nodes(0)), Catch::StartsWith("ranks per node: got 0"));
    for (const double wrong : {-1.0, nan, infinity}) {
        for (int which = 0; which < 5; ++which) {
            CostModel model;
            CostCoefficients& c = model.coefficients;
            *std::array{&c.wet, &c.dry, &c.off, &c.on, &c.latency}[which] = wrong;
            REQUIRE_THROWS_WITH(price(model), Catch::StartsWith("cost coefficient: got "));
        }
    }
    REQUIRE_THROWS_WITH(price(with_speeds({1})), Catch::StartsWith("speeds: got 1 numbers; expected 2"));
    for (const double wrong : {0.0, -1.0, nan, infinity}) {
        REQUIRE_THROWS_WITH(price(with_speeds({1, wrong})), Catch::StartsWith("speed of a rank: got "));
    }
    const Coast other = open_sea(4, 5);
    REQUIRE_THROWS_AS(partition_cost(partition, other.mask, {}), UserError);
}
