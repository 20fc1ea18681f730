#pragma once
// Images between the faces of a grid: the cells beyond a side of a face are cells of the face that it is connected
// with.

#include <vector>

#include "grid/periodic_image.hpp"

namespace lapwing {

// The images in which values at `location` are found for the cells of `box`, which lie around a part of face `face`.
// Beyond two sides at once a cell has an image where both ways around the corner lead to the same point. Local.
std::vector<Image> face_images(const Grid& grid, Location location, int face, const Box& box);

// The cells up to `width` from the corners of faces that meet a corner near `own`, `width` cells away at most: points
// there may have their owner two faces on. Local.
std::vector<Box> cells_at_corners(const Grid& grid, const Box& own, Index width);

// The face that holds `box`. Local.
int face_of(const Grid& grid, const Box& box);

}  // namespace lapwing
