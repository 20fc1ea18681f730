// Trees beyond the k-section, and their refinement.
#include "lapwing/partition/partition_search.hpp"
#include "partition/cuts/cut_refinement.hpp"
#include "partition/cuts/cut_search.hpp"

#include <catch2/catch.hpp>

#include "coasts.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

Coast ragged_sea() {
    return coast("ragged", 20, 15,
                 [](Index i, Index j) { return i * i / 20 + (j * 7 + i * 3) % 11 < 26 && i + j > 8; });
}

// One problem with what its searches need.
struct Problem {
    Problem(const Coast& coast, int ranks, CostModel given)
        : model(checked(std::move(given), coast.grid, ranks)),
          ksection(coast.grid, coast.mask, ranks, model),
          start(ksection.candidate(0)),
          score(ksection.cutter(), model, ksection.cost(0, 1e300), accepted_imbalance(coast.wet(), ranks)) {}

    [[nodiscard]] const Cutter& cutter() const { return ksection.cutter(); }

    // The score of a tree, each leaf with the box of its node of the machine.
    [[nodiscard]] double score_of(const CutTree& tree) const {
        const auto nodes = machine_nodes(tree, model.ranks_per_node);
        double sum = 0;
        for (const CutNode& leaf : leaf_nodes(tree)) sum += score(leaf, nodes.at(leaf.first / model.ranks_per_node));
        return sum;
    }

    [[nodiscard]] CutTree searched(int depth) const {
        return search_cuts(cutter(), score, cutter().root(), cutter().root().box, depth);
    }

    [[nodiscard]] CutTree searched_thoroughly(int depth) const {
        return search_thoroughly(cutter(), score, cutter().root(), cutter().root().box, depth);
    }

    CostModel model;
    KSection ksection;
    CutTree start;
    CutScore score;
};

// Gives the branch at `at` the boxes that its lines make; false if a rank is left without a wet point.
bool place(const Mask& mask, CutTree& tree, int at) {
    const CutNode node = tree[at];
    if (node.box.empty()) return false;
    if (node.ranks == 1) return true;
    if (node.line <= node.box.lo[node.axis] || node.line >= node.box.hi[node.axis]) return false;
    Box below = node.box, above = node.box;
    below.hi[node.axis] = above.lo[node.axis] = node.line;
    tree[at + 1].box = mask.wet_bounds(below);
    tree[node.above].box = mask.wet_bounds(above);
    return place(mask, tree, at + 1) && place(mask, tree, node.above);
}

// A cut whose line can be moved by one row, alone, so that the score falls; -1 if there is none.
int cut_left_badly(const Problem& problem, const Mask& mask, const CutTree& tree) {
    const double now = problem.score_of(tree);
    for (int at = 0; at < static_cast<int>(tree.size()); ++at) {
        if (tree[at].ranks == 1) continue;
        for (const Index step : {-1, 1}) {
            CutTree moved = tree;
            moved[at].line += step;
            if (place(mask, moved, at) && problem.score_of(moved) < now * (1 - 1e-12)) return at;
        }
    }
    return -1;
}

// Ranks and ranks per node, unfull last nodes too.
const std::vector<std::pair<int, int>> kShapes{{2, 1}, {7, 1}, {13, 4}, {12, 4}, {13, 12}, {11, 5}};

}  // namespace

TEST_CASE("searched and refined trees give every wet point to one rank, and every rank a wet point") {
    for (const Coast& coast : coasts()) {
        for (const int ranks : {1, 3, 8}) {
            if (ranks > coast.wet()) continue;
            for (const int ranks_per_node : {1, 3}) {
                CAPTURE(coast.name, ranks, ranks_per_node);
                const Problem problem(coast, ranks, on_nodes(ranks_per_node));
                for (const int depth : {0, 1}) {
                    REQUIRE(fault_of(coast, problem.searched(depth), ranks) == "");
                }
                REQUIRE(fault_of(coast, refined(problem.cutter(), problem.score, problem.start), ranks) == "");
                const CutTree thorough = problem.searched_thoroughly(0);
                if (!thorough.empty()) REQUIRE(fault_of(coast, thorough, ranks) == "");
            }
        }
    }
}

TEST_CASE("with as many ranks as wet points every rank keeps one") {
    for (const Coast& coast : coasts()) {
        const int ranks = coast.wet();
        if (ranks > 24) continue;  // takes time
        CAPTURE(coast.name, ranks);
        const Problem problem(coast, ranks, {});
        const CutTree tree = refined(problem.cutter(), problem.score, problem.searched(0));
        REQUIRE(fault_of(coast, tree, ranks) == "");
        for (const CutNode& leaf : leaf_nodes(tree)) REQUIRE(leaf.box.volume() == 1);
    }
}

TEST_CASE("refinement never raises the score, keeps nodes together, and does the same twice") {
    const Coast sea = ragged_sea();
    for (const auto& [ranks, ranks_per_node] : kShapes) {
        const Problem problem(sea, ranks, on_nodes(ranks_per_node));
        CAPTURE(ranks, ranks_per_node);
        for (const CutTree& start : {problem.start, problem.searched(0)}) {
            const CutTree tree = refined(problem.cutter(), problem.score, start);
            REQUIRE(problem.score_of(tree) <= problem.score_of(start) * (1 + 1e-12));
            REQUIRE(fault_of(sea, tree, ranks) == "");
            REQUIRE(nodes_are_boxes(tree, ranks_per_node));
            REQUIRE(refined(problem.cutter(), problem.score, start) == tree);
        }
    }
}

TEST_CASE("refinement of good trees of nodes makes none worse") {
    Random random(41);
    for (int n = 0; n < 25; ++n) {
        Coast sea = random_coast(random, random.between(8, 16), random.between(8, 16), random.between(1, 2));
        sea.grid.periodic = {random.coin(), random.coin(), false};
        const int ranks_per_node = random.between(2, 5), ranks = random.between(ranks_per_node + 1, 9);
        const Problem problem(sea, ranks, on_nodes(ranks_per_node));
        CutTree tree = problem.searched(0);
        double score = problem.score_of(tree);
        for (int times = 0; times < 3; ++times) {
            CAPTURE(n, ranks, ranks_per_node, times);
            tree = refined(problem.cutter(), problem.score, tree);
            REQUIRE(fault_of(sea, tree, ranks) == "");
            REQUIRE(nodes_are_boxes(tree, ranks_per_node));
            const double now = problem.score_of(tree);
            REQUIRE(now <= score * (1 + 1e-12));
            score = now;
        }
    }
}

TEST_CASE("no line of a refined tree is better one row off") {
    Random random(43);
    for (int n = 0; n < 20; ++n) {
        Coast sea = random_coast(random, random.between(30, 70), random.between(30, 70), 1);
        sea.grid.periodic = {random.coin(), random.coin(), false};
        const int ranks_per_node = random.between(1, 4), ranks = random.between(16, 48);
        const Problem problem(sea, ranks, on_nodes(ranks_per_node));
        const CutTree tree = refined(problem.cutter(), problem.score, problem.start);
        CAPTURE(n, ranks, ranks_per_node);
        REQUIRE(cut_left_badly(problem, sea.mask, tree) == -1);
    }
}

TEST_CASE("refinement betters lines that were set badly") {
    const Coast sea = open_sea(32, 24);
    const Problem problem(sea, 6, {});
    CutTree crooked;
    struct None {};
    struct Cutting {
        Division division;
        None below, above;
    };
    const auto choose = [](const CutNode& node, None) {
        return Cutting{{.axis = 0, .left = node.ranks / 2, .line = node.box.lo[0] + node.ranks / 2}, {}, {}};
    };
    grow_tree(
        problem.cutter(), problem.cutter().root(), None{}, choose, [](const CutNode&, None) { return true; }, crooked);
    REQUIRE(fault_of(sea, crooked, 6) == "");
    const auto cost = [&](const CutTree& tree) { return partition_cost(leaves(sea.grid, tree), sea.mask, {}); };
    const CutTree tree = refined(problem.cutter(), problem.score, crooked);
    REQUIRE(cost(tree).cost < 0.6 * cost(crooked).cost);
    REQUIRE(cost(tree).imbalance < 1.2);
}

TEST_CASE("searches keep nodes together and do the same twice") {
    const Coast sea = ragged_sea();
    for (const auto& [ranks, ranks_per_node] : kShapes) {
        const Problem problem(sea, ranks, on_nodes(ranks_per_node));
        CAPTURE(ranks, ranks_per_node);
        const CutTree quick = problem.searched(1), thorough = problem.searched_thoroughly(0);
        for (const CutTree& tree : {quick, thorough}) {
            REQUIRE(fault_of(sea, tree, ranks) == "");
            REQUIRE(nodes_are_boxes(tree, ranks_per_node));
        }
        REQUIRE(problem.searched(1) == quick);
        REQUIRE(problem.searched_thoroughly(0) == thorough);
        // every division of the whole was followed, that of the quick search too
        REQUIRE(problem.score_of(thorough) <= problem.score_of(problem.searched(0)) * (1 + 1e-12));
    }
}

TEST_CASE("few ranks are searched exhaustively") {
    const Coast sea = ragged_sea();
    for (const int ranks : {2, 3, 4, 6}) {
        const Problem problem(sea, ranks, {});
        CAPTURE(ranks);
        const double found = problem.score_of(problem.searched_thoroughly(2));
        for (Index n = 0; n < problem.ksection.count(); ++n) {
            REQUIRE(found <= problem.score_of(problem.ksection.candidate(n)) * (1 + 1e-12));
        }
    }
}

TEST_CASE("on an open sea what search and refinement find is balanced as far as is accepted") {
    const Coast sea = open_sea(40, 30);
    for (const int ranks : {2, 3, 5, 7, 11}) {
        const Problem problem(sea, ranks, {});
        const CutTree tree = refined(problem.cutter(), problem.score, problem.searched(1));
        const PartitionCost cost = partition_cost(leaves(sea.grid, tree), sea.mask, {});
        CAPTURE(ranks);
        REQUIRE(cost.imbalance <= accepted_imbalance(sea.wet(), ranks) + 1e-12);
        REQUIRE(problem.score_of(tree) <= problem.score_of(problem.start));
    }
}

TEST_CASE("the fast rank keeps its share through search and refinement") {
    const Coast sea = open_sea(48, 40);
    for (const int fast : {0, 4, 8}) {
        CostModel model = with_speeds(std::vector<double>(9, 1.0));
        model.speeds[fast] = 2;
        const Problem problem(sea, 9, model);
        const CutTree tree = refined(problem.cutter(), problem.score, problem.searched(1));
        for (const CutNode& leaf : leaf_nodes(tree)) {
            CAPTURE(fast, leaf.first);
            REQUIRE(wet_points(sea, leaf.box) == Approx(leaf.first == fast ? 384 : 192).epsilon(0.15));
        }
    }
}

TEST_CASE("periodic seas are searched with the halos across the edge") {
    Coast sea = open_sea(36, 12);
    sea.grid.periodic = {true, false, false};
    const Problem problem(sea, 6, on_nodes(3));
    const CutTree tree = refined(problem.cutter(), problem.score, problem.searched(1));
    REQUIRE(fault_of(sea, tree, 6) == "");
    REQUIRE(nodes_are_boxes(tree, 3));
    REQUIRE(problem.score_of(tree) <= problem.score_of(problem.start) * (1 + 1e-12));
}
