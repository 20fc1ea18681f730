#pragma once
// Extents: how far a stencil reaches, per axis and side.

#include <array>
#include <string>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// Cells that a stencil reads beyond the cell it computes: `lo[axis]` towards smaller indices,
// `hi[axis]` towards larger ones. Without `corners` it reads along one axis at a time (a cross).
struct Extent {
    std::array<int, 3> lo{0, 0, 0};
    std::array<int, 3> hi{0, 0, 0};
    bool corners = true;

    constexpr Extent() = default;
    // Both sides must be given: for a single number use `around(2)` or `cross(2)`.
    constexpr Extent(const std::array<int, 3>& below, const std::array<int, 3>& above, bool with_corners = true)
        : lo(below), hi(above), corners(with_corners) {}

    // `width` cells in x and y on both sides, corners included.
    static Extent horizontal(int width);
    // The same along all three axes.
    static Extent uniform(int width);
    // `width` cells in x and y on both sides, no corners.
    static Extent cross(int width);

    [[nodiscard]] bool empty() const;
    friend bool operator==(const Extent&, const Extent&) = default;
};

// The box and all cells that the stencil reads around it (corners or not).
Box grow(const Box& box, const Extent& extent);

// The same cells as boxes that overlap in nothing but `box` itself: one with corners, else one
// per axis that the extent reaches along.
std::vector<Box> stencil_boxes(const Box& box, const Extent& extent);

// Returns the smallest extent that holds both, with corners if one of them has corners.
Extent unite(const Extent& a, const Extent& b);

// Returns how far a stencil of `b` reaches from the cells that `a` reaches: both widths together. The result has
// corners, since reading in two stages reads around corners too. Local.
Extent sum(const Extent& a, const Extent& b);

// `cells` less in x and y on every side. Local.
Extent shrunk(Extent extent, int cells);

// True if a halo filled for `outer` serves a stencil of `inner`.
bool covers(const Extent& outer, const Extent& inner);

// The extent with lower and upper sides exchanged: it tells who reads this cell instead of what this cell reads.
Extent mirrored(const Extent& extent);

// Returns it as stages write it: "around(1)", "cross(behind(x), ahead(y, 2))".
std::string to_string(const Extent& extent);

}  // namespace lapwing
