#include "diffusion/diffusion_kernel.hpp"

namespace lapwing::bench {

namespace {

Box without_sides(const Box& box, const std::array<Index, 3>& points) {
    return intersect(box, Box{{1, 1, 1}, {points[0] - 1, points[1] - 1, points[2] - 1}});
}

}  // namespace

void DiffusionKernel::step(const Box& box, const SweepViews<double>& views) const {
    const Box inner = without_sides(box, points);
    const auto [x, y, z] = per_distance;
    for (Index k = inner.lo[2]; k < inner.hi[2]; ++k) {
        for (Index j = inner.lo[1]; j < inner.hi[1]; ++j) {
            const double* __restrict t = views.now.row(j, k);
            const double* __restrict south = views.now.row(j - 1, k);
            const double* __restrict north = views.now.row(j + 1, k);
            const double* __restrict below = views.now.row(j, k - 1);
            const double* __restrict above = views.now.row(j, k + 1);
            const double* __restrict factor = views.factor.row(j, k);
            double* __restrict next = views.next.row(j, k);
            for (Index i = inner.lo[0]; i < inner.hi[0]; ++i) {
                const double twice = t[i] + t[i];
                const double lap = x * ((t[i - 1] - twice) + t[i + 1]) + y * ((south[i] - twice) + north[i]) +
                                   z * ((below[i] - twice) + above[i]);
                next[i] = t[i] + factor[i] * lap;
            }
        }
    }
}

void DiffusionKernel::stream(const Box& box, const SweepViews<double>& views) const {
    const Box inner = without_sides(box, points);
    for (Index k = inner.lo[2]; k < inner.hi[2]; ++k) {
        for (Index j = inner.lo[1]; j < inner.hi[1]; ++j) {
            const double* __restrict t = views.now.row(j, k);
            const double* __restrict factor = views.factor.row(j, k);
            double* __restrict next = views.next.row(j, k);
            for (Index i = inner.lo[0]; i < inner.hi[0]; ++i) next[i] = t[i] + factor[i] * t[i];
        }
    }
}

}  // namespace lapwing::bench
