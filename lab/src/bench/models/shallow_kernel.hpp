#pragma once
// The nonlinear shallow-water model of `lapwing bench shallow-water`, a time step in one sweep over a box.
//
// On an Arakawa C-grid, u at the east face of a cell, v at its north face, walls in the south and in the north:
//   du/dt =  q (h v) - d(g h + K)/dx + A lap u        q = (f + dv/dx - du/dy) / h,  K = (u^2 + v^2) / 2
//   dv/dt = -q (h u) - d(g h + K)/dy + A lap v
//   dh/dt = -d(h u)/dx - d(h v)/dy
// by Adams and Bashforth's second order, friction forward in time afterwards.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing::bench {

// Numbers of a time step. Friction of a step is applied at the beginning of the next one, so that a step is one sweep
// and one exchange: what fields hold in between is the flow before friction.
template <class Real>
struct ShallowStep {
    Index rows = 0;               // of the whole grid; the last one ends at the north wall
    Real gravity_x, gravity_y;    // g / spacing, 1/s2
    Real per_dx, per_dy;          // 1 / spacing, 1/m
    Real coriolis, beta_dy;       // f in row 0, and what it grows by from row to row, 1/s
    Real friction_x, friction_y;  // dt A / spacing^2; 0 in the first step, which has none behind it
    Real dt;                      // s
    Real now, before;             // weights of the tendencies of this step and of the one before
};

// The arrays of a step: the flow, and the tendencies.
template <class Real>
struct ShallowViews {
    View<const Real> h, u, v;
    View<Real> new_h, new_u, new_v, dh, du, dv;
};

// Steps the cells of a box: reads h one cell around it, u and v two cells, and writes the new flow and the tendencies.
// Local.
template <class Real>
void step_shallow(const ShallowStep<Real>& step, const Box& box, const ShallowViews<Real>& views);

// u or v, as `component` says (0 or 1), with the friction that the last step still lacks, for the cells of a box.
// Local.
template <class Real>
void add_friction(const ShallowStep<Real>& step, const Box& box, int component, View<const Real> before,
                  View<Real> after);

}  // namespace lapwing::bench
