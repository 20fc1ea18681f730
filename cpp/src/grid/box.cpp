#include "lapwing/grid/box.hpp"

#include <algorithm>

#include "lapwing/base/concat.hpp"

namespace lapwing {

bool Box::contains(const Index3& cell) const {
    for (int a = 0; a < 3; ++a) {
        if (cell[a] < lo[a] || cell[a] >= hi[a]) return false;
    }
    return true;
}

bool Box::contains(const Box& other) const { return other.empty() || intersect(*this, other) == other; }

Box intersect(const Box& a, const Box& b) {
    Box both;
    for (int axis = 0; axis < 3; ++axis) {
        both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
        both.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
        if (both.hi[axis] <= both.lo[axis]) return {};
    }
    return both;
}

Box shift(const Box& box, const Index3& offset) {
    Box moved = box;
    for (int a = 0; a < 3; ++a) {
        moved.lo[a] += offset[a];
        moved.hi[a] += offset[a];
    }
    return moved;
}

Box hull(const Box& a, const Box& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    Box around;
    for (int axis = 0; axis < 3; ++axis) {
        around.lo[axis] = std::min(a.lo[axis], b.lo[axis]);
        around.hi[axis] = std::max(a.hi[axis], b.hi[axis]);
    }
    return around;
}

std::vector<Box> subtract(const Box& from, const Box& what) {
    if (from.empty()) return {};
    const Box both = intersect(from, what);
    if (both.empty()) return {from};
    std::vector<Box> rest;
    Box middle = from;
    // Slabs are cut off from the slowest axis inwards, so that the x rows that remain stay long.
    for (int axis = 2; axis >= 0; --axis) {
        Box below = middle, above = middle;
        below.hi[axis] = both.lo[axis];
        above.lo[axis] = both.hi[axis];
        if (!below.empty()) rest.push_back(below);
        if (!above.empty()) rest.push_back(above);
        middle.lo[axis] = both.lo[axis];
        middle.hi[axis] = both.hi[axis];
    }
    return rest;
}

std::string to_string(const Box& box) {
    std::string text = "[";
    for (int a = 0; a < 3; ++a) {
        if (a > 0) text += ", ";
        text += concat(box.lo[a], ":", box.hi[a]);
    }
    return text + "]";
}

}  // namespace lapwing
