#pragma once
// Advection of a tracer along an axis: interface concentrations by one of the schemes, and the update.

#include <array>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_coast/tracer/tracer_scheme.hpp"

namespace lapwing_coast {

// What both kernels need on one owned box, for one fractional step along one axis. The fields have `levels` layers,
// which no rank boundary cuts; boxes are horizontal, and every layer of their columns is computed. Thicknesses are
// above 0 on land too, whose cells are computed like others.
struct AdvectionContext {
    lapwing::View<double> tracer;         // at cell centres
    lapwing::View<double> interface;      // concentration at the interfaces towards larger indices
    lapwing::View<double> flow;           // through them: m2/s per layer, along the vertical m/s
    lapwing::View<double> thickness;      // of the cells before this fractional step, m
    lapwing::View<double> new_thickness;  // after it, m
    lapwing::View<double> open;           // 1 where the horizontal interface is open, else 0; not along the vertical
    lapwing::View<double> leaving;        // share of each cell that leaves it; only where it is `together`
    int axis = 0;
    double scale = 0;  // time step over the spacing (s/m), along the vertical the time step (s): flow times it is in m
    lapwing::Index levels = 1;
    Scheme scheme = Scheme::p2_pdm;
    bool together = false;  // the fractional step moves along another axis at once
};

// Computes `interface` towards larger indices of each cell of `box`; the context is an AdvectionContext.
//
//   with q = scale flow > 0:  c* = c_i + s/2,   d = c_{i+1} - c_i,   g = c_i - c_{i-1},   C = outflow of cell i /
//   thickness_i
//
//   upstream  s = 0
//   p2        s = (1 - C) ((2 - C) d + (1 + C) g) / 3
//   superbee  s = (1 - C) the larger of  min(|d|, 2 |g|)  and  min(2 |d|, |g|)
//   muscl     s = (1 - C) the least of  2 |d|,  2 |g|  and  (|d| + |g|) / 2
//   p2_pdm    s = the least of  |that of p2|,  2 |d|  and  2 |g| (1 - C) / C
//
// The last three with the sign of d, or 0 where d and g differ in sign;  with q < 0 mirrored.
//
// C counts what leaves the cell through both of its sides, so that a flow that diverges makes no new extreme either.
// Where the step is together with that along another axis, s of the last three is also limited by 2 |g| (1 - L) / L, L
// being what leaves through all sides, `leaving`, instead of C. Beyond a closed interface, and beyond the surface and
// the bottom, c continues as in the last cell. Local.
// Along its axis it reads tracer 1 behind and 2 ahead, flow and open 1 on both sides, thickness and leaving 1 ahead.
//
// P. L. Roe: Some contributions to the modelling of discontinuous flows. Lectures in Applied Mathematics 22, 1985
// (superbee). B. van Leer: Towards the ultimate conservative difference scheme III. J. Comp. Phys. 23, 1977 (muscl).
// J. Pietrzak: The use of TVD limiters for forward-in-time upstream-biased advection schemes in ocean modeling. Monthly
// Weather Review 126, 1998 (p2_pdm).
void tracer_interface(void* context, lapwing::Box box);

// Moves the tracer on by one fractional step along one axis; the context is an AdvectionContext.
//
//   c_i <- c_i - (q_i (c*_i - c_i) - q_{i-1} (c*_{i-1} - c_i)) / new_thickness_i,   new = old - (q_i - q_{i-1})
//
// which is the conservative form of c times thickness, written such that a constant keeps its bits. Local.
// Along its axis it reads interface and flow 1 behind.
void tracer_update(void* context, lapwing::Box box);

// The same along two axes at once, the changes added; the context is a TogetherContext, whose two have all but
// interface, flow, open, axis and scale in common. Local. Reads along each axis what `tracer_update` reads.
using TogetherContext = std::array<AdvectionContext, 2>;
void tracer_update_together(void* context, lapwing::Box box);

}  // namespace lapwing_coast
