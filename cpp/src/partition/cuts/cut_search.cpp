#include "partition/cuts/cut_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace lapwing {

namespace {

constexpr int kFewRanks = 4;         // up to this many ranks are divided exhaustively
constexpr int kFewAtAGlance = 3;     // and up to this many where the search looks no level ahead
constexpr std::size_t kNarrows = 6;  // number of values tried

class BranchSearch {
  public:
    BranchSearch(const Cutter& cutter, const CutScore& score) : cutter_(cutter), score_(score) {}

    // The division of `node` whose parts, looked into for `depth` levels, have the least score.
    [[nodiscard]] Division best(const CutNode& node, const Box& machine_node, int depth) const {
        Division best = cutter_.longest_side(node);
        double least = std::numeric_limits<double>::infinity();
        const auto try_division = [&](const Division& division) {
            const double score = divided(node, division, machine_node, depth, least);
            if (score >= least) return;
            least = score;
            best = division;
        };
        for (const Division& division : divisions(node)) try_division(division);
        return best;
    }

    // Returns the cuts that are worth trying at a box in a thorough search.
    [[nodiscard]] std::vector<Division> divisions(const CutNode& node) const {
        std::vector<Division> all = narrows(node);
        for_divisions(node, [&](const Division& division) { all.push_back(division); });
        return all;
    }

    [[nodiscard]] Box machine_node(const CutNode& node, const Box& around) const {
        return cutter_.is_node(node) ? node.box : around;
    }

  private:
    template <class Visit>
    void for_divisions(const CutNode& node, const Visit& visit) const {
        const int unit = cutter_.unit(node.ranks), units = (node.ranks + unit - 1) / unit;
        for (int left = 1; left < units; ++left) {
            if (!worth(left, units)) continue;
            visit(Division{0, left * unit, {}});
            visit(Division{1, left * unit, {}});
        }
    }

    // The divisions whose line crosses little water for what it divides: straits, and land between seas. One side may
    // get more ranks than its share, as far as the other can do with less.
    [[nodiscard]] std::vector<Division> narrows(const CutNode& node) const {
        std::vector<std::pair<double, Division>> found;
        if (node.ranks <= 2) return {};
        for (const int axis : {0, 1}) {
            for (Index line = node.box.lo[axis] + 1; line < node.box.hi[axis]; ++line) {
                for (const Division& division : fitting(node, axis, line)) {
                    found.emplace_back(width_at(node, division), division);
                }
            }
        }
        std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
        std::vector<Division> divisions;
        for (const auto& [width, division] : found) {
            const bool known = std::ranges::any_of(divisions, [&](const Division& other) {
                return other.axis == division.axis && other.left == division.left;
            });
            if (!known) divisions.push_back(division);
            if (divisions.size() == kNarrows) break;
        }
        return divisions;
    }

    // The wet points next to the line, squared, over the ranks of the smaller side.
    [[nodiscard]] double width_at(const CutNode& node, const Division& division) const {
        Box rows = node.box;
        rows.lo[division.axis] = *division.line - 1;
        rows.hi[division.axis] = *division.line + 1;
        const double water = static_cast<double>(cutter_.mask().count(rows)) + 1;
        return water * water / std::min(division.left, node.ranks - division.left);
    }

    // The numbers of ranks with which both sides of a line stay within the accepted imbalance: the fewest and the most.
    [[nodiscard]] std::vector<Division> fitting(const CutNode& node, int axis, Index line) const {
        Box rows = node.box;
        rows.hi[axis] = line;
        const Index wet = cutter_.mask().count(node.box), below = cutter_.mask().count(rows);
        const int unit = cutter_.unit(node.ranks), units = (node.ranks + unit - 1) / unit;
        const double most = score_.accepted() * cutter_.share(node.first, node.ranks) / units;  // most of a unit
        // more than any int where ranks are a billion times slower than others
        const double least_left = std::ceil(static_cast<double>(below) / most);
        const double least_right = std::ceil(static_cast<double>(wet - below) / most);
        if (least_left < 1 || least_right < 1 || least_left + least_right > units) return {};
        const int left = static_cast<int>(least_left), right = static_cast<int>(least_right);
        std::vector<Division> fits{{axis, left * unit, line}};
        if (left + right < units) fits.push_back({axis, (units - right) * unit, line});
        return fits;
    }

    // Halves, nearly halves, and what cuts by 3, 5 and 7 put on one side.
    static bool worth(int left, int units) {
        if (units <= kFewRanks || std::abs(2 * left - units) <= 2) return true;
        for (const int parts : {3, 5, 7}) {
            if (units % parts == 0 && left % (units / parts) == 0) return true;
        }
        return false;
    }

    // The score of both parts, or infinity once it is above `bound`.
    [[nodiscard]] double divided(const CutNode& node, const Division& division, const Box& around, int depth,
                                 double bound) const {
        const auto parts = cutter_.divide(node, division);
        if (!parts) return std::numeric_limits<double>::infinity();
        const double below = least(Cutter::below(node, division, *parts), around, depth);
        if (below >= bound) return std::numeric_limits<double>::infinity();
        return below + least(Cutter::above(node, division, *parts), around, depth);
    }

    [[nodiscard]] double least(const CutNode& node, const Box& around, int depth) const {
        const Box machine = machine_node(node, around);
        if (node.ranks == 1) return score_(node, machine);
        if (depth == 0 && node.ranks > kFewAtAGlance)
            return divided(node, cutter_.longest_side(node), machine, 0, kNoBound);
        double least = kNoBound;
        const int deeper = node.ranks <= kFewRanks ? depth : std::max(0, depth - 1);
        for_divisions(node, [&](const Division& division) {
            least = std::min(least, divided(node, division, machine, deeper, least));
        });
        return least;
    }

    static constexpr double kNoBound = std::numeric_limits<double>::infinity();
    const Cutter& cutter_;
    const CutScore& score_;
};

struct Branch {
    Division division;
    Box below, above;  // the node of the machine around either part
};

}  // namespace

CutTree search_cuts(const Cutter& cutter, const CutScore& score, const CutNode& from, const Box& around, int depth) {
    const BranchSearch search(cutter, score);
    const auto choose = [&](const CutNode& node, const Box& outer) {
        const Box machine = search.machine_node(node, outer);
        return Branch{search.best(node, machine, depth), machine, machine};
    };
    CutTree tree;
    grow_tree(cutter, from, around, choose, [](const CutNode&, const Box&) { return true; }, tree);
    return tree;
}

CutTree search_thoroughly(const Cutter& cutter, const CutScore& score, const CutNode& from, const Box& around,
                          int depth) {
    const BranchSearch search(cutter, score);
    CutTree best;
    double least = std::numeric_limits<double>::infinity();
    for (const Division& division : search.divisions(from)) {
        const auto choose = [&](const CutNode& node, const Box& outer) {
            const Box machine = search.machine_node(node, outer);
            if (node.ranks == from.ranks) return Branch{division, machine, machine};
            return Branch{search.best(node, machine, depth), machine, machine};
        };
        double sum = 0;
        const auto add = [&](const CutNode& leaf, const Box& outer) {
            sum += score(leaf, search.machine_node(leaf, outer));
            return sum < least;
        };
        CutTree tree;
        if (!grow_tree(cutter, from, around, choose, add, tree)) continue;
        least = sum;
        best = std::move(tree);
    }
    return best;
}

}  // namespace lapwing
