#pragma once
// The flow that carries tracers: its vertical part from continuity, and how thick the layers are in between.

#include <array>
#include <vector>

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/metrics.hpp"
#include "lapwing_coast/tracer/tracer_split.hpp"

namespace lapwing_coast {

// Numbers of a time step.
struct FlowNumbers {
    double time_step = 0;             // s
    double over_dx = 0, over_dy = 0;  // 1 over the spacings, 1/m
    Index levels = 1;
    Split split = Split::half_steps;
};

// The flow on an owned box, and the thicknesses of its layers before each fractional step and, in the end, after the
// last one.
struct LayerFlow : FlowNumbers {
    View<const double> flow_x, flow_y;                             // through x and y faces, m2/s per layer
    const Views *width_x = nullptr, *width_y = nullptr;            // of these faces, m; empty unless metrics vary
    View<const double> flow_z;                                     // through the tops of the cells, m/s
    std::array<View<const double>, most_fractions + 1> thickness;  // m
};

// Computes flow_z in the columns of a box, the thicknesses between fractional steps and, for horizontal_together,
// `leaving`: the share of a cell that leaves it in the first of them. Given are the thicknesses before all of them and
// after the last one; no `after` where the surface does not move.
//
//   w_k = w_{k-1} - (dU/dx + dV/dy)_k - (after_k - before_k)/dt,
//   thickness <- thickness - share of the fraction times dt (divergence along its axes)
//
// w of the uppermost layer is 0, and what remains there is for `flow_limits` to find. Local.
// Reads flow_x and flow_y one cell behind along their axes. Where metrics vary, flow is multiplied by the widths of the
// faces (m), which are read like it, spacings are 1, and layers and flow_z are volumes: m3 and m3/s.
struct VerticalFlow {
    FlowNumbers numbers;
    // Cells where the sea level is prescribed: what the flow through their faces does not bring comes from outside,
    // into each layer its share, with the tracer that is there.
    std::vector<Box> prescribed;

    void operator()(Box box, View<double> flow_z, const std::vector<View<double>>& between,
                    const std::vector<View<double>>& leaving, View<const double> flow_x, View<const double> flow_y,
                    View<const double> before, const std::vector<View<const double>>& after, const Views& width_x = {},
                    const Views& width_y = {}) const;
};

}  // namespace lapwing_coast
