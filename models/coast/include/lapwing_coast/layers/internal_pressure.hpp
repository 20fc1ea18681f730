#pragma once
// The effect of density differences on the momentum of each layer.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Sets the tendency of the flow in the layers (3D, m2/s2) at the faces of a box, for the momentum along one axis:
//
//   tendency_k = h (drive + P_k),   P_k = integral of db/dx at constant height, from the layer's centre to the surface
//   between the centres of layers k and k + 1:  (h_{k+1} db/dx_k + h_k db/dx_{k+1}) / 2 - dz/dx (b_{k+1} - b_k)
//
// with b the mean of both columns (3D, m/s2) and z the height of the interface: what Blumberg and Mellor 1987 do. Water
// whose density depends on the height alone is left at rest to the error of that formula over a sloping bottom. Closed
// faces, whose depth is 0, have 0. Reads buoyancy, sea_level and depth (m) one cell ahead along the axis. Local.
struct InternalPressure {
    Axis axis = lapwing::x;
    double over_spacing = 0;  // 1/m; where metrics vary 1, and a field says it
    double drive = 0;         // the same everywhere: g times the slope of the surface that drives a channel, m/s2
    Index levels = 1;
    LayerShape shape{};

    void operator()(Box box, View<double> tendency, View<const double> buoyancy, View<const double> sea_level,
                    View<const double> depth, View<const double> face_depth, const Views& over_distance = {}) const;
};

}  // namespace lapwing_coast
