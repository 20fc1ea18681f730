#pragma once
// The acoustic wave equation of `lapwing bench acoustic`, a time step in one sweep over a box.
//
//   m d2u/dt2 = d2u/dx2 + d2u/dy2 + d2u/dz2,   m = 1 / c^2
//
// by the second order in time and the eighth in space, on cells of one width h; u is 0 beyond the grid:
//   u(n+1) = 2 u(n) - u(n-1) + k lap u(n),   k = (c dt / h)^2
// lap is the sum, over the three axes, of w0 u + sum over r = 1 ... 4 of w[r] (u(-r) + u(+r)).

#include "sweep/sweep_method.hpp"

namespace lapwing::bench {

inline constexpr int acoustic_reach = 4;  // cells that the stencil reads along each axis, on both sides

// u, k, and u at n - 1, which becomes u at n + 1.
using AcousticViews = SweepViews<float>;

// Steps the cells of a box. All views are laid out alike: one row and one plane more is as far in each, which leaves
// registers for the stencil. Throws std::logic_error for arrays with different strides. Local.
void step_acoustic(const Box& box, const AcousticViews& views);

// The same passes through memory without the neighbours of a cell: what memory allows at most. Local.
void stream_acoustic(const Box& box, const AcousticViews& views);

// Both as a kernel of sweeps.
struct AcousticKernel {
    using Value = float;
    static constexpr int reach = acoustic_reach;
    void step(const Box& box, const AcousticViews& views) const { step_acoustic(box, views); }
    void stream(const Box& box, const AcousticViews& views) const { stream_acoustic(box, views); }
};

}  // namespace lapwing::bench
