#pragma once
// What density differences do to the momentum of each layer.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What the kernel needs on one owned box, for the momentum along one axis. Fields have x fastest in memory.
struct PressureContext {
    lapwing::View<double> buoyancy;    // 3D, at cell centres, m/s2
    lapwing::View<double> sea_level;   // at cell centres, m
    lapwing::View<double> depth;       // undisturbed, at cell centres, m
    lapwing::View<double> face_depth;  // undisturbed, at the faces of the axis, m; 0: closed
    lapwing::View<double> tendency;    // 3D, of the flow in the layers at these faces, m2/s2; written
    int ahead_x = 1, ahead_y = 0;      // from a cell to the next one along the axis, cells
    double over_spacing = 0;           // 1/m
    double drive = 0;  // the same everywhere: g times the slope of the surface that drives a channel, m/s2
    lapwing::Index levels = 1;
};

// Sets the tendency at the faces of `box`; the context is a PressureContext.
//
//   tendency_k = h (drive + P_k),   P_k = integral of db/dx at constant height, from the layer's centre to the surface
//   between the centres of layers k and k + 1:  h (db/dx_k + db/dx_{k+1}) / 2 - dz/dx (b_{k+1} - b_k)
//
// with b the mean of both columns and z the height of the interface: what Blumberg and Mellor 1987 do. Water whose
// density depends on the height alone is left at rest to the error of that formula over a sloping bottom. Closed faces
// have 0. Local. Reads buoyancy, sea_level and depth one cell ahead along the axis.
void internal_pressure(void* context, lapwing::Box box);

}  // namespace lapwing_coast
