#pragma once
// Trees of cuts: a box is cut along a line, and each part again, down to one box per rank.

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "lapwing/grid/mask.hpp"
#include "lapwing/partition/cuts/cut_order.hpp"
#include "lapwing/partition/partition_cost.hpp"

namespace lapwing {

// The wet bounds of a part of the grid and the ranks inside. With several ranks it is cut: what lies below `line` along
// `axis` goes to the first `left` ranks and is the next node; what lies above is node `above`.
struct CutNode {
    Box box;
    int first = 0;
    int ranks = 1;
    int axis = 0;
    Index line = 0;
    int left = 0;
    int above = -1;
    friend bool operator==(const CutNode&, const CutNode&) = default;
};

// Nodes in the order of their ranks, a box before its parts; node 0 is the whole.
using CutTree = std::vector<CutNode>;

// Along which axis to cut, how many ranks get what lies below, and where; without a line at their share.
struct Division {
    int axis = 0;
    int left = 1;
    std::optional<Index> line = std::nullopt;
};

// The two wet parts of a divided box.
struct Parts {
    Index line = 0;
    Box below, above;
};

// Cuts the wet points of a grid in the ratio of the speeds of ranks. Keeps a reference to the mask.
class Cutter {
  public:
    // Throws UserError when there are more ranks than wet points, the mask has another size than the grid, or the model
    // is refused by `checked`. Local.
    Cutter(const Grid& grid, const Mask& mask, const CostModel& model, int ranks, bool nodes_first);

    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] const Mask& mask() const { return mask_; }
    [[nodiscard]] int ranks() const { return static_cast<int>(speed_sums_.size()) - 1; }
    // Cuts do not divide groups of this many ranks: with `nodes_first` a node of the machine while there are several,
    // else 1.
    [[nodiscard]] int unit(int ranks) const { return ranks > ranks_per_node_ ? ranks_per_node_ : 1; }
    // True if `node` has all the ranks of one node of the machine, the last of which may be partly filled.
    [[nodiscard]] bool is_node(const CutNode& node) const {
        return node.first % ranks_per_node_ == 0 && node.ranks == std::min(ranks_per_node_, ranks() - node.first);
    }
    // The whole: all ranks and the bounds of all wet points.
    [[nodiscard]] CutNode root() const;

    // Returns the line of the division, or the line at which the wet points of `node` below come closest to the share
    // of the ranks that get them, and still every rank gets a wet point. Returns none if no line along this axis leaves
    // both sides that many.
    [[nodiscard]] std::optional<Index> line(const CutNode& node, const Division& division) const;

    // The same with `wanted` wet points below; `guess`: a line that is near, which makes it fast.
    [[nodiscard]] std::optional<Index> line_at(const CutNode& node, const Division& division, double wanted,
                                               std::optional<Index> guess = {}) const;

    // The wet bounds on either side of the line of the division.
    [[nodiscard]] std::optional<Parts> divide(const CutNode& node, const Division& division) const;

    // A division that is always possible: along the longer side and into equal numbers of ranks if that works, else
    // along the other, else into other numbers; through a node of the machine only if no line spares all nodes.
    [[nodiscard]] Division longest_side(const CutNode& node) const;

    // The share of all wet points that matches the speed of the ranks from `first` on.
    [[nodiscard]] double share(int first, int ranks) const {
        return (speed_sums_[first + ranks] - speed_sums_[first]) / speed_sums_.back();
    }

    // The two nodes that a division makes.
    [[nodiscard]] static CutNode below(const CutNode& node, const Division& division, const Parts& parts) {
        return {.box = parts.below, .first = node.first, .ranks = division.left};
    }
    [[nodiscard]] static CutNode above(const CutNode& node, const Division& division, const Parts& parts) {
        return {.box = parts.above, .first = node.first + division.left, .ranks = node.ranks - division.left};
    }

  private:
    [[nodiscard]] Division any_line(const CutNode& node, int axis) const;

    const Grid grid_;
    const Mask& mask_;
    int ranks_per_node_;
    std::vector<double> speed_sums_;  // sums over the ranks before
};

// The nodes of `tree` that are boxes of ranks, as a partition. Local.
Partition leaves(const Grid& grid, const CutTree& tree);

// Cuts `node` and its parts down to single ranks, and appends all of them to `tree`. `choose(node, state)` returns the
// division and the states of the two parts as {division, below, above}; an impossible division is replaced by
// `longest_side`. Ends early, with false, when `keep(leaf, state)` is false.
template <class State, class Choose, class Keep>
bool grow_tree(const Cutter& cutter, const CutNode& node, const State& state, const Choose& choose, const Keep& keep,
               CutTree& tree) {
    const auto at = tree.size();
    tree.push_back(node);
    if (node.ranks == 1) return keep(node, state);
    auto [division, below, above] = choose(node, state);
    std::optional<Parts> parts = cutter.divide(node, division);
    if (!parts) {
        division = cutter.longest_side(node);
        parts = cutter.divide(node, division);
    }
    if (!grow_tree(cutter, Cutter::below(node, division, *parts), below, choose, keep, tree)) return false;
    tree[at].axis = division.axis;
    tree[at].left = division.left;
    tree[at].line = parts->line;
    tree[at].above = static_cast<int>(tree.size());
    return grow_tree(cutter, Cutter::above(node, division, *parts), above, choose, keep, tree);
}

}  // namespace lapwing
