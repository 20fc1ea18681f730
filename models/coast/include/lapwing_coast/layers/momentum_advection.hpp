#pragma once
// How the flow carries its own momentum: first order upstream, in three dimensions.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// What the kernel needs on one owned box, for the momentum along one axis. Fields have x fastest in memory.
struct MomentumAdvectionContext {
    lapwing::View<double> along;             // 3D, flow in the layers at the faces of the axis, m2/s
    lapwing::View<double> across;            // 3D, flow at the other faces, m2/s
    lapwing::View<double> upwards;           // 3D, flow through the tops of the layers of a cell, m/s
    lapwing::View<double> over_thickness;    // 1 over that of a layer at the faces of the axis, 1/m; 0: closed
    lapwing::View<double> tendency;          // 3D, of `along`, m2/s2; added to
    int ahead_x = 1, ahead_y = 0;            // from a face to the next one along the axis, cells
    double over_along = 0, over_across = 0;  // 1 over the spacings along the axis and across it, 1/m
    lapwing::Index levels = 1;
};

// Takes the divergence of the momentum that flows from the tendency at the faces of `box`; the context is a
// MomentumAdvectionContext.
//
//   tendency -= d(q u)/ds + d(q' u)/ds' + (w u)_top - (w u)_bottom,   u = along / thickness
//
// with the flow through each side of the face's own cell the mean of the two next to it, and u that of the face it
// comes from. Nothing goes through the bottom and the surface. Closed faces have no momentum and get none. Local. Reads
// `along` and over_thickness one cell around, `across` one ahead along the axis and one behind across it, with the
// corner between, and `upwards` one ahead along the axis.
void momentum_advection(void* context, lapwing::Box box);

}  // namespace lapwing_coast
