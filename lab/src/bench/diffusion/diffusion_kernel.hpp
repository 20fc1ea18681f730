#pragma once
// The equation of `lapwing bench diffusion`: heat, as in the example of ImplicitGlobalGrid.jl.
//
//   cp dT/dt = -div q,   q = -lambda grad T
//
// in 3D, forward in time: T(n+1) = T(n) + k lap T(n), k = dt lambda / cp, on points at the distances dx, dy and dz. The
// points at the six sides of the grid keep their temperature.

#include <array>

#include "sweep/sweep_method.hpp"

namespace lapwing::bench {

struct DiffusionKernel {
    using Value = double;
    static constexpr int reach = 1;

    std::array<Index, 3> points;         // of the grid
    std::array<double, 3> per_distance;  // 1 / dx^2, 1 / dy^2, 1 / dz^2

    // Steps the points of a box. Local.
    void step(const Box& box, const SweepViews<double>& views) const;
    // The same passes through memory without the neighbours of a point. Local.
    void stream(const Box& box, const SweepViews<double>& views) const;
};

}  // namespace lapwing::bench
