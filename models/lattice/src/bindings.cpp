// lapwing_lattice._kernels: glue without logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "lapwing/bind_settings.hpp"

#include "lapwing_lattice/lattice.hpp"
#include "lapwing_lattice/state_check.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing_lattice;

namespace {

using Mask = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_settings(nb::module_& m) {
    lapwing::bind_settings<Side>(m, "Side", "A side of the grid.");
    lapwing::bind_settings<LatticeSettings>(m, "LatticeSettings", "Numbers of the lattice model, in lattice units.")
        .def(
            "set_solid",
            [](LatticeSettings& s, const Mask& solid) { s.solid.assign(solid.data(), solid.data() + solid.size()); },
            "solid"_a, "A value per cell, x fastest, not 0 where it is solid. Local.");
    m.def(
        "velocities", [] { return std::vector<std::array<lapwing::Index, 3>>(velocities.begin(), velocities.end()); },
        "Cells that each population flies in a step, by its number. Local.");
    m.attr("LARGEST_MACH") = largest_mach;
    m.def("mach_number", &mach_number, "x"_a, "y"_a, "z"_a, "Velocity over the speed of sound of the lattice. Local.");
}

void bind_model(nb::module_& m) {
    nb::class_<LatticeModel>(m, "LatticeModel", "The fields of the lattice model on one rank, and its step.")
        .def(nb::init<lapwing::Domain&, const LatticeSettings&, const std::string&, const std::string&>(), "domain"_a,
             "settings"_a, "strategy"_a, "transport"_a, nb::keep_alive<1, 2>())
        .def("start", &LatticeModel::start, "Populations in equilibrium with density and velocity. Local.")
        .def("advance", &LatticeModel::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("resume", &LatticeModel::resume, "step_number"_a)
        .def("check_state", &LatticeModel::check_state, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step_number", &LatticeModel::step_number)
        .def_prop_ro("newest", &LatticeModel::newest, "Which lattice has the newest populations.")
        .def_prop_ro("in_place", &LatticeModel::in_place)
        .def_prop_ro("fluid_cells", &LatticeModel::fluid_cells, "Of this rank.")
        .def_prop_ro("step", &LatticeModel::step, nb::rv_policy::reference_internal)
        .def_prop_ro(
            "populations",
            [](LatticeModel& l) {
                std::vector<lapwing::AnyField*> fields;
                for (const auto& field : l.populations) fields.push_back(field.get());
                return fields;
            },
            nb::rv_policy::reference_internal, "Two lattices, or one in place.")
        .def_prop_ro(
            "density", [](LatticeModel& l) -> lapwing::AnyField& { return l.density.memory(); },
            nb::rv_policy::reference_internal, "Of the last step that `advance` ran.")
        .def_prop_ro(
            "velocity",
            [](LatticeModel& l) {
                std::vector<lapwing::AnyField*> fields;
                for (const auto& field : l.velocity) fields.push_back(&field.memory());
                return fields;
            },
            nb::rv_policy::reference_internal, "Along x, y and z, cells per step, likewise.");
}

}  // namespace

NB_MODULE(_kernels, m) {
    nb::set_leak_warnings(false);  // why: python/src/module.cpp
    m.doc() = "The lattice model's kernels.";
    nb::module_::import_("lapwing.core._core");  // the types of the domain and the fields
    bind_settings(m);
    bind_model(m);
}
