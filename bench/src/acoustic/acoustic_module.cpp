#include "acoustic/hand_acoustic.hpp"
#include "acoustic/step_acoustic.hpp"
#include "bindings.hpp"

namespace lapwing::bench {

namespace {

using Made = std::unique_ptr<AcousticMethod>;
using Values = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<float> span_of(const Values& values) { return {values.data(), values.size()}; }

Made made_step(Domain& domain, const std::string& strategy, const std::string& transport) {
    return std::make_unique<StepAcoustic>(domain, strategy, transport);
}

Made made_hand(const Domain& domain, bool overlaps) { return std::make_unique<HandAcoustic>(domain, overlaps); }

Made made_limit(const Domain& domain) { return std::make_unique<LimitAcoustic>(domain); }

}  // namespace

void bind_acoustic(nb::module_& module) {
    nb::class_<AcousticMethod>(module, "AcousticMethod", "One way to step the wave equation, written in C++.")
        .def(
            "begin",
            [](AcousticMethod& method, const Values& u, const Values& courant) {
                method.begin(span_of(u), span_of(courant));
            },
            "u"_a, "courant"_a, "Begin at rest with u and (c dt / h)^2 of the box of the rank, x fastest. Collective.")
        .def("run", &AcousticMethod::run, "steps"_a, "Run so many steps. Collective.")
        .def(
            "read", [](const AcousticMethod& method, const Values& u) { method.read(span_of(u)); }, "u"_a,
            "Write u of the box of the rank into an array, x fastest. Local.")
        .def_prop_ro("settled", &AcousticMethod::settled, "Whether it steps as it always will. Local.")
        .def_prop_ro("choice", &AcousticMethod::choice, "How it steps, in words, where trials found that. Local.");
    module.def("step_acoustic", &made_step, "domain"_a, "strategy"_a, "transport"_a, nb::keep_alive<0, 1>(),
               "By a stage of a lapwing.Step. Collective; raises UserError.");
    module.def("hand_acoustic", &made_hand, "domain"_a, "overlaps"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along z; `overlaps`: computes while messages are on their way. Local.");
    module.def("limit_acoustic", &made_limit, "domain"_a, nb::keep_alive<0, 1>(),
               "The same passes through memory, without any neighbours. Local.");
}

}  // namespace lapwing::bench
