#pragma once
// The flow that carries tracers: its vertical part from continuity, and how thick the layers are in between.

#include <array>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/field.hpp"

#include "lapwing_coast/tracer/tracer_split.hpp"

namespace lapwing_coast {

// What the flow kernel needs on one owned box. Thicknesses are those of the layers before each fractional step and, in
// the end, after the last one: the first and that one are given, the others are computed.
struct FlowContext {
    lapwing::View<double> flow_x, flow_y;                             // through x and y faces, m2/s per layer
    lapwing::View<double> flow_z;                                     // through the tops of the cells, m/s
    std::array<lapwing::View<double>, most_fractions + 1> thickness;  // m
    lapwing::View<double>
        leaving;           // share of a cell that leaves it in the first fractional step; of horizontal_together
    double time_step = 0;  // s
    double over_dx = 0, over_dy = 0;  // 1 over the spacings, 1/m
    lapwing::Index levels = 1;
    Split split = Split::half_steps;
    // Cells where the sea level is prescribed: what the flow through their faces does not bring comes from outside,
    // into each layer its share, with the tracer that is there.
    std::vector<lapwing::Box> prescribed;
};

// Computes flow_z, the thicknesses in between and, for horizontal_together, `leaving` in the columns of `box`; the
// context is a FlowContext.
//
//   w_k = w_{k-1} - (dU/dx + dV/dy)_k - (after_k - before_k)/dt,
//   thickness <- thickness - share of the fraction times dt (divergence along its axes)
//
// w of the uppermost layer is 0, and what remains there is for `flow_limits` to find. Local.
// Reads flow_x and flow_y one cell behind along their axes.
void tracer_flow(void* context, lapwing::Box box);

}  // namespace lapwing_coast
