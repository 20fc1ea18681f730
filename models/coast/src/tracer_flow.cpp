#include "lapwing_coast/tracer_flow.hpp"

#include <algorithm>
#include <cmath>

namespace lapwing_coast {

namespace {

using lapwing::Box;
using lapwing::Index;

// What flows out of a cell more than into it, along x and along y, m/s.
struct Divergence {
    double x, y;
};

Divergence divergence(const FlowContext& at, Index i, Index j, Index k) {
    return {(at.flow_x(i, j, k) - at.flow_x(i - 1, j, k)) * at.over_dx,
            (at.flow_y(i, j, k) - at.flow_y(i, j - 1, k)) * at.over_dy};
}

void column(const FlowContext& at, Index i, Index j) {
    double below = 0.0;  // m/s through the bottom of the layer
    for (Index k = 0; k < at.levels; ++k) {
        const Divergence d = divergence(at, i, j, k);
        const double above = k + 1 < at.levels ? below - (d.x + d.y) : 0.0;
        at.flow_z(i, j, k) = above;
        const std::array<double, fractional_steps - 1> loss{0.5 * d.x, 0.5 * d.y, above - below, 0.5 * d.y};
        for (std::size_t s = 0; s < loss.size(); ++s)
            at.thickness[s + 1](i, j, k) = at.thickness[s](i, j, k) - at.time_step * loss[s];
        below = above;
    }
}

double out_of(double behind, double ahead) { return std::max(ahead, 0.0) + std::max(-behind, 0.0); }

// Shares of the cell that leave it in each fractional step.
double largest_share(const FlowContext& at, Index i, Index j, Index k) {
    const double x = out_of(at.flow_x(i - 1, j, k), at.flow_x(i, j, k)) * at.over_dx;
    const double y = out_of(at.flow_y(i, j - 1, k), at.flow_y(i, j, k)) * at.over_dy;
    const double z = out_of(k > 0 ? at.flow_z(i, j, k - 1) : 0.0, at.flow_z(i, j, k));
    const std::array<double, fractional_steps> out{0.5 * x, 0.5 * y, z, 0.5 * y, 0.5 * x};  // m/s
    double largest = 0.0;
    for (std::size_t s = 0; s < out.size(); ++s)
        largest = std::max(largest, at.time_step * out[s] / at.thickness[s](i, j, k));
    return largest;
}

}  // namespace

void tracer_flow(void* context, Box box) {
    const auto& at = *static_cast<const FlowContext*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) column(at, i, j);
}

FlowLimits flow_limits(const FlowContext& at, Box box) {
    FlowLimits limits;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            double surface = 0.0;  // m/s
            for (Index k = 0; k < at.levels; ++k) {
                limits.courant = std::max(limits.courant, largest_share(at, i, j, k));
                const Divergence d = divergence(at, i, j, k);
                surface -= d.x + d.y;
            }
            const double top = at.thickness[0](i, j, at.levels - 1);  // m
            limits.surface = std::max(limits.surface, std::abs(surface) * at.time_step / top);
        }
    return limits;
}

}  // namespace lapwing_coast
