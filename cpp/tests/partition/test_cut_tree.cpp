// Lines and divisions against trying every line; trees of masks that are hard to cut.
#include "lapwing/partition/cuts/cut_tree.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "coasts.hpp"
#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

struct None {};

struct Halved {
    Division division;
    None below, above;
};

CutTree longest_side_tree(const Cutter& cutter) {
    CutTree tree;
    const auto choose = [&](const CutNode& node, None) { return Halved{cutter.longest_side(node), {}, {}}; };
    grow_tree(cutter, cutter.root(), None{}, choose, [](const CutNode&, None) { return true; }, tree);
    return tree;
}

Index wet_below(const Coast& coast, const CutNode& node, int axis, Index line) {
    Box below = node.box;
    below.hi[axis] = line;
    return wet_points(coast, below);
}

// The lines that leave every rank a wet point.
std::vector<Index> possible_lines(const Coast& coast, const CutNode& node, int axis, int left) {
    std::vector<Index> lines;
    const Index wet = wet_points(coast, node.box);
    for (Index line = node.box.lo[axis]; line <= node.box.hi[axis]; ++line) {
        const Index below = wet_below(coast, node, axis, line);
        if (below >= left && wet - below >= node.ranks - left) lines.push_back(line);
    }
    return lines;
}

double least_distance(const Coast& coast, const CutNode& node, int axis, const std::vector<Index>& lines,
                      double wanted) {
    double least = 1e9;
    for (const Index line : lines) {
        least = std::min(least, std::abs(static_cast<double>(wet_below(coast, node, axis, line)) - wanted));
    }
    return least;
}

// A part of a coast with some of `ranks` ranks.
CutNode random_node(Random& random, const Coast& coast, int ranks) {
    CutNode node;
    node.first = random.between(0, ranks - 2);
    Box box = coast.grid.box();
    for (int axis = 0; axis < 2; ++axis) {
        box.lo[axis] = random.between(0, static_cast<int>(coast.grid.size[axis]) - 1);
        box.hi[axis] = random.between(static_cast<int>(box.lo[axis]) + 1, static_cast<int>(coast.grid.size[axis]));
    }
    node.box = bounds_of_wet(coast, box);
    const int most = std::min<int>(ranks - node.first, static_cast<int>(wet_points(coast, box)));
    node.ranks = most < 2 ? 1 : random.between(2, most);
    return node;
}

CostModel random_speeds(Random& random, int ranks) {
    CostModel model;
    if (random.coin()) return model;
    for (int rank = 0; rank < ranks; ++rank) model.speeds.push_back(random.between(1, 8) / 4.0);
    return model;
}

}  // namespace

TEST_CASE("a line comes as close to the wanted share as any that leaves every rank a wet point") {
    Random random(2);
    int none = 0;
    for (const Coast& coast : coasts()) {
        if (coast.wet() < 2) continue;
        for (int n = 0; n < 150; ++n) {
            const int ranks = random.between(2, coast.wet());
            const CostModel model = random_speeds(random, ranks);
            const Cutter cutter(coast.grid, coast.mask, model, ranks, true);
            const CutNode node = random_node(random, coast, ranks);
            if (node.ranks == 1) continue;
            const int axis = random.between(0, 1), left = random.between(1, node.ranks - 1);
            CAPTURE(coast.name, to_string(node.box), node.first, node.ranks, axis, left);
            double below = 0, all = 0;
            for (int rank = 0; rank < node.ranks; ++rank) {
                (rank < left ? below : all) += model.speed(node.first + rank);
            }
            const auto wet = static_cast<double>(wet_points(coast, node.box));
            const double wanted = wet * below / (below + all);
            const auto lines = possible_lines(coast, node, axis, left);
            const auto line = cutter.line(node, {.axis = axis, .left = left});
            none += lines.empty();
            REQUIRE(line.has_value() == !lines.empty());
            if (!line) continue;
            REQUIRE(std::ranges::count(lines, *line) == 1);
            const double distance = std::abs(static_cast<double>(wet_below(coast, node, axis, *line)) - wanted);
            REQUIRE(distance == Approx(least_distance(coast, node, axis, lines, wanted)).margin(1e-9));
        }
    }
    REQUIRE(none > 20);
}

TEST_CASE("a given line is taken if it leaves every rank a wet point, and only then") {
    Random random(3);
    for (const Coast& coast : coasts()) {
        if (coast.wet() < 2) continue;
        const int ranks = std::max(2, coast.wet() / 2);
        const Cutter cutter(coast.grid, coast.mask, {}, ranks, true);
        for (int n = 0; n < 20; ++n) {
            const CutNode node = random_node(random, coast, ranks);
            if (node.ranks == 1) continue;
            const int axis = random.between(0, 1), left = random.between(1, node.ranks - 1);
            const auto lines = possible_lines(coast, node, axis, left);
            for (Index line = node.box.lo[axis]; line <= node.box.hi[axis]; ++line) {
                CAPTURE(coast.name, to_string(node.box), node.ranks, axis, left, line);
                const auto parts = cutter.divide(node, {axis, left, line});
                REQUIRE(parts.has_value() == (std::ranges::count(lines, line) == 1));
                if (parts) REQUIRE(parts->line == line);
            }
        }
    }
}

TEST_CASE("the parts of a division are the wet bounds on both sides, with all the wet points") {
    Random random(4);
    for (const Coast& coast : coasts()) {
        if (coast.wet() < 2) continue;
        const int ranks = std::max(2, coast.wet() / 3);
        const Cutter cutter(coast.grid, coast.mask, {}, ranks, true);
        for (int n = 0; n < 60; ++n) {
            const CutNode node = random_node(random, coast, ranks);
            if (node.ranks == 1) continue;
            const Division division{.axis = random.between(0, 1), .left = random.between(1, node.ranks - 1)};
            const auto parts = cutter.divide(node, division);
            if (!parts) continue;
            CAPTURE(coast.name, to_string(node.box), division.axis, parts->line);
            Box below = node.box, above = node.box;
            below.hi[division.axis] = above.lo[division.axis] = parts->line;
            REQUIRE(parts->below == bounds_of_wet(coast, below));
            REQUIRE(parts->above == bounds_of_wet(coast, above));
            REQUIRE(wet_points(coast, parts->below) >= division.left);
            REQUIRE(wet_points(coast, parts->above) >= node.ranks - division.left);
        }
    }
}

TEST_CASE("across the longest side any mask is cut for any number of ranks that has a wet point for each") {
    for (const Coast& coast : coasts()) {
        for (int ranks = 1; ranks <= coast.wet(); ++ranks) {
            for (const int ranks_per_node : {1, 4}) {
                CAPTURE(coast.name, ranks, ranks_per_node);
                const Cutter cutter(coast.grid, coast.mask, on_nodes(ranks_per_node), ranks, true);
                REQUIRE(fault_of(coast, longest_side_tree(cutter), ranks) == "");
            }
        }
    }
}

TEST_CASE("random masks are cut down to one wet point per rank") {
    Random random(8);
    for (int n = 0; n < 60; ++n) {
        const Coast coast = random_coast(random, random.between(1, 12), random.between(1, 12), random.between(1, 12));
        CAPTURE(n, coast.grid.size[0], coast.grid.size[1]);
        for (const int ranks : {coast.wet(), std::max(1, coast.wet() - 1), random.between(1, coast.wet())}) {
            CAPTURE(ranks);
            const Cutter cutter(coast.grid, coast.mask, random_speeds(random, ranks), ranks, true);
            REQUIRE(fault_of(coast, longest_side_tree(cutter), ranks) == "");
        }
    }
}

TEST_CASE("an open sea is cut across its longer side, into halves as far as ranks allow") {
    const Coast sea = open_sea(40, 20);
    const Cutter cutter(sea.grid, sea.mask, {}, 5, true);
    const Division division = cutter.longest_side(cutter.root());
    REQUIRE(division.axis == 0);
    REQUIRE(division.left == 2);
    REQUIRE(cutter.line(cutter.root(), division) == 16);  // two fifths of 40
    const Coast tall = open_sea(20, 40);
    REQUIRE(Cutter(tall.grid, tall.mask, {}, 5, true).longest_side(cutter.root()).axis == 0);
}

TEST_CASE("a rank twice as fast as the others gets twice the wet points") {
    const Coast sea = open_sea(60, 50);
    for (const int fast : {0, 3, 6}) {
        CostModel model = with_speeds(std::vector<double>(7, 3.0));
        model.speeds[fast] = 6;
        const Cutter cutter(sea.grid, sea.mask, model, 7, true);
        REQUIRE(cutter.share(fast, 1) == Approx(0.25));
        REQUIRE(cutter.share(0, 7) == Approx(1));
        for (const CutNode& leaf : leaf_nodes(longest_side_tree(cutter))) {
            CAPTURE(fast, leaf.first);
            REQUIRE(wet_points(sea, leaf.box) == Approx(leaf.first == fast ? 750 : 375).epsilon(0.05));
        }
    }
}

TEST_CASE("levels stay with their columns") {
    Coast sea = open_sea(6, 5);
    sea.grid.size[2] = 9;
    const Cutter cutter(sea.grid, sea.mask, {}, 4, true);
    for (const CutNode& leaf : leaf_nodes(longest_side_tree(cutter))) REQUIRE(leaf.box.size(2) == 9);
}

TEST_CASE("growing a tree ends where a leaf is not kept") {
    const Coast sea = open_sea(8, 8);
    const Cutter cutter(sea.grid, sea.mask, {}, 8, true);
    const auto choose = [&](const CutNode& node, None) { return Halved{cutter.longest_side(node), {}, {}}; };
    int seen = 0;
    CutTree tree;
    REQUIRE(!grow_tree(cutter, cutter.root(), None{}, choose, [&](const CutNode&, None) { return ++seen < 3; }, tree));
    REQUIRE(seen == 3);
}

TEST_CASE("cutters refuse ranks without a wet point, other masks and wrong speeds") {
    const Coast sea = coast("three points", 5, 2, [](Index i, Index j) { return i > 1 && j == 1; });
    const auto cutter = [&](const Grid& grid, const CostModel& model, int ranks) {
        return Cutter(grid, sea.mask, model, ranks, true).ranks();
    };
    REQUIRE(cutter(sea.grid, {}, 3) == 3);
    REQUIRE_THROWS_WITH(cutter(sea.grid, {}, 4), Catch::StartsWith("ranks: got 4; expected 1 to 3, the wet points"));
    REQUIRE_THROWS_AS(cutter(sea.grid, {}, 0), UserError);
    REQUIRE_THROWS_AS(cutter({.size = {2, 5, 1}}, {}, 2), UserError);
    REQUIRE_THROWS_WITH(cutter(sea.grid, with_speeds({1, 2}), 3), Catch::StartsWith("speeds: got 2 numbers"));
    REQUIRE_THROWS_AS(cutter(sea.grid, with_speeds({1, 0}), 2), UserError);
    REQUIRE_THROWS_AS(cutter(sea.grid, on_nodes(0), 2), UserError);
}
