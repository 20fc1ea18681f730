#pragma once
// Advection of momentum by the flow: first order upstream, in three dimensions.

#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Subtracts the divergence of the momentum flux from the tendency (3D, m2/s2) at the faces of a box:
//
//   tendency -= d(q u)/ds + d(q' u)/ds' + (w u)_top - (w u)_bottom,   u = along / thickness
//
// with the flow through each side of the face's own cell the mean of the two next to it, and u that of the face it
// comes from. `along` and `across` are the flow in the layers at the faces of the axis and at the others (3D, m2/s), w
// the vertical velocity through the tops of the layers of a cell (3D, m/s), over_thickness 1 over the mean thickness
// of the layers at the faces of the axis (1/m; 0: closed). Nothing goes through the bottom and the surface. Closed
// faces have no momentum and get none. Reads `along` and over_thickness one cell around, `across` one ahead along the
// axis and one behind across it, with the corner between, and w one ahead along the axis. Local.
//
// Where metrics vary, with b the width of faces (m, read like the flow), a the area around the face, w m3/s and q' and
// u' the mean flow and velocity across:
//
//   tendency -= (d(b q u) + d(b' q' u) + (w u)_top - (w u)_bottom) / a - q' (u' db/ds - u dl/ds') / a
//
// the last terms turn the momentum with the axes; l is the length of the cells along the axis. `widening_along` is
// db/ds over a times ds, `widening_across` dl/ds' over a times ds', 1/m.
struct MomentumAdvection {
    Axis axis = lapwing::x;
    double over_along = 0, over_across = 0;  // 1 over the spacings along the axis and across it, 1/m
    Index levels = 1;
    LayerShape shape{};

    void operator()(Box box, View<double> tendency, View<const double> along, View<const double> across,
                    View<const double> vertical_velocity, View<const double> over_thickness, const Views& width = {},
                    const Views& width_across = {}, const Views& over_face_area = {}, const Views& widening_along = {},
                    const Views& widening_across = {}) const;
};

}  // namespace lapwing_coast
