#include "schedule/land/wet_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lapwing/grid/mask.hpp"

namespace lapwing {

namespace {

// Adds the stretches of water of row `j`.
void add_row(std::vector<Box>& parts, const Box& box, Index j, const IsWet& wet, Index gap) {
    const std::size_t first = parts.size();
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
        if (!wet(i, j)) continue;
        if (parts.size() > first && i - parts.back().hi[0] <= gap) {
            parts.back().hi[0] = i + 1;
        } else {
            parts.push_back({{i, j, box.lo[2]}, {i + 1, j + 1, box.hi[2]}});
        }
    }
}

bool same_columns(const Box& a, const Box& b) { return a.lo[0] == b.lo[0] && a.hi[0] == b.hi[0]; }

Index columns(const Box& box) { return box.size(0) * box.size(1); }

// Cuts boxes of a mask.
class Halving {
  public:
    Halving(const Mask& mask, const BoxCost& cost) : mask_(mask), cost_(cost) {}

    [[nodiscard]] std::vector<Box> parts(const Box& box) const {
        const Box bounds = mask_.wet_bounds(box);
        if (bounds.empty()) return {};
        Box full = bounds;  // its rows may go on where the one before ended
        full.lo[0] = box.lo[0];
        full.hi[0] = box.hi[0];
        const std::vector<Box> one{cost({full}) < cost({bounds}) ? full : bounds};
        const Index water = mask_.count(bounds);
        if (columns(bounds) == water || columns(one[0]) - water <= cost_.call) return one;
        const int axis = bounds.size(1) == 1 || bounds.size(0) > (1 + cost_.row) * bounds.size(1) ? 0 : 1;
        std::vector<Box> halves = halves_of(axis == 0 ? bounds : full, axis);
        if (cost(halves) < cost(one)) return halves;
        return one;
    }

  private:
    [[nodiscard]] std::vector<Box> halves_of(const Box& box, int axis) const {
        Box lower = box, upper = box;
        lower.hi[axis] = upper.lo[axis] = box.lo[axis] + box.size(axis) / 2;
        std::vector<Box> halves = parts(lower);
        for (const Box& part : parts(upper)) halves.push_back(part);
        return halves;
    }
    [[nodiscard]] Index cost(const std::vector<Box>& boxes) const {
        Index sum = 0;
        for (const Box& box : boxes)
            sum += cost_.call + columns(box) + (box.size(0) < mask_.nx() ? box.size(1) * cost_.row : 0);
        return sum;
    }

    const Mask& mask_;
    BoxCost cost_;
};

}  // namespace

std::vector<Box> wet_rows(const Box& box, const IsWet& wet, Index gap) {
    std::vector<Box> parts;
    std::size_t last = 0;  // the first part of the row before
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        const std::size_t first = parts.size();
        add_row(parts, box, j, wet, gap);
        const bool single = parts.size() == first + 1 && first == last + 1;
        if (single && parts[last].hi[1] == j && same_columns(parts[last], parts[first])) {
            parts.pop_back();
            ++parts[last].hi[1];
        } else {
            last = first;
        }
    }
    return parts;
}

std::vector<Box> wet_halves(const Box& box, const IsWet& wet, const BoxCost& cost) {
    std::vector<std::uint8_t> values;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) values.push_back(wet(i, j) ? 1 : 0);
    if (std::ranges::count(values, 1) == 0) return {};
    const Mask mask(box.size(0), box.size(1), values);
    std::vector<Box> parts = Halving(mask, cost).parts({{0, 0, box.lo[2]}, {box.size(0), box.size(1), box.hi[2]}});
    for (Box& part : parts) {
        for (const std::size_t axis : {0, 1}) {
            part.lo[axis] += box.lo[axis];
            part.hi[axis] += box.lo[axis];
        }
    }
    return parts;
}

}  // namespace lapwing
