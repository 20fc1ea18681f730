#pragma once
// Advection of a tracer along an axis: interface concentrations by one of the schemes, and the update.

#include <vector>

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/metrics.hpp"
#include "lapwing_coast/tracer/tracer_scheme.hpp"

namespace lapwing_coast {

// A fractional step along one axis. Where metrics vary, flows along x and y are multiplied by the `width` of their
// faces (m, read like the flow), and thicknesses are volumes (m3). The fields have `levels` layers, which no rank
// boundary cuts; boxes are horizontal, and every layer of their columns is computed. Thicknesses are above 0 on land
// too, whose cells are computed like others.
struct AxisStep {
    Axis axis = lapwing::x;
    double scale = 0;  // time step over the spacing (s/m), along the vertical the time step (s): flow times it is in m
    Index levels = 1;
};

// Computes the concentration c* at the interfaces towards larger indices of each cell of a box, from the tracer c at
// cell centres, the flow through the interfaces (m2/s per layer, along the vertical m/s) and the thickness of the cells
// before this fractional step (m):
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
// If the step is together with the step along another axis, s of the last three is also limited by 2 |g| (1 - L) / L, L
// being what leaves through all sides instead of C: `leaving`, which is empty where it is alone. Beyond a closed
// interface, and beyond the surface and the bottom, c continues as in the last cell: `open` is 1 at open interfaces,
// else 0, and empty along the vertical. Local.
// Along its axis it reads tracer 1 behind and 2 ahead, flow and open 1 on both sides, thickness and leaving 1 ahead.
//
// P. L. Roe: Some contributions to the modelling of discontinuous flows. Lectures in Applied Mathematics 22, 1985
// (superbee). B. van Leer: Towards the ultimate conservative difference scheme III. J. Comp. Phys. 23, 1977 (muscl).
// J. Pietrzak: The use of TVD limiters for forward-in-time upstream-biased advection schemes in ocean modeling. Monthly
// Weather Review 126, 1998 (p2_pdm).
struct TracerInterface {
    AxisStep step;
    Scheme scheme = Scheme::p2_pdm;

    void operator()(Box box, View<double> interface, View<const double> tracer, View<const double> flow,
                    View<const double> thickness, const std::vector<View<const double>>& open,
                    const std::vector<View<const double>>& leaving, const Views& width = {}) const;
};

// Moves the tracer on by one fractional step along one axis:
//
//   c_i <- c_i - (q_i (c*_i - c_i) - q_{i-1} (c*_{i-1} - c_i)) / new_thickness_i,   new = old - (q_i - q_{i-1})
//
// which is the conservative form of c times thickness, written such that a constant keeps its bits. Local.
// Along its axis it reads interface and flow 1 behind.
struct TracerUpdate {
    AxisStep step;

    void operator()(Box box, View<double> tracer, View<const double> interface, View<const double> flow,
                    View<const double> new_thickness, const Views& width = {}) const;
};

// The same along x and y at once, the changes added. Local. Reads along each axis what TracerUpdate reads.
struct TracerUpdateTogether {
    AxisStep along_x, along_y;

    void operator()(Box box, View<double> tracer, View<const double> interface_x, View<const double> flow_x,
                    View<const double> interface_y, View<const double> flow_y, View<const double> new_thickness,
                    const Views& width_x = {}, const Views& width_y = {}) const;
};

}  // namespace lapwing_coast
