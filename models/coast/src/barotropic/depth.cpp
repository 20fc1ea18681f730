#include "lapwing_coast/barotropic/depth.hpp"

#include <algorithm>

namespace lapwing_coast {

double face_depth(const Depth& depth, std::span<const Boundary> boundaries, Index i, Index j, int ahead_x,
                  int ahead_y) {
    const double here = depth(i, j), ahead = depth(i + ahead_x, j + ahead_y);
    if (here <= 0.0 || ahead <= 0.0) return 0.0;
    const bool along_boundary = std::ranges::any_of(boundaries, [&](const Boundary& boundary) {
        return boundary.cells.contains(lapwing::Index3{i, j, 0}) &&
               boundary.cells.contains(lapwing::Index3{i + ahead_x, j + ahead_y, 0});
    });
    return along_boundary ? 0.0 : 0.5 * (here + ahead);
}

}  // namespace lapwing_coast
