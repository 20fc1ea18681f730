#pragma once
// Advection of a tracer along one axis: interface concentrations with the P2-PDM limiter, and the update.

#include <lapwing/box.hpp>
#include <lapwing/field.hpp>

namespace lapwing_coast {

// What the concentration at an interface may be.
enum class Limiter {
    upstream,  // that of the cell it flows out of: first order
    p2_pdm,    // third order in space and time, limited such that no new extreme appears
};

// What both kernels need on one owned box, for one fractional step along one axis. The fields have `levels` layers,
// which no rank boundary cuts; boxes are horizontal, and every layer of their columns is computed.
struct AdvectionContext {
    lapwing::View<double> tracer;         // at cell centres
    lapwing::View<double> interface;      // concentration at the interfaces towards larger indices
    lapwing::View<double> flow;           // through them: m2/s per layer, along the vertical m/s
    lapwing::View<double> thickness;      // of the cells before this fractional step, m
    lapwing::View<double> new_thickness;  // after it, m
    lapwing::View<double> open;           // 1 where the horizontal interface is open, else 0; not along the vertical
    int axis = 0;
    double scale = 0;  // time step over the spacing (s/m), along the vertical the time step (s): flow times it is in m
    lapwing::Index levels = 1;
    Limiter limiter = Limiter::p2_pdm;
};

// Computes `interface` towards larger indices of each cell of `box`; the context is an AdvectionContext.
//
//   with q = scale flow > 0:  c* = c_i + 1/2 L (c_{i+1} - c_i),   C = outflow of cell i / thickness_i
//   L (c_{i+1} - c_i) is the least of (1 - C) (((2 - C) |d| + (1 + C) |g|) / 3),  2 |d|  and  2 |g| (1 - C) / C
//   with d = c_{i+1} - c_i and g = c_i - c_{i-1}, or 0 where these differ in sign;  with q < 0 mirrored.
//
// C counts what leaves the cell through both of its sides, so that a flow that diverges makes no new extreme either.
// Beyond a closed interface, and beyond the surface and the bottom, c continues as in the last cell. Local.
// Along its axis it reads tracer 1 behind and 2 ahead, flow and open 1 on both sides, thickness 1 ahead.
void tracer_interface(void* context, lapwing::Box box);

// Moves the tracer on by one fractional step; the context is an AdvectionContext.
//
//   c_i <- c_i - (q_i (c*_i - c_i) - q_{i-1} (c*_{i-1} - c_i)) / new_thickness_i,   new = old - (q_i - q_{i-1})
//
// which is the conservative form of c times thickness, written such that a constant keeps its bits. Local.
// Along its axis it reads interface and flow 1 behind.
void tracer_update(void* context, lapwing::Box box);

}  // namespace lapwing_coast
