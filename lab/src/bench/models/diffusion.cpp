// The equation of `lapwing bench diffusion`: heat, as in the example of ImplicitGlobalGrid.jl.
//
//   cp dT/dt = -div q,   q = -lambda grad T
//
// in 3D, forward in time: T(n+1) = T(n) + k lap T(n), k = dt lambda / cp, on points at the distances dx, dy and dz. The
// points at the six sides of the grid keep their temperature.

#include <array>

#include "models/sweep.hpp"

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

namespace {

using Made = std::unique_ptr<SweepMethod<double>>;
using Distances = std::array<double, 3>;

DiffusionKernel kernel_of(const Domain& domain, const Distances& distances) {
    DiffusionKernel kernel{domain.partition().grid().size, {}};
    for (std::size_t a = 0; a < 3; ++a) kernel.per_distance[a] = 1 / (distances[a] * distances[a]);
    return kernel;
}

Made made_step(Domain& domain, const Distances& distances, const std::string& strategy, const std::string& transport) {
    return std::make_unique<StepSweep<DiffusionKernel>>(domain, kernel_of(domain, distances), strategy, transport);
}

Made made_hand(const Domain& domain, const Distances& distances, bool overlaps) {
    return std::make_unique<HandSweep<DiffusionKernel>>(domain, kernel_of(domain, distances), overlaps);
}

Made made_limit(const Domain& domain) {
    return std::make_unique<LimitSweep<DiffusionKernel>>(domain, kernel_of(domain, {1, 1, 1}));
}

}  // namespace

void bind_diffusion(nb::module_& module) {
    bind_sweep<double>(module, "DiffusionMethod",
                       "One way to step the diffusion of heat: the temperature, and the factor dt lambda / cp.");
    module.def("step_diffusion", &made_step, "domain"_a, "distances"_a, "strategy"_a, "transport"_a,
               nb::keep_alive<0, 1>(), "By a stage of a lapwing.Step. Collective; raises UserError.");
    module.def("hand_diffusion", &made_hand, "domain"_a, "distances"_a, "overlaps"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along z; `overlaps`: computes while messages are on their way. Local.");
    module.def("limit_diffusion", &made_limit, "domain"_a, nb::keep_alive<0, 1>(),
               "The same passes through memory, without any neighbours. Local.");
}

}  // namespace lapwing::bench
