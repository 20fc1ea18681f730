#include "diffusion/diffusion_kernel.hpp"
#include "sweep/sweep_bindings.hpp"

namespace lapwing::bench {

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
