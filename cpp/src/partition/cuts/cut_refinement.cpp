#include "partition/cuts/cut_refinement.hpp"

#include <algorithm>
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
        : cutter_(cutter), score_(score), tree_(std::move(tree)), moved_(tree_) {}

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

    // Moves one line. The lines below it stay, or follow the water: they keep their shares of it.
    bool try_move(int at, Index step, bool follow) {
        const double now = score(tree_, at);
        std::copy(tree_.begin() + at, tree_.begin() + end(at), moved_.begin() + at);
        moved_[at].line += step;
        if (!place(at, follow, at)) return false;
        return keep_better(at, now);
    }

    bool try_anew(int at) {
        const double now = score(tree_, at);
        CutTree branch = search_thoroughly(cutter_, score_, tree_[at], around(tree_, at), kAnewDepth);
        if (branch.empty()) return false;
        for (CutNode& node : branch) {
            if (node.above >= 0) node.above += at;
        }
        std::ranges::copy(branch, moved_.begin() + at);
        if (!keep_better(at, now)) return false;
        settle(at);
        return true;
    }

    bool keep_better(int at, double now) {
        if (score(moved_, at) >= now) return false;
        std::copy(moved_.begin() + at, moved_.begin() + end(at), tree_.begin() + at);
        return true;
    }

    // Gives the branch of `moved_` the boxes that its lines make; false if a rank is left without a wet point. Parts in
    // the same box with the same line as in `tree_` keep their boxes.
    bool place(int at, bool follow, int top) {
        CutNode& node = moved_[at];
        if (node.ranks == 1) return true;
        if (follow && at != top) {
            const auto line = cutter_.line_at(node, {.axis = node.axis, .left = node.left}, followed(at), node.line);
            if (!line) return false;
            node.line = *line;
        }
        const bool same = node.box == tree_[at].box && node.line == tree_[at].line;
        if (same && !follow) return true;
        if (node.line <= node.box.lo[node.axis] || node.line >= node.box.hi[node.axis]) return false;
        Box below = node.box, above = node.box;
        below.hi[node.axis] = above.lo[node.axis] = node.line;
        const int upper = node.above;
        for (const auto& [part, box] : {std::pair{at + 1, below}, std::pair{upper, above}}) {
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
    CutTree tree_, moved_;
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
