#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

using lapwing::Extent;

Extent reach(int axis, int behind, int ahead) {
    Extent extent;
    extent.corners = false;  // one axis has none, and a cross of two needs no diagonal message
    extent.lo[static_cast<std::size_t>(axis)] = behind;
    extent.hi[static_cast<std::size_t>(axis)] = ahead;
    return extent;
}

Extent four_around(int axis) {
    Extent extent = unite(reach(axis, 0, 1), reach(1 - axis, 1, 0));
    extent.corners = true;
    return extent;
}

}  // namespace lapwing_coast
