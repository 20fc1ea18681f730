#include "lapwing/partition/cuts/cut_tree.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/bisect.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

Cutter::Cutter(const Grid& grid, const Mask& mask, const CostModel& model, int ranks, bool nodes_first)
    : grid_(grid), mask_(mask), ranks_per_node_(1), speed_sums_{0.0} {
    check_size(mask, grid);
    const Index wet = mask.count(grid.box());
    if (ranks < 1 || ranks > wet) {
        user_error("ranks", ranks, concat("1 to ", wet, ", the wet points of the mask"),
                   "ask for fewer ranks: each needs a wet point");
    }
    const CostModel sound = checked(model, grid, ranks);
    if (nodes_first) ranks_per_node_ = sound.ranks_per_node;
    for (int rank = 0; rank < ranks; ++rank) speed_sums_.push_back(speed_sums_.back() + sound.speed(rank));
}

CutNode Cutter::root() const { return {.box = mask_.wet_bounds(grid_.box()), .first = 0, .ranks = ranks()}; }

namespace {

Box part(const Box& box, int axis, Index lo, Index hi) {
    Box cut = box;
    cut.lo[axis] = lo;
    cut.hi[axis] = hi;
    return cut;
}

// The first line along `axis` below which `box` holds at least `wanted` wet points; the upper end where none does.
Index line_with(const Mask& mask, const Box& box, int axis, double wanted, const std::optional<Index>& guess) {
    const auto enough = [&](Index line) {
        return static_cast<double>(mask.count(part(box, axis, box.lo[axis], line))) >= wanted;
    };
    if (guess) return first_that_near(*guess, box.lo[axis], box.hi[axis], enough);
    return first_that(box.lo[axis], box.hi[axis], enough);
}

}  // namespace

std::optional<Index> Cutter::line(const CutNode& node, const Division& division) const {
    const double wet = static_cast<double>(mask_.count(node.box));
    return line_at(node, division, wet * share(node.first, division.left) / share(node.first, node.ranks));
}

std::optional<Index> Cutter::line_at(const CutNode& node, const Division& division, double wanted,
                                     std::optional<Index> guess) const {
    const auto& [axis, left, given] = division;
    const Box& box = node.box;
    const Index most = mask_.count(box) - (node.ranks - left);
    const auto below = [&](Index line) { return mask_.count(part(box, axis, box.lo[axis], line)); };
    // every rank below needs a point, and every rank above
    const auto fits = [&](Index points) { return points >= left && points <= most; };
    if (most < left || (given && !fits(below(*given)))) return std::nullopt;
    if (given) return given;
    const Index line = line_with(mask_, box, axis, std::clamp<double>(wanted, left, static_cast<double>(most)), guess);
    // the nearer fitting line of the two around the wanted place
    const Index less = below(line - 1), more = below(line);
    const bool nearer = wanted - static_cast<double>(less) < static_cast<double>(more) - wanted;
    if (fits(less) && (nearer || !fits(more))) return line - 1;
    return fits(more) ? std::optional(line) : std::nullopt;
}

std::optional<Parts> Cutter::divide(const CutNode& node, const Division& division) const {
    const auto at = line(node, division);
    if (!at) return std::nullopt;
    const Box below = part(node.box, division.axis, node.box.lo[division.axis], *at);
    const Box above = part(node.box, division.axis, *at, node.box.hi[division.axis]);
    return Parts{*at, mask_.wet_bounds(below), mask_.wet_bounds(above)};
}

Division Cutter::longest_side(const CutNode& node) const {
    const int each = unit(node.ranks);
    const int units = (node.ranks + each - 1) / each;
    const int longer = node.box.size(1) > node.box.size(0) ? 1 : 0;
    // nodes of the machine stay whole where any number of them fits on one side: halves, one less, one more, ...
    for (int n = 0; n < (each > 1 ? units : 1); ++n) {
        const int left = (units / 2 + (n % 2 == 0 ? n / 2 : -(n + 1) / 2)) * each;
        if (left < 1 || left >= node.ranks) continue;
        for (const int axis : {longer, 1 - longer}) {
            if (divide(node, {.axis = axis, .left = left})) return {.axis = axis, .left = left};
        }
    }
    return any_line(node, longer);
}

// Both ends of a wet box hold wet points, so the line in the middle leaves some on both sides: enough for all the
// ranks of the node, if not for half of them.
Division Cutter::any_line(const CutNode& node, int axis) const {
    const Box& box = node.box;
    const Index middle = box.lo[axis] + box.size(axis) / 2;
    const Index below = mask_.count(part(box, axis, box.lo[axis], middle));
    const Index fewest = std::max<Index>(1, node.ranks - (mask_.count(box) - below));
    const Index most = std::min<Index>(node.ranks - 1, below);
    return {.axis = axis, .left = static_cast<int>(std::clamp<Index>(node.ranks / 2, fewest, most))};
}

Partition leaves(const Grid& grid, const CutTree& tree) {
    std::vector<Subdomain> subdomains;
    for (const CutNode& node : tree) {
        if (node.ranks == 1) subdomains.push_back({node.first, node.box});
    }
    return {grid, static_cast<int>(subdomains.size()), std::move(subdomains)};
}

}  // namespace lapwing
