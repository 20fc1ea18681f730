#pragma once
// Layers that follow the bottom and the surface: all layers of a column are equally thick.

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

// Computes how thick the layers are in the columns of a box (3D, m), and 1 over that at the faces towards larger
// indices (without levels, 1/m):
//
//   h = (depth + sea level) / levels,   at a face with the mean sea level of both sides
//
// Land, whose depth is 0, has layers of 1 m, in which nothing flows, and 1/h is 0 at a closed face, so that what is
// computed there stays finite. Reads sea_level one cell ahead along both axes. Local.
struct SigmaLayers {
    Index levels = 1;

    void operator()(Box box, View<double> thickness, View<double> over_thickness_x, View<double> over_thickness_y,
                    View<const double> sea_level, View<const double> depth, View<const double> face_depth_x,
                    View<const double> face_depth_y) const;
};

}  // namespace lapwing_coast
