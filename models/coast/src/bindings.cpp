// lapwing_coast._kernels: glue without logic.
#include "lapwing_coast/coast.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "lapwing_coast/layers/layered_coast.hpp"
#include "lapwing_coast/state_check.hpp"
#include "lapwing_coast/tracer/tracer.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing_coast;

namespace {

using DepthArray = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

void bind_boundary(nb::module_& m) {
    nb::class_<Constituent>(m, "Constituent", "One tidal constituent in the cells of a boundary, x fastest.")
        .def(
            "__init__",
            [](Constituent* self, double angular_speed, std::vector<double> in_phase, std::vector<double> quadrature) {
                new (self) Constituent{angular_speed, std::move(in_phase), std::move(quadrature)};
            },
            "angular_speed"_a, "in_phase"_a, "quadrature"_a)
        .def_ro("angular_speed", &Constituent::angular_speed, "1/s")
        .def_ro("in_phase", &Constituent::in_phase, "m")
        .def_ro("quadrature", &Constituent::quadrature, "m");
    nb::class_<Boundary>(m, "Boundary", "A strip of cells whose sea level is prescribed.")
        .def(
            "__init__",
            [](Boundary* self, const lapwing::Box& cells, std::vector<Constituent> constituents) {
                new (self) Boundary{cells, std::move(constituents)};
            },
            "cells"_a, "constituents"_a)
        .def_ro("cells", &Boundary::cells)
        .def_ro("constituents", &Boundary::constituents);
}

void bind_settings(nb::module_& m) {
    nb::class_<CoastSettings>(m, "CoastSettings", "Numbers of the coast model.")
        .def(nb::init<>())
        .def_rw("time_step", &CoastSettings::time_step, "s")
        .def_rw("spacing_x", &CoastSettings::spacing_x, "m")
        .def_rw("spacing_y", &CoastSettings::spacing_y, "m")
        .def_rw("gravity", &CoastSettings::gravity, "m/s2")
        .def_rw("coriolis", &CoastSettings::coriolis, "1/s")
        .def_rw("drag", &CoastSettings::drag, "bottom drag coefficient, 1")
        .def_rw("ramp", &CoastSettings::ramp, "s")
        .def_rw("least_depth", &CoastSettings::least_depth, "m; 0: no drying");
    m.def("longest_time_step", &longest_time_step, "settings"_a, "depth"_a,
          "The longest stable time step (s) for the largest depth (m). Local.");
}

void bind_coast(nb::module_& m) {
    constexpr auto inner = nb::rv_policy::reference_internal;
    nb::class_<Coast>(m, "Coast", "The fields of the coast model on one rank and the step that moves them on.")
        .def(
            "__init__",
            [](Coast* self, lapwing::Domain& domain, const CoastSettings& settings, DepthArray depth,
               std::vector<Boundary> boundaries, const std::string& strategy, const std::string& transport) {
                new (self)
                    Coast(domain, settings, {depth.data(), depth.size()}, std::move(boundaries), strategy, transport);
            },
            "domain"_a, "settings"_a, "depth"_a, "boundaries"_a, "strategy"_a, "transport"_a, nb::keep_alive<1, 2>())
        .def("advance", &Coast::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("resume", &Coast::resume, "step_number"_a)
        .def("check_state", &Coast::check_state, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step_number", &Coast::step_number)
        .def_prop_ro("step", &Coast::step, inner)
        .def_prop_ro(
            "sea_level", [](Coast& c) -> lapwing::Field& { return c.mode.sea_level; }, inner)
        .def_prop_ro(
            "transport_x", [](Coast& c) -> lapwing::Field& { return c.mode.transport[0]; }, inner)
        .def_prop_ro(
            "transport_y", [](Coast& c) -> lapwing::Field& { return c.mode.transport[1]; }, inner)
        .def_prop_ro("depth", [](Coast& c) -> lapwing::Field& { return c.mode.depth; }, inner);
}

void bind_layer_settings(nb::module_& m) {
    using Settings = LayerSettings;
    nb::class_<Settings>(m, "LayerSettings", "Numbers of the layers.")
        .def(nb::init<>())
        .def_rw("levels", &Settings::levels, "layers, equally thick in a column")
        .def_rw("micro_steps", &Settings::micro_steps, "steps of the depth-integrated mode in one of the layers")
        .def_rw("scheme", &Settings::scheme)
        .def_rw("split", &Settings::split)
        .def_rw("water", &Settings::water)
        .def_rw("k_epsilon", &Settings::k_epsilon)
        .def_rw("viscosity", &Settings::viscosity, "where it is constant, m2/s")
        .def_rw("diffusivity", &Settings::diffusivity, "where it is constant, m2/s")
        .def_rw("bottom_roughness", &Settings::bottom_roughness, "m")
        .def_rw("surface_roughness", &Settings::surface_roughness, "m")
        .def_rw("wind_stress", &Settings::wind_stress, "along x and y, over density, m2/s2")
        .def_rw("drive", &Settings::drive, "along x and y, m/s2")
        .def_rw("heat_flux", &Settings::heat_flux, "K m/s")
        .def_rw("salt_flux", &Settings::salt_flux, "g/kg m/s");
    nb::class_<ForcingSeries>(m, "ForcingSeries",
                              "What drives the layers from above, one value per time; no values: as in LayerSettings.")
        .def(nb::init<>())
        .def_rw("times", &ForcingSeries::times, "since the start of the case, growing, s")
        .def_rw("wind_stress", &ForcingSeries::wind_stress, "along x and y, over density, m2/s2")
        .def_rw("heat_flux", &ForcingSeries::heat_flux, "K m/s")
        .def_rw("salt_flux", &ForcingSeries::salt_flux, "g/kg m/s");
    nb::enum_<EquationOfState>(m, "EquationOfState", "How density follows from temperature and salinity.")
        .value("linear", EquationOfState::linear)
        .value("unesco", EquationOfState::unesco);
    nb::class_<SeaWater>(m, "SeaWater", "What sea water weighs.")
        .def(nb::init<>())
        .def_rw("equation", &SeaWater::equation)
        .def_rw("reference_density", &SeaWater::reference_density, "kg/m3")
        .def_rw("thermal_expansion", &SeaWater::thermal_expansion, "1/K")
        .def_rw("haline_contraction", &SeaWater::haline_contraction, "kg/g")
        .def_rw("reference_temperature", &SeaWater::reference_temperature, "degC")
        .def_rw("reference_salinity", &SeaWater::reference_salinity, "g/kg");
}

std::vector<lapwing::ListedExchange> listed_from(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::vector<lapwing::ListedExchange> listed;
    for (const auto& [stage, field] : pairs) listed.push_back({stage, field});
    return listed;
}

void bind_layered_fields(nb::class_<LayeredCoast>& model) {
    const auto bind = [&](const char* name, const char* unit, auto field) {
        model.def_prop_ro(name, field, nb::rv_policy::reference_internal, unit);
    };
    bind("sea_level", "m", [](LayeredCoast& c) -> lapwing::Field& { return c.mode.sea_level; });
    bind("transport_x", "m2/s", [](LayeredCoast& c) -> lapwing::Field& { return c.mode.transport[0]; });
    bind("transport_y", "m2/s", [](LayeredCoast& c) -> lapwing::Field& { return c.mode.transport[1]; });
    bind("depth", "m", [](LayeredCoast& c) -> lapwing::Field& { return c.mode.depth; });
    bind("flow_x", "m2/s", [](LayeredCoast& c) -> lapwing::Field& { return c.flow[0]; });
    bind("flow_y", "m2/s", [](LayeredCoast& c) -> lapwing::Field& { return c.flow[1]; });
    bind("flow_z", "m/s", [](LayeredCoast& c) -> lapwing::Field& { return c.flow_z(); });
    bind("temperature", "degC", [](LayeredCoast& c) -> lapwing::Field& { return c.temperature; });
    bind("salinity", "g/kg", [](LayeredCoast& c) -> lapwing::Field& { return c.salinity; });
    bind("tke", "m2/s2", [](LayeredCoast& c) -> lapwing::Field& { return c.tke; });
    bind("dissipation", "m2/s3", [](LayeredCoast& c) -> lapwing::Field& { return c.dissipation; });
    bind("viscosity", "m2/s", [](LayeredCoast& c) -> lapwing::Field& { return c.viscosity; });
    bind("diffusivity", "m2/s", [](LayeredCoast& c) -> lapwing::Field& { return c.diffusivity; });
    bind("velocity_x", "m/s", [](LayeredCoast& c) -> lapwing::Field& { return c.velocity[0]; });
    bind("velocity_y", "m/s", [](LayeredCoast& c) -> lapwing::Field& { return c.velocity[1]; });
}

void bind_layered_coast(nb::module_& m) {
    nb::class_<LayeredCoast> model(m, "LayeredCoast", "The coast model in three dimensions on one rank, and its step.");
    model
        .def(
            "__init__",
            [](LayeredCoast* self, lapwing::Domain& domain, const CoastSettings& barotropic,
               const LayerSettings& layers, DepthArray depth, std::vector<Boundary> boundaries, ForcingSeries forcing,
               const std::vector<std::pair<std::string, std::string>>& listed, const std::string& strategy,
               const std::string& transport) {
                new (self) LayeredCoast(domain, barotropic, layers, {depth.data(), depth.size()}, std::move(boundaries),
                                        std::move(forcing), listed_from(listed), strategy, transport);
            },
            "domain"_a, "barotropic"_a, "layers"_a, "depth"_a, "boundaries"_a, "forcing"_a, "listed"_a, "strategy"_a,
            "transport"_a, nb::keep_alive<1, 2>())
        .def("advance", &LayeredCoast::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("resume", &LayeredCoast::resume, "step_number"_a)
        .def("check_state", &LayeredCoast::check_state, nb::call_guard<nb::gil_scoped_release>())
        .def("find_velocities", &LayeredCoast::find_velocities, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step_number", &LayeredCoast::step_number)
        .def_prop_ro("step", &LayeredCoast::step, nb::rv_policy::reference_internal);
    bind_layered_fields(model);
}

void bind_tracer_settings(nb::module_& m) {
    nb::enum_<Scheme>(m, "Scheme", "What the concentration at an interface is made of.")
        .value("upstream", Scheme::upstream)
        .value("p2", Scheme::p2)
        .value("superbee", Scheme::superbee)
        .value("muscl", Scheme::muscl)
        .value("p2_pdm", Scheme::p2_pdm);
    m.def("scheme_from", &scheme_from, "name"_a, "Local; raises UserError for a name that is none.");
    nb::enum_<Split>(m, "Split", "How a time step of advection is split into fractional steps.")
        .value("half_steps", Split::half_steps)
        .value("whole_steps", Split::whole_steps)
        .value("horizontal_together", Split::horizontal_together);
    m.def("split_from", &split_from, "name"_a, "Local; raises UserError for a name that is none.");
    nb::class_<TracerSettings>(m, "TracerSettings", "Numbers of the advection of a tracer.")
        .def(nb::init<>())
        .def_rw("time_step", &TracerSettings::time_step, "s")
        .def_rw("spacing_x", &TracerSettings::spacing_x, "m")
        .def_rw("spacing_y", &TracerSettings::spacing_y, "m")
        .def_rw("levels", &TracerSettings::levels, "layers, of equal thickness in a column")
        .def_rw("levels_fastest", &TracerSettings::levels_fastest, "memory order: levels, x, y")
        .def_rw("scheme", &TracerSettings::scheme)
        .def_rw("split", &TracerSettings::split)
        .def_rw("tracers", &TracerSettings::tracers, "carried together")
        .def_rw("moving_surface", &TracerSettings::moving_surface, "layers end a step as thick as thickness_after")
        .def_rw("prescribed", &TracerSettings::prescribed, "cells whose sea level is prescribed");
}

void bind_tracer(nb::module_& m) {
    constexpr auto inner = nb::rv_policy::reference_internal;
    nb::class_<TracerAdvection>(m, "TracerAdvection", "A tracer, the flow that carries it, and the step that moves it.")
        .def(
            "__init__",
            [](TracerAdvection* self, lapwing::Domain& domain, const TracerSettings& settings, DepthArray depth,
               const std::string& strategy, const std::string& transport) {
                new (self) TracerAdvection(domain, settings, {depth.data(), depth.size()}, strategy, transport);
            },
            "domain"_a, "settings"_a, "depth"_a, "strategy"_a, "transport"_a, nb::keep_alive<1, 2>())
        .def("set_flow", &TracerAdvection::set_flow, nb::call_guard<nb::gil_scoped_release>())
        .def("advance", &TracerAdvection::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("check_limits", &TracerAdvection::check_limits, "step_number"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step", &TracerAdvection::step, inner)
        .def_prop_ro(
            "tracers",
            [](TracerAdvection& t) {
                std::vector<lapwing::Field*> fields;
                for (lapwing::Field& field : t.tracers) fields.push_back(&field);
                return fields;
            },
            inner)
        .def_prop_ro("flow_z", &TracerAdvection::flow_z, inner)
        .def_prop_ro("thickness_after", &TracerAdvection::thickness_after, inner)
        .def_prop_ro(
            "tracer", [](TracerAdvection& t) -> lapwing::Field& { return t.tracer; }, inner)
        .def_prop_ro(
            "flow_x", [](TracerAdvection& t) -> lapwing::Field& { return t.flow_x; }, inner)
        .def_prop_ro(
            "flow_y", [](TracerAdvection& t) -> lapwing::Field& { return t.flow_y; }, inner)
        .def_prop_ro("thickness", [](TracerAdvection& t) -> lapwing::Field& { return t.thickness; }, inner);
}

}  // namespace

NB_MODULE(_kernels, m) {
    nb::set_leak_warnings(false);  // why: python/src/module.cpp
    m.doc() = "The coast model's kernels.";
    nb::module_::import_("lapwing.core._core");  // the types of the domain and the fields
    bind_boundary(m);
    bind_settings(m);
    bind_coast(m);
    bind_tracer_settings(m);
    bind_layer_settings(m);
    bind_layered_coast(m);
    bind_tracer(m);
}
