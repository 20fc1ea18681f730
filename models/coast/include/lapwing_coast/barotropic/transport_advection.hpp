#pragma once
// The advection of the transports by the layers, as the depth-integrated mode counts it in each of its steps.
//
// The layers' own advection enters the transports once per macro step, late. Surface waves that are as short as that
// delay would feel its diffusion with the wrong sign, and grow. So the micro steps carry the transports themselves, by
// speeds of the layers that stay for a macro step, and the slow terms leave out what that makes of the layers' sum.

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// Fields have x fastest in memory; those without "3D" have no levels. A face of the axis has a side behind it and one
// ahead, the cells it lies between, and one to the left and one to the right, the corners at its ends.
//
// The speeds are the share of a transport that crosses a side, by the face it comes from, m/s: through the cell behind
// a face of the axis, from the face behind that cell and from this one; through the corner ahead across the axis, from
// this face and from the next one across the axis.

// Sets the speeds at the cells (from_behind, from_here) and corners (to_next, from_next) of a box:
//
//   through a cell:    from behind  sum of q+ / (levels h) + r,  from here  sum of q- / (levels h) + r
//   r = sum of u / (2 levels),   q the mean flow of both faces, u the velocity at the face it comes from
//   through a corner:  to next      sum of q+ / (levels h),      from next  sum of q- / (levels h)
//
// with q+ and q- the flow ahead and behind: what `MomentumAdvection` does to a transport that is spread evenly over
// the layers. `along` and `across` are the flow at the faces of the axis and at the others, 3D, m2/s; over_thickness is
// 1 over that of a layer at the faces of the axis, 1/m, 0 where closed. Reads `along` and over_thickness one face
// behind along the axis and one ahead across it, `across` one ahead along the axis. Where metrics
// vary, flow and r are times the width of their faces (m), which are read like the flow, and speeds are m2/s. Local.
struct CarryingSpeeds {
    Axis axis = lapwing::x;
    Index levels = 1;

    void operator()(Box box, View<double> from_behind, View<double> from_here, View<double> to_next,
                    View<double> from_next, View<const double> along, View<const double> across,
                    View<const double> over_thickness, const Views& width_along = {},
                    const Views& width_across = {}) const;
};

// Sets what advection does to the transport (m2/s) at the faces of a box: its change, m2/s2; face_depth (m) is 0 at
// closed faces. Where metrics vary, 1 over the area around a face (1/m2) replaces 1 over the spacings. Reads the
// transport one face around, the speeds at cells one ahead along the axis and those at corners one behind across it.
// Local.
struct TransportAdvection {
    Axis axis = lapwing::x;
    double over_along = 0, over_across = 0;  // 1 over the spacings along the axis and across it, 1/m

    void operator()(Box box, View<double> change, View<const double> transport, View<const double> face_depth,
                    View<const double> from_behind, View<const double> from_here, View<const double> to_next,
                    View<const double> from_next, const Views& over_face_area = {}) const;
};

}  // namespace lapwing_coast
