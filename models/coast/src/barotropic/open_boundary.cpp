#include "lapwing_coast/barotropic/open_boundary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lapwing_coast {

double ramp_share(double time, double ramp) {
    if (time >= ramp) return 1.0;
    return 0.5 * (1.0 - std::cos(std::numbers::pi * time / ramp));
}

namespace {

// Adds one constituent to a row of sea levels (m); `offset` is the first cell's in the boundary.
void add_row(const Constituent& tide, Index offset, double cosine, double sine, const double* depth,
             double* __restrict level, Index n) {
    const double* in_phase = tide.in_phase.data() + offset;
    const double* quadrature = tide.quadrature.data() + offset;
    for (Index i = 0; i < n; ++i) {
        const double height = in_phase[i] * cosine + quadrature[i] * sine;  // m
        level[i] = depth[i] > 0.0 ? level[i] + height : 0.0;
    }
}

// Raises a row of sea levels (m) to where the wet cells hold `least_depth` of water (m).
void keep_water(double least_depth, const double* depth, double* __restrict level, Index n) {
    for (Index i = 0; i < n; ++i) level[i] = depth[i] > 0.0 ? std::max(level[i], least_depth - depth[i]) : level[i];
}

}  // namespace

void OpenBoundary::operator()(Box box, View<double> sea_level, View<const double> depth) const {
    const Box cells = intersect(box, boundary->cells);
    const lapwing::Index3 first = boundary->cells.lo;
    const Index width = boundary->cells.size(0);
    const Index n = cells.size(0);
    const double share = ramp_share(*time, ramp);
    for (Index j = cells.lo[1]; j < cells.hi[1]; ++j) {
        double* level = &sea_level.row(j)[cells.lo[0]];
        for (Index i = 0; i < n; ++i) level[i] = 0.0;
        for (const Constituent& tide : boundary->constituents) {
            const double angle = tide.angular_speed * *time;
            add_row(tide, (j - first[1]) * width + cells.lo[0] - first[0], share * std::cos(angle),
                    share * std::sin(angle), &depth.row(j)[cells.lo[0]], level, n);
        }
        if (least_depth > 0.0) keep_water(least_depth, &depth.row(j)[cells.lo[0]], level, n);
    }
}

}  // namespace lapwing_coast
