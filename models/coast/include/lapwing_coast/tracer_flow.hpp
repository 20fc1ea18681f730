#pragma once
// The flow that carries tracers: its vertical part from continuity, and how thick the layers are in between.

#include <array>

#include <lapwing/box.hpp>
#include <lapwing/field.hpp>

namespace lapwing_coast {

// Thicknesses before each of the five fractional steps: half a step along x and along y, a whole one along the
// vertical, again half a one along y and along x. After the last one the layers are as thick as before the first.
inline constexpr std::size_t fractional_steps = 5;

// What the flow kernel needs on one owned box.
struct FlowContext {
    lapwing::View<double> flow_x, flow_y;                           // through x and y faces, m2/s per layer
    lapwing::View<double> flow_z;                                   // through the tops of the cells, m/s
    std::array<lapwing::View<double>, fractional_steps> thickness;  // before each fractional step, m
    double time_step = 0;                                           // s
    double over_dx = 0, over_dy = 0;                                // 1 over the spacings, 1/m
    lapwing::Index levels = 1;
};

// Computes flow_z and the thicknesses but the first in the columns of `box`; the context is a FlowContext.
//
//   w_k = w_{k-1} - (dU/dx + dV/dy),  thickness <- thickness - fraction dt (divergence along the axis)
//
// The surface stays: w of the uppermost layer is 0, and what remains there is for `flow_limits` to find. Local.
// Reads flow_x and flow_y one cell behind along their axes.
void tracer_flow(void* context, lapwing::Box box);

// The largest share of a cell that leaves it in one fractional step, which must not be above 1, and the largest share
// by which the surface would have to move, which must be rounding. Of the columns of `box`. Local; reads what
// `tracer_flow` reads.
struct FlowLimits {
    double courant = 0;  // 1
    double surface = 0;  // of the thickness of the uppermost layer, 1
};
FlowLimits flow_limits(const FlowContext& context, lapwing::Box box);

}  // namespace lapwing_coast
