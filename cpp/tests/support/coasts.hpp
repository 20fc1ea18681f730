#pragma once
// Small masks that are hard to cut, and what must hold of every tree that cuts them.

#include "lapwing/partition/cuts/cut_tree.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "random_numbers.hpp"

namespace lapwing::testing {

struct Coast {
    std::string name;
    Grid grid;
    Mask mask;

    [[nodiscard]] int wet() const { return static_cast<int>(mask.count(grid.box())); }
};

// `wet(i, j)` says which columns are.
template <class Wet>
Coast coast(std::string name, Index nx, Index ny, const Wet& wet) {
    std::vector<std::uint8_t> cells;
    for (Index j = 0; j < ny; ++j) {
        for (Index i = 0; i < nx; ++i) cells.push_back(wet(i, j) ? 1 : 0);
    }
    return {std::move(name), {.size = {nx, ny, 1}}, Mask(nx, ny, cells)};
}

// One column in `one_in` is wet, and one in the middle.
inline Coast random_coast(Random& random, Index nx, Index ny, int one_in) {
    return coast("random", nx, ny,
                 [&](Index i, Index j) { return random.between(1, one_in) == 1 || (i == nx / 2 && j == ny / 2); });
}

inline Coast open_sea(Index nx, Index ny) {
    return coast("all wet", nx, ny, [](Index, Index) { return true; });
}

inline std::vector<Coast> coasts() {
    Random random(11);
    std::vector<Coast> all{open_sea(9, 7), random_coast(random, 16, 12, 8), random_coast(random, 11, 13, 2)};
    all.push_back(coast("one wet point per row", 14, 20, [&](Index i, Index j) { return i == (j * 5 + j * j) % 14; }));
    all.push_back(coast("an L", 12, 15, [](Index i, Index j) { return i < 2 || j == 0; }));
    all.push_back(coast("a diagonal", 15, 15, [](Index i, Index j) { return i == j; }));
    all.push_back(coast("a cross", 27, 27, [](Index i, Index j) { return i == 13 || j == 13; }));
    all.push_back(coast("two basins", 18, 11, [](Index i, Index j) { return (i < 5 && j > 6) || (i > 13 && j < 4); }));
    all.push_back(coast("one row", 31, 1, [](Index i, Index) { return i % 7 != 3 && i > 2; }));
    all.push_back(coast("one column", 1, 23, [](Index, Index j) { return j % 5 != 1; }));
    all.push_back(coast("one point", 6, 4, [](Index i, Index j) { return i == 4 && j == 1; }));
    return all;
}

// Wet columns of `box`, one by one.
inline Index wet_points(const Coast& coast, const Box& box) {
    Index points = 0;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) points += coast.mask.wet(i, j);
    }
    return points;
}

// The box around the wet columns of `box`, one by one.
inline Box bounds_of_wet(const Coast& coast, const Box& box) {
    Box bounds;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            if (coast.mask.wet(i, j)) bounds = hull(bounds, {{i, j, box.lo[2]}, {i + 1, j + 1, box.hi[2]}});
        }
    }
    return bounds;
}

// Models that say one thing only.
inline CostModel on_nodes(int ranks_per_node) {
    CostModel model;
    model.ranks_per_node = ranks_per_node;
    return model;
}

inline CostModel with_speeds(std::vector<double> speeds) {
    CostModel model;
    model.speeds = std::move(speeds);
    return model;
}

inline CostModel with_width(int width) {
    CostModel model;
    model.width = width;
    return model;
}

inline std::vector<CutNode> leaf_nodes(const CutTree& tree) {
    std::vector<CutNode> found;
    for (const CutNode& node : tree) {
        if (node.ranks == 1) found.push_back(node);
    }
    return found;
}

// The fault of the branch at `at`, whose parts must be the wet bounds on either side of its line; empty: nothing.
inline std::string fault_of_branch(const Coast& coast, const CutTree& tree, int at) {
    const CutNode& node = tree[at];
    const std::string name = "node " + std::to_string(at) + " " + to_string(node.box);
    if (node.box != bounds_of_wet(coast, node.box) || node.box.empty()) return name + " is not its wet bounds";
    if (node.ranks == 1) return "";
    if (node.left < 1 || node.left >= node.ranks) return name + " leaves a side without a rank";
    if (node.above != at + 2 * node.left) return name + " has its upper part elsewhere";
    Box below = node.box, above = node.box;
    below.hi[node.axis] = above.lo[node.axis] = node.line;
    const CutNode &first = tree[at + 1], &second = tree[node.above];
    if (first.box != bounds_of_wet(coast, below) || second.box != bounds_of_wet(coast, above)) {
        return name + " has parts that are not those of its line";
    }
    if (first.first != node.first || first.ranks != node.left || second.first != node.first + node.left ||
        second.ranks != node.ranks - node.left) {
        return name + " gives its ranks away wrongly";
    }
    return "";
}

// The fault of a tree for `ranks`: every wet column must be in exactly one leaf, no leaf dry; empty: nothing.
inline std::string fault_of(const Coast& coast, const CutTree& tree, int ranks) {
    if (std::ssize(tree) != 2 * ranks - 1) return std::to_string(tree.size()) + " nodes";
    if (tree[0].first != 0 || tree[0].ranks != ranks || tree[0].box != bounds_of_wet(coast, coast.grid.box())) {
        return "the first node is not the whole";
    }
    for (int at = 0; at < std::ssize(tree); ++at) {
        if (const std::string fault = fault_of_branch(coast, tree, at); !fault.empty()) return fault;
    }
    const std::vector<CutNode> nodes = leaf_nodes(tree);
    Index points = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        if (nodes[rank].first != rank) return "leaf " + std::to_string(rank) + " has another rank";
        if (wet_points(coast, nodes[rank].box) == 0) return "rank " + std::to_string(rank) + " is dry";
        points += wet_points(coast, nodes[rank].box);
    }
    // throws where boxes overlap
    const Partition partition = leaves(coast.grid, tree);
    if (partition.ranks() != ranks) return "a partition of " + std::to_string(partition.ranks()) + " ranks";
    return points == coast.wet() ? "" : std::to_string(points) + " wet points owned";
}

// The fault of a partition on `ranks` ranks: every wet column must be in exactly one box, boxes must be the
// bounds of their wet columns, and no rank dry; empty: nothing.
inline std::string fault_of(const Coast& coast, const Partition& partition, int ranks) {
    if (partition.ranks() != ranks) return std::to_string(partition.ranks()) + " ranks";
    Index points = 0;  // boxes never overlap
    for (const Subdomain& one : partition.subdomains()) {
        if (one.box != bounds_of_wet(coast, one.box)) return to_string(one.box) + " is not its wet bounds";
        points += wet_points(coast, one.box);
    }
    for (int rank = 0; rank < ranks; ++rank) {
        if (partition.subdomains_of(rank).empty()) return "rank " + std::to_string(rank) + " is dry";
    }
    return points == coast.wet() ? "" : std::to_string(points) + " wet points owned";
}

// The box around what the ranks of every node of the machine own.
inline std::map<int, Box> machine_nodes(const CutTree& tree, int ranks_per_node) {
    std::map<int, Box> boxes;
    for (const CutNode& leaf : leaf_nodes(tree)) {
        Box& box = boxes[leaf.first / ranks_per_node];
        box = hull(box, leaf.box);
    }
    return boxes;
}

// True if no two nodes of the machine meet.
inline bool nodes_are_boxes(const CutTree& tree, int ranks_per_node) {
    const auto boxes = machine_nodes(tree, ranks_per_node);
    for (const auto& [one, box] : boxes) {
        for (const auto& [other, theirs] : boxes) {
            if (one < other && !intersect(box, theirs).empty()) return false;
        }
    }
    return true;
}

}  // namespace lapwing::testing
