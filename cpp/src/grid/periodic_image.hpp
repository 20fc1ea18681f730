#pragma once
// Periodic images: the other places of a cell of a periodic grid.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/grid.hpp"

namespace lapwing {

// Offsets by which the grid must be moved so that, between them, its images cover `box`; (0, 0, 0)
// comes along when the box meets the grid itself. Local, no MPI.
std::vector<Index3> periodic_images(const Grid& grid, const Box& box);

}  // namespace lapwing
