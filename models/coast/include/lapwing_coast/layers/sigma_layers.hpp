#pragma once
// Layers that follow the bottom and the surface.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Computes how thick the layers are in the columns of a box (3D, m), and 1 over their mean at the faces towards larger
// indices (without levels, 1/m):
//
//   h_k = r_k h,   h = (depth + sea level) / levels,   at a face with the mean sea level of both sides
//
// Land, whose depth is 0, has layers of 1 m, in which nothing flows, and 1/h is 0 at a closed face, so that what is
// computed there stays finite. Where metrics vary, the layers at cells are volumes: h times the area (m3). Reads
// sea_level one cell ahead along both axes. Local.
struct SigmaLayers {
    Index levels = 1;
    LayerShape shape{};  // r

    void operator()(Box box, View<double> thickness, View<double> over_thickness_x, View<double> over_thickness_y,
                    View<const double> sea_level, View<const double> depth, View<const double> face_depth_x,
                    View<const double> face_depth_y, const Views& area = {}) const;
};

}  // namespace lapwing_coast
