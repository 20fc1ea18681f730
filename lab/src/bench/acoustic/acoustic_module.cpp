#include "acoustic/acoustic_kernel.hpp"
#include "sweep/sweep_bindings.hpp"

namespace lapwing::bench {

namespace {

using Made = std::unique_ptr<SweepMethod<float>>;

Made made_step(Domain& domain, const std::string& strategy, const std::string& transport) {
    return std::make_unique<StepSweep<AcousticKernel>>(domain, AcousticKernel{}, strategy, transport);
}

Made made_hand(const Domain& domain, bool overlaps) {
    return std::make_unique<HandSweep<AcousticKernel>>(domain, AcousticKernel{}, overlaps);
}

Made made_limit(const Domain& domain) { return std::make_unique<LimitSweep<AcousticKernel>>(domain, AcousticKernel{}); }

}  // namespace

void bind_acoustic(nb::module_& module) {
    bind_sweep<float>(module, "AcousticMethod",
                      "One way to step the wave equation, written in C++: u, and the factor (c dt / h)^2.");
    module.def("step_acoustic", &made_step, "domain"_a, "strategy"_a, "transport"_a, nb::keep_alive<0, 1>(),
               "By a stage of a lapwing.Step. Collective; raises UserError.");
    module.def("hand_acoustic", &made_hand, "domain"_a, "overlaps"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along z; `overlaps`: computes while messages are on their way. Local.");
    module.def("limit_acoustic", &made_limit, "domain"_a, nb::keep_alive<0, 1>(),
               "The same passes through memory, without any neighbours. Local.");
}

}  // namespace lapwing::bench
