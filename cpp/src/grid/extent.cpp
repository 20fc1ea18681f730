#include "lapwing/grid/extent.hpp"

#include <algorithm>
#include <limits>

#include "lapwing/base/concat.hpp"

namespace lapwing {

Extent Extent::horizontal(int width) { return {{width, width, 0}, {width, width, 0}, true}; }
Extent Extent::uniform(int width) { return {{width, width, width}, {width, width, width}, true}; }
Extent Extent::cross(int width) { return {{width, width, 0}, {width, width, 0}, false}; }

bool Extent::empty() const {
    return std::ranges::all_of(lo, [](int w) { return w == 0; }) &&
           std::ranges::all_of(hi, [](int w) { return w == 0; });
}

Box grow(const Box& box, const Extent& extent) {
    Box grown = box;
    for (int a = 0; a < 3; ++a) {
        grown.lo[a] -= extent.lo[a];
        grown.hi[a] += extent.hi[a];
    }
    return grown;
}

std::vector<Box> stencil_boxes(const Box& box, const Extent& extent) {
    if (extent.corners) return {grow(box, extent)};
    std::vector<Box> arms;
    for (int a = 0; a < 3; ++a) {
        if (extent.lo[a] == 0 && extent.hi[a] == 0) continue;
        Box arm = box;
        arm.lo[a] -= extent.lo[a];
        arm.hi[a] += extent.hi[a];
        arms.push_back(arm);
    }
    return arms;
}

namespace {

int axes_reached(const Extent& extent) {
    int axes = 0;
    for (int a = 0; a < 3; ++a) axes += extent.lo[a] > 0 || extent.hi[a] > 0;
    return axes;
}

// Along one axis there are no corners, whatever the flag says.
bool reaches_corners(const Extent& extent) { return extent.corners && axes_reached(extent) > 1; }

// A number that no int holds is more than any grid has, and is refused with the halo that it makes.
int sum_of_widths(int a, int b) {
    using Int = std::numeric_limits<int>;
    return static_cast<int>(std::clamp<Index>(Index{a} + b, Int::min(), Int::max()));
}

}  // namespace

Extent unite(const Extent& a, const Extent& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    Extent both;
    for (int axis = 0; axis < 3; ++axis) {
        both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
        both.hi[axis] = std::max(a.hi[axis], b.hi[axis]);
    }
    // x alone and y alone make a cross: no stage reads its corners
    both.corners = reaches_corners(a) || reaches_corners(b) || axes_reached(both) < 2;
    return both;
}

Extent sum(const Extent& a, const Extent& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    Extent both;
    for (int axis = 0; axis < 3; ++axis) {
        both.lo[axis] = sum_of_widths(a.lo[axis], b.lo[axis]);
        both.hi[axis] = sum_of_widths(a.hi[axis], b.hi[axis]);
    }
    both.corners = true;
    return both;
}

Extent shrunk(Extent extent, int cells) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
        extent.lo[axis] = std::max(0, extent.lo[axis] - cells);
        extent.hi[axis] = std::max(0, extent.hi[axis] - cells);
    }
    return extent;
}

bool covers(const Extent& outer, const Extent& inner) {
    for (int a = 0; a < 3; ++a) {
        if (outer.lo[a] < inner.lo[a] || outer.hi[a] < inner.hi[a]) return false;
    }
    return outer.corners || !reaches_corners(inner);
}

Extent mirrored(const Extent& extent) { return {extent.hi, extent.lo, extent.corners}; }

namespace {

// "ahead(x)", "behind(y, 2)"; "" for no cells.
std::string side(const char* word, int axis, int cells) {
    if (cells == 0) return {};
    const std::string name(1, "xyz"[axis]);
    return cells == 1 ? concat(word, "(", name, ")") : concat(word, "(", name, ", ", cells, ")");
}

}  // namespace

std::string to_string(const Extent& extent) {
    const auto& [behind, ahead, corners] = extent;
    const int width = behind[0];
    const bool square = width > 0 && ahead[0] == width && behind[1] == width && ahead[1] == width;
    std::vector<std::string> parts;
    if (square) parts.push_back(concat("around(", width, ")"));
    for (int a = square ? 2 : 0; a < 3; ++a) {
        parts.push_back(side("behind", a, behind[a]));
        parts.push_back(side("ahead", a, ahead[a]));
    }
    std::erase(parts, "");
    if (parts.empty()) return "none";
    if (corners || axes_reached(extent) == 1) return listed(parts, ", ");
    return square && parts.size() == 1 ? concat("cross(", width, ")") : concat("cross(", listed(parts, ", "), ")");
}

}  // namespace lapwing
