#include "bindings.hpp"
#include "shallow/hand_shallow.hpp"
#include "shallow/step_shallow.hpp"

namespace lapwing::bench {

namespace {

using Made = std::unique_ptr<ShallowMethod>;
using Values = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Flow flow_of(const Values& h, const Values& u, const Values& v) {
    return {{h.data(), h.size()}, {u.data(), u.size()}, {v.data(), v.size()}};
}

Made made_step(Domain& domain, const ShallowModel& model, bool wide, const std::string& strategy,
               const std::string& transport) {
    if (wide) return std::make_unique<StepShallow<double>>(domain, model, strategy, transport);
    return std::make_unique<StepShallow<float>>(domain, model, strategy, transport);
}

Made made_hand(const Domain& domain, const ShallowModel& model, bool wide) {
    if (wide) return std::make_unique<HandShallow<double>>(domain, model);
    return std::make_unique<HandShallow<float>>(domain, model);
}

}  // namespace

void bind_shallow(nb::module_& module) {
    nb::class_<ShallowModel>(module, "ShallowModel", "The model of `lapwing bench shallow-water`, in SI units.")
        .def(nb::init<Index, Index>(), "nx"_a, "ny"_a, "On so many cells along x and y. Local.")
        .def_ro("nx", &ShallowModel::nx, "Cells along x.")
        .def_ro("ny", &ShallowModel::ny, "Cells along y.")
        .def_ro("spacing", &ShallowModel::spacing, "Width of a cell, m.")
        .def_ro("gravity", &ShallowModel::gravity, "Acceleration, m/s2.")
        .def_ro("depth", &ShallowModel::depth, "Mean depth, m.")
        .def_ro("coriolis", &ShallowModel::coriolis, "Coriolis parameter of the first row, 1/s.")
        .def_ro("beta", &ShallowModel::beta, "Its growth along y, 1/(m s).")
        .def_ro("friction", &ShallowModel::friction, "Lateral viscosity, m2/s.")
        .def_prop_ro("dt", &ShallowModel::dt, "Time step, s.");
    nb::class_<ShallowMethod>(module, "ShallowMethod", "One way to step the model, written in C++.")
        .def(
            "begin",
            [](ShallowMethod& method, const Values& h, const Values& u, const Values& v) {
                method.begin(flow_of(h, u, v));
            },
            "h"_a, "u"_a, "v"_a, "Begin with this flow of the box of the rank, x fastest. Collective.")
        .def("run", &ShallowMethod::run, "steps"_a, "Run so many steps. Collective.")
        .def(
            "read",
            [](ShallowMethod& method, const Values& h, const Values& u, const Values& v) {
                method.read(flow_of(h, u, v));
            },
            "h"_a, "u"_a, "v"_a, "Write the flow of the box of the rank into arrays, x fastest. Collective.")
        .def_prop_ro("settled", &ShallowMethod::settled, "Whether it steps as it always will. Local.")
        .def_prop_ro("choice", &ShallowMethod::choice, "How it steps, in words, where trials found that. Local.");
    module.def("step_shallow", &made_step, "domain"_a, "model"_a, "wide"_a, "strategy"_a, "transport"_a,
               nb::keep_alive<0, 1>(),
               "By a stage of a lapwing.Step; `wide`: in float64, else float32. Collective; raises UserError.");
    module.def("hand_shallow", &made_hand, "domain"_a, "model"_a, "wide"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along y. Local.");
}

}  // namespace lapwing::bench
