#include "bindings.hpp"
#include "miniweather/hand_miniweather.hpp"
#include "miniweather/step_miniweather.hpp"

namespace lapwing::bench {

namespace {

using Made = std::unique_ptr<MiniweatherMethod>;
using Values = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = std::vector<double>;

std::span<double> span_of(const Values& values) { return {values.data(), values.size()}; }

// Means over cells, and values at faces, by name.
using Columns = std::map<std::string, Numbers>;

void make_background(Background* place, const Columns& cells, const Columns& faces) {
    new (place) Background{cells.at("density"),  faces.at("density"),       faces.at("density_theta"),
                           faces.at("pressure"), cells.at("density_theta"), cells.at("pressure")};
}

void make_model(MiniweatherModel* place, const std::array<Index, 2>& cells, const std::array<double, 2>& widths,
                double dt, const Background& background) {
    new (place) MiniweatherModel{cells[0], cells[1], widths[0], widths[1], dt, background};
}

Made made_step(Domain& domain, const MiniweatherModel& model, const std::string& strategy,
               const std::string& transport) {
    return std::make_unique<StepMiniweather>(domain, model, strategy, transport);
}

Made made_hand(const Domain& domain, const MiniweatherModel& model) {
    return std::make_unique<HandMiniweather>(domain, model);
}

void bind_model(nb::module_& module) {
    nb::class_<Background>(module, "Background", "Air at rest, by height.")
        .def("__init__", &make_background, "cells"_a, "faces"_a,
             "`density`, `density_theta` and `pressure` of each; the density of cells from two below the ground to two "
             "above the top. Local.");
    nb::class_<MiniweatherModel>(module, "MiniweatherModel", "Numbers of miniWeather's equations, in SI units.")
        .def("__init__", &make_model, "cells"_a, "widths"_a, "dt"_a, "background"_a,
             "Cells along x and z, and their widths. Local.");
}

}  // namespace

void bind_miniweather(nb::module_& module) {
    bind_model(module);
    nb::class_<MiniweatherMethod>(module, "MiniweatherMethod", "One way to step miniWeather's equations.")
        .def(
            "begin", [](MiniweatherMethod& method, const Values& state) { method.begin(span_of(state)); }, "state"_a,
            "Begin with a state of the box of the rank, x fastest, variables slowest. Collective.")
        .def("run", &MiniweatherMethod::run, "steps"_a, "Run so many steps. Collective.")
        .def(
            "read", [](const MiniweatherMethod& method, const Values& state) { method.read(span_of(state)); },
            "state"_a, "Write the state of the box of the rank into an array. Local.")
        .def_prop_ro("settled", &MiniweatherMethod::settled, "Whether it steps as it always will. Local.")
        .def_prop_ro("choice", &MiniweatherMethod::choice, "How it steps, in words, where trials found that. Local.");
    module.def("step_miniweather", &made_step, "domain"_a, "model"_a, "strategy"_a, "transport"_a,
               nb::keep_alive<0, 1>(), "By stages of a lapwing.Step. Collective; raises UserError.");
    module.def("hand_miniweather", &made_hand, "domain"_a, "model"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along x. Local.");
}

}  // namespace lapwing::bench
