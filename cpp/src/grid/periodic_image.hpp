#pragma once
// Images of a grid: the other places of its cells, beyond periodic ends, a north fold, and sides of faces.

#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/grid/turn.hpp"

namespace lapwing {

// Offsets by which the grid must be moved so that, between them, its images cover `box`; (0, 0, 0)
// comes along when the box meets the grid itself. Local, no MPI.
std::vector<Index3> periodic_images(const Grid& grid, const Box& box);

// One place of the grid in the index space around it. Along axis a, index t there is t - offset[a] along the axis of
// the grid that `turn` names, or offset[a] - t where they run against each other.
struct Image {
    Box cells;  // cells of its box whose values are found by this image and no other
    Index3 offset{};
    Turn turn{};

    // The same cells in the grid's own indices, and back.
    [[nodiscard]] Box in_grid(const Box& box) const;
    [[nodiscard]] Box from_grid(const Box& box) const;
    [[nodiscard]] bool itself() const { return turn.none() && offset == Index3{0, 0, 0}; }
};

// The images in which values at `location` for the cells of `box` are found, which lie around the owned box `own`.
// Without a fold or faces they are the periodic ones. Beyond a fold, and on it where a cell has a twin with a smaller
// i, they are turned: the eastern half of the fold's own row is an image of its western half. Local.
std::vector<Image> images(const Grid& grid, Location location, const Box& own, const Box& box);

// The rows of halo beyond the last row of the grid that the fold has values for. Only with a fold. Local.
Index rows_beyond_fold(const Grid& grid, Location location);

// The cells onto which the fold turns `box`, up to periods along x. Only with a fold. Local.
Box turned_at_fold(const Grid& grid, Location location, const Box& box);

}  // namespace lapwing
