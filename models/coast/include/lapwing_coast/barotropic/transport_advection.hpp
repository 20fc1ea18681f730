#pragma once
// How the layers carry the transports, as the depth-integrated mode counts it in each of its steps.
//
// The layers' own advection enters the transports once per macro step, late. Surface waves that are as short as that
// delay would feel its diffusion with the wrong sign, and grow. So the micro steps carry the transports themselves, by
// speeds of the layers that stay for a macro step, and the slow terms leave out what that makes of the layers' sum.

#include <array>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

namespace lapwing_coast {

// Fields have x fastest in memory; those without "3D" have no levels. A face of the axis has a side behind it and one
// ahead, the cells it lies between, and one to the left and one to the right, the corners at its ends.

// The share of a transport that crosses a side, by the face it comes from, m/s: through the cell behind a face of the
// axis, from the face behind that cell and from this one; through the corner ahead across the axis, from this face and
// from the next one across the axis.
struct CarryingSpeeds {
    lapwing::View<double> from_behind, from_here;  // at cells
    lapwing::View<double> to_next, from_next;      // at corners
};

struct CarryingSpeedsContext {
    lapwing::View<double> along, across;   // 3D, flow at the faces of the axis and at the others, m2/s
    lapwing::View<double> over_thickness;  // 1 over that of a layer at the faces of the axis, 1/m; 0: closed
    CarryingSpeeds speeds;                 // written
    int ahead_x = 1, ahead_y = 0;          // from a face to the next one along the axis, cells
    lapwing::Index levels = 1;
};

// Sets the speeds at the cells and corners of `box`; the context is a CarryingSpeedsContext.
//
//   through a cell:    from behind  sum of q+ / (levels h) + r,  from here  sum of q- / (levels h) + r
//   r = sum of u / (2 levels),   q the mean flow of both faces, u the velocity at the face it comes from
//   through a corner:  to next      sum of q+ / (levels h),      from next  sum of q- / (levels h)
//
// with q+ and q- the flow ahead and behind: what `momentum_advection` does to a transport that is spread evenly over
// the layers. Local. Reads `along` and over_thickness one face behind along the axis and one ahead across it, `across`
// one ahead along the axis.
void carrying_speeds(void* context, lapwing::Box box);

struct TransportAdvectionContext {
    lapwing::View<double> transport;   // at the faces of the axis, m2/s
    lapwing::View<double> face_depth;  // undisturbed, there, m; 0: closed
    CarryingSpeeds speeds;
    lapwing::View<double> change;            // of the transport, m2/s2; written
    int ahead_x = 1, ahead_y = 0;            // from a face to the next one along the axis, cells
    double over_along = 0, over_across = 0;  // 1 over the spacings along the axis and across it, 1/m
};

// Sets what advection does to the transport at the faces of `box`; the context is a TransportAdvectionContext. Local.
// Reads the transport one face around, the speeds at cells one ahead along the axis and those at corners one behind
// across it.
void transport_advection(void* context, lapwing::Box box);

}  // namespace lapwing_coast
