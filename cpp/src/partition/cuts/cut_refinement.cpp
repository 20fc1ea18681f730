#include "partition/cuts/cut_refinement.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ranges>
#include <utility>
#include <vector>

#include "partition/cuts/cut_search.hpp"

namespace lapwing {

namespace {

constexpr int kSweeps = 40;     // over all lines; the last ones change little
constexpr int kAnew = 60;       // branches that are cut again
constexpr int kAnewRanks = 32;  // the largest of them
constexpr int kAnewDepth = 1;

class Refinement {
  public:
    Refinement(const Cutter& cutter, const CutScore& score, CutTree tree)
        : cutter_(cutter),
          score_(score),
          tree_(std::move(tree)),
          moved_(tree_),
          scores_(tree_.size()),
          machines_(tree_.size()),
          failed_(tree_.size()) {
        price(0);
    }

    // Tries to move the lines of the branch at `top` by `step` rows either way; returns true if one did.
    bool sweep(int top, Index step) {
        bool any = false;
        for (int at = top; at < end(top); ++at) {
            if (tree_[at].ranks == 1) continue;
            any = try_move(at, step, false) || try_move(at, -step, false) || any;
            if (tree_[at].ranks > 2) any = try_move(at, step, true) || try_move(at, -step, true) || any;
        }
        return any;
    }

    void settle(int top) {
        for (const Index step : {8, 4, 2, 1}) {
            for (int n = 0; n < kSweeps && sweep(top, step); ++n) {
            }
        }
    }

    // Cuts the branches around the slowest rank again, from the smallest up; returns true if one became better.
    bool cut_anew() {
        const std::vector<int> path = path_to_slowest();
        for (auto at = path.rbegin(); at != path.rend() && tree_[*at].ranks <= kAnewRanks; ++at) {
            if (tree_[*at].ranks > 1 && try_anew(*at)) return true;
        }
        return false;
    }

    [[nodiscard]] const CutTree& tree() const { return tree_; }

  private:
    // One past the nodes of the branch at `at`: a tree of n leaves has 2 n - 1 nodes.
    [[nodiscard]] int end(int at) const { return at + 2 * tree_[at].ranks - 1; }

    // Moves one line. The lines below it stay, or follow the water: they keep their shares of it. A move that failed is
    // not tried again before something that it depends on has changed.
    bool try_move(int at, Index step, bool follow) {
        Index& failed = failed_[at][(follow ? 2 : 0) + (step > 0 ? 1 : 0)];
        if (failed == std::abs(step)) return false;
        touched_.assign(1, at);
        before_.clear();
        moved_[at].line += step;
        if (place(at, follow, at) && lower(at)) {
            for (const int n : touched_) tree_[n] = moved_[n];
            try_all_again(at);
            return true;
        }
        for (const int n : touched_) moved_[n] = tree_[n];
        // the first of several scores of a leaf comes last
        for (const auto& [leaf, score] : std::views::reverse(before_)) scores_[leaf] = score;
        failed = std::abs(step);
        return false;
    }

    bool try_anew(int at) {
        const double now = sum(at);
        CutTree branch = search_thoroughly(cutter_, score_, tree_[at], around(tree_, at), kAnewDepth);
        if (branch.empty()) return false;
        for (CutNode& node : branch) {
            if (node.above >= 0) node.above += at;
        }
        std::ranges::copy(branch, moved_.begin() + at);
        const bool better = score(moved_, at) < now;
        const CutTree& kept = better ? moved_ : tree_;
        std::copy(kept.begin() + at, kept.begin() + end(at), (better ? tree_ : moved_).begin() + at);
        if (!better) return false;
        price(at);
        try_all_again(at);
        settle(at);
        return true;
    }

    // Prices the leaves that were touched; returns true if that makes the sum of the branch less.
    bool lower(int at) {
        const double now = sum(at);
        for (const int n : touched_) {
            if (tree_[n].ranks > 1 && !cutter_.is_node(tree_[n])) continue;
            for (int leaf = n; leaf < end(n); ++leaf) {
                if (tree_[leaf].ranks > 1) continue;
                before_.emplace_back(leaf, scores_[leaf]);
                scores_[leaf] = score_(moved_[leaf], moved_[machines_[leaf]].box);
            }
        }
        return sum(at) < now;
    }

    // The sum of the scores of the leaves in their order; nodes that are cut have a score of 0.
    [[nodiscard]] double sum(int at) const {
        double sum = 0;
        for (int n = at; n < end(at); ++n) sum += scores_[n];
        return sum;
    }

    // Scores all leaves of a branch of `tree_`, and finds the nodes of the machine around them.
    void price(int at) {
        std::fill(scores_.begin() + at, scores_.begin() + end(at), 0.0);
        int machine = 0, until = 0;
        for (const int n : path(at)) {
            if (cutter_.is_node(tree_[n])) machine = n;
        }
        const int outer = machine;
        for (int n = at; n < end(at); ++n) {
            if (n >= until) machine = outer;
            if (cutter_.is_node(tree_[n])) {
                machine = n;
                until = end(n);
            }
            machines_[n] = machine;
            if (tree_[n].ranks == 1) scores_[n] = score_(tree_[n], tree_[machine].box);
        }
    }

    // Forgets what failed in the branch and above it.
    void try_all_again(int at) {
        std::fill(failed_.begin() + at, failed_.begin() + end(at), Failed{});
        for (const int n : path(at)) failed_[n] = {};
    }

    // Gives the branch of `moved_` the boxes that its lines make; false if a rank is left without a wet point. Parts in
    // the same box with the same line as in `tree_` keep their boxes.
    bool place(int at, bool follow, int top) {
        CutNode& node = moved_[at];
        if (node.ranks == 1) return true;
        if (follow && at != top) {
            const auto line = cutter_.line_at(node, {.axis = node.axis, .left = node.left}, followed(at), node.line);
            if (!line) return false;
            if (node.line != *line) touched_.push_back(at);
            node.line = *line;
        }
        const bool same = node.box == tree_[at].box && node.line == tree_[at].line;
        if (same && !follow) return true;
        if (node.line <= node.box.lo[node.axis] || node.line >= node.box.hi[node.axis]) return false;
        Box below = node.box, above = node.box;
        below.hi[node.axis] = above.lo[node.axis] = node.line;
        const int upper = node.above;
        for (const auto& [part, box] : {std::pair{at + 1, below}, std::pair{upper, above}}) {
            if (!same) touched_.push_back(part);
            if (!same) moved_[part].box = cutter_.mask().wet_bounds(box);
            if (moved_[part].box.empty() || !place(part, follow, top)) return false;
        }
        return true;
    }

    // The wet points below the line of `at` if it keeps its share of them.
    [[nodiscard]] double followed(int at) const {
        const Mask& mask = cutter_.mask();
        const double before = static_cast<double>(mask.count(tree_[at].box));
        return static_cast<double>(mask.count(moved_[at].box)) * static_cast<double>(mask.count(tree_[at + 1].box)) /
               before;
    }

    // Calls visit(leaf, box of its node of the machine) for the leaves of branch `at`, which is part of `outer`.
    template <class Visit>
    void for_leaves(const CutTree& tree, int at, const Box& outer, const Visit& visit) const {
        const Box* node = &outer;
        int until = end(at);
        for (int n = at; n < end(at); ++n) {
            if (n >= until) node = &outer;
            if (cutter_.is_node(tree[n])) {
                node = &tree[n].box;
                until = end(n);
            }
            if (tree[n].ranks == 1) visit(n, *node);
        }
    }

    [[nodiscard]] double score(const CutTree& tree, int at) const {
        double sum = 0;
        for_leaves(tree, at, around(tree, at), [&](int leaf, const Box& node) { sum += score_(tree[leaf], node); });
        return sum;
    }

    // The box of the node of the machine that branch `at` is part of.
    [[nodiscard]] Box around(const CutTree& tree, int at) const {
        Box node = tree[0].box;
        for (const int n : path(at)) {
            if (cutter_.is_node(tree[n])) node = tree[n].box;
        }
        return node;
    }

    // The nodes from the whole down to `at`; lines may move, the branches' places in the tree do not.
    [[nodiscard]] std::vector<int> path(int at) const {
        std::vector<int> nodes{0};
        while (nodes.back() != at) {
            const CutNode& node = tree_[nodes.back()];
            nodes.push_back(at >= node.above ? node.above : nodes.back() + 1);
        }
        return nodes;
    }

    [[nodiscard]] std::vector<int> path_to_slowest() const {
        int slowest = 0;
        double most = -1;
        for_leaves(tree_, 0, tree_[0].box, [&](int leaf, const Box& node) {
            const double cost = score_.cost(tree_[leaf], node);
            if (cost <= most) return;
            most = cost;
            slowest = leaf;
        });
        return path(slowest);
    }

    const Cutter& cutter_;
    const CutScore& score_;
    CutTree tree_, moved_;        // alike except while a move is tried
    std::vector<double> scores_;  // of the leaves of `moved_`
    std::vector<int> machines_;   // of each leaf the node of the tree that is its node of the machine; 0: none
    std::vector<int> touched_;    // nodes that the move changes
    std::vector<std::pair<int, double>> before_;  // leaves that the move has priced, and their scores in `tree_`
    // The steps of moves down and up, without and with lines that follow, that failed at each node; 0: none.
    using Failed = std::array<Index, 4>;
    std::vector<Failed> failed_;
};

}  // namespace

CutTree refined(const Cutter& cutter, const CutScore& score, CutTree tree) {
    Refinement refinement(cutter, score, std::move(tree));
    refinement.settle(0);
    for (int n = 0; n < kAnew && refinement.cut_anew(); ++n) {
    }
    refinement.settle(0);
    return refinement.tree();
}

}  // namespace lapwing
